// Lessons in other scripts than plain Latin, each with a query that a person would type for it.

export const SCRIPTS = [
  { script: 'Cyrillic', text: 'Перед выпуском всегда проверяйте миграции базы данных', query: 'миграции базы данных' },
  { script: 'Cyrillic', text: 'Очередь теряет сообщения при перезапуске обработчика', query: 'очередь сообщения' },
  { script: 'Ukrainian', text: 'Ключ доступу зберігається лише у змінних середовища', query: 'ключ доступу' },
  { script: 'Greek', text: 'Ο διακομιστής απαντά αργά όταν η κρυφή μνήμη είναι άδεια', query: 'κρυφή μνήμη' },
  { script: 'Chinese', text: '数据库连接池耗尽时请求会一直等待', query: '连接池' },
  { script: 'Chinese', text: '部署之前必须先清理缓存目录', query: '清理缓存' },
  { script: 'Chinese, traditional', text: '測試環境不可以使用正式的憑證', query: '正式的憑證' },
  { script: 'Japanese', text: 'テストの前にデータベースを初期化する必要があります', query: 'データベース 初期化' },
  { script: 'Japanese', text: '認証トークンの有効期限が切れると処理が止まる', query: '認証トークン' },
  { script: 'Korean', text: '배포하기 전에 환경 변수를 반드시 확인하세요', query: '환경 변수' },
  { script: 'Arabic', text: 'يجب إغلاق الاتصال بقاعدة البيانات بعد كل طلب', query: 'قاعدة البيانات' },
  { script: 'Hebrew', text: 'השרת נופל כאשר הזיכרון מלא לגמרי', query: 'הזיכרון מלא' },
  { script: 'Hindi', text: 'परीक्षण चलाने से पहले सर्वर को पुनः आरंभ करें', query: 'सर्वर पुनः' },
  { script: 'Thai', text: 'ต้องล้างแคชก่อนสร้างโปรเจกต์ใหม่ทุกครั้ง', query: 'ล้างแคช' },
  { script: 'Vietnamese', text: 'Luôn kiểm tra nhật ký trước khi khởi động lại dịch vụ', query: 'nhật ký khởi động' },
  {
    script: 'German',
    text: 'Die Prüfsumme der Übertragung weicht bei großen Dateien ab',
    query: 'prüfsumme übertragung',
  },
  { script: 'French', text: 'Le déploiement échoue si le dépôt privé est inaccessible', query: 'déploiement échoue' },
  { script: 'Turkish', text: 'İstemci bağlantısı kesilince kuyruk temizlenmiyor', query: 'istemci bağlantısı' },
  { script: 'Georgian', text: 'სერვერი ნელა პასუხობს დიდი მოთხოვნების დროს', query: 'სერვერი ნელა' },
  { script: 'Armenian', text: 'Սերվերը պետք է վերագործարկել կարգավորումից հետո', query: 'սերվերը վերագործարկել' },
]
