// What people put into a memory besides a tidy sentence: whole paragraphs, lists, code, addresses, other scripts, one word without end.
const PARAGRAPH =
  'The first attempt kept the connection open for the whole import and ran into the limit of the pool after some forty files. ' +
  'Closing it per file was slow. What works: one connection per worker, returned after each batch of two hundred rows, with the ' +
  'cursor written before the batch is acknowledged.'

export const LONG = [
  (text) => `${text}\n\n${PARAGRAPH}\n\n${PARAGRAPH}`,
  (text) =>
    `${text}\n\n- read the failing assertion first\n- run it alone: \`npx vitest run src/cart --run\`\n- then the whole area`,
  (text) =>
    `## ${text}\n\n\`\`\`ts\nexport const retry = (call: () => Promise<Charge>) => backOff(call, { jitter: 'full', attempts: 5 })\n\`\`\``,
  (text) =>
    `${text}; see https://docs.example.com/payments/webhooks/signing?version=2026-04-01&section=raw-body#verification`,
  (text) =>
    `${text} in src/features/checkout/payment/provider/stripe/webhook/handlers/charge-dispute-closed.handler.spec.ts:118`,
  (text) => `${text}: ${'0123456789abcdef'.repeat(24)}`,
  (text) => `${text} 🚚 — 注文の合計は税込みで表示する。住所が二つあるときは請求先を使う`,
  (text) => `${text} — يجب التحقق من التوقيع قبل تحليل الطلب`,
  (text) => `${text}.\n\n${Array.from({ length: 18 }, () => PARAGRAPH).join('\n\n')}`,
]
