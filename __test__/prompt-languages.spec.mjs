// Notes at a prompt and before an edit in fourteen languages, as `find` finds them.
import assert from 'node:assert/strict'
import test from 'node:test'
import { freshCommand, json, noteFor } from './support/command.mjs'

/** By language: a note, a question about it, and a prompt that is about nothing. */
const LANGUAGES = {
  English: [
    'Database migrations run in staging before a release.',
    'do database migrations run before staging?',
    'run the tests',
  ],
  German: [
    'Datenbankmigrationen laufen vor der Freigabe in der Vorstufe.',
    'laufen Datenbankmigrationen vor der Freigabe?',
    'bitte die Tests laufen lassen',
  ],
  Spanish: [
    'Las migraciones se ejecutan en preproducción antes del despliegue.',
    '¿las migraciones van antes del despliegue?',
    'ejecuta las pruebas por favor',
  ],
  French: [
    'Les migrations passent en préproduction avant le déploiement.',
    'faut-il les migrations avant le déploiement ?',
    'lance les tests',
  ],
  Portuguese: [
    'As migrações rodam em homologação antes da publicação.',
    'as migrações vêm antes da publicação?',
    'roda os testes por favor',
  ],
  Italian: [
    'Le migrazioni girano in preproduzione prima del rilascio.',
    'le migrazioni vanno prima del rilascio?',
    'esegui i test per favore',
  ],
  Russian: [
    'Миграции базы данных запускаются перед выпуском на стенде.',
    'нужны ли миграции базы перед выпуском?',
    'запусти тесты пожалуйста',
  ],
  Greek: [
    'Οι μεταναστεύσεις της βάσης τρέχουν πριν από την κυκλοφορία.',
    'χρειάζονται μεταναστεύσεις πριν από την κυκλοφορία;',
    'τρέξε τα τεστ παρακαλώ',
  ],
  Arabic: [
    'ترحيل قاعدة البيانات يتم في بيئة التجربة قبل الإصدار.',
    'هل يتم ترحيل قاعدة البيانات قبل الإصدار؟',
    'شغل الاختبارات من فضلك',
  ],
  Hindi: ['रिलीज़ से पहले डेटाबेस माइग्रेशन परीक्षण सर्वर पर चलता है।', 'रिलीज़ से पहले डेटाबेस माइग्रेशन कहाँ चलता है?', 'टेस्ट चलाओ'],
  Chinese: ['发布前必须先在预发环境执行数据库迁移', '发布前要不要执行数据库迁移？', '继续，运行测试'],
  Japanese: [
    'リリース前に検証環境でデータベース移行を実行する',
    'リリース前のデータベース移行はどこでしますか',
    'テストを実行してください',
  ],
  Korean: [
    '배포 전에 검증 환경에서 데이터베이스 마이그레이션을 실행한다',
    '배포 전에 데이터베이스 마이그레이션이 필요한가요?',
    '테스트 실행해 주세요',
  ],
  Thai: ['ต้องย้ายฐานข้อมูลในระบบทดสอบก่อนเผยแพร่ทุกครั้ง', 'ก่อนเผยแพร่ต้องย้ายฐานข้อมูลที่ไหน', 'รันเทสให้หน่อย'],
}

test('a prompt is told what it is about in fourteen languages, and nothing when it is about nothing', (t) => {
  const command = freshCommand(t)
  for (const [note] of Object.values(LANGUAGES)) json(command, ['capture', '--type', 'lesson', note])
  for (const [language, [note, question, everyday]] of Object.entries(LANGUAGES)) {
    const ask = (prompt) =>
      noteFor(command, { hook_event_name: 'UserPromptSubmit', session_id: `${language} ${prompt}`, prompt })
    assert.ok(
      json(command, ['recall', question]).hits.some(({ text }) => text === note),
      `${language}: found`,
    )
    const told = ask(question)
      .split('\n')
      .filter((line) => line.startsWith('  ['))
    assert.ok(
      told.some((line) => line.includes(note)),
      `${language}: told ${told.join('|')}`,
    )
    assert.equal(told.length, 1, `${language}: ${told.join('|')}`)
    assert.equal(ask(everyday), '', `${language}: ${everyday}`)
  }
})

/** A note about a file: where a script has no blanks, the path has none beside it either. */
const ABOUT_FILES = {
  English: 'In src/PATH.ts amounts are in cents.',
  German: 'In src/PATH.ts sind Beträge in Cent.',
  Spanish: 'En src/PATH.ts los importes van en céntimos.',
  French: 'Dans src/PATH.ts les montants sont en centimes.',
  Portuguese: 'Em src/PATH.ts os valores são em centavos.',
  Italian: 'In src/PATH.ts gli importi sono in centesimi.',
  Russian: 'В src/PATH.ts суммы в копейках.',
  Greek: 'Στο src/PATH.ts τα ποσά είναι σε λεπτά.',
  Arabic: 'المبالغ في src/PATH.ts بالسنتات.',
  Hindi: 'src/PATH.ts में राशि सेंट में है।',
  Chinese: '金额在src/PATH.ts里以分为单位',
  Japanese: 'src/PATH.tsの金額はセント単位です',
  Korean: 'src/PATH.ts의 금액은 센트 단위입니다',
  Thai: 'จำนวนเงินในsrc/PATH.tsเป็นเซ็นต์',
}

test('before an edit of a file its note is told in fourteen languages, and not that of another file', (t) => {
  const command = freshCommand(t)
  const names = Object.keys(ABOUT_FILES)
  const paths = [...names.map((name) => name.toLowerCase()), '支付', '支払い', '결제', 'платёж', 'größe']
  const noteOf = (path, at) => (ABOUT_FILES[names[at]] ?? ABOUT_FILES.Chinese).replace('PATH', path)
  for (const [at, path] of paths.entries()) json(command, ['capture', '--type', 'gotcha', noteOf(path, at)])
  for (const [at, path] of paths.entries()) {
    const told = noteFor(command, {
      hook_event_name: 'PreToolUse',
      session_id: path,
      tool_name: 'Edit',
      tool_input: { file_path: `${command.project}/src/${path}.ts`, old_string: 'a', new_string: 'b' },
    })
    const notes = told.split('\n').filter((line) => line.startsWith('  ['))
    assert.ok(notes.length === 1 && notes[0].includes(noteOf(path, at)), `${path}: ${told}`)
  }
})
