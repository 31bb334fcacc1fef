// Hostile requests: malformed, huge, ambiguous. The same seed gives the same requests.

/** A generator of numbers that repeats itself for the same seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count) => Math.floor(next() * count)
  const pick = (list) => list[below(list.length)]
  const bytes = (length) => String.fromCharCode(...Array.from({ length }, () => below(256)))
  return { next, below, pick, bytes }
}

const METHODS = [
  'GET',
  'POST',
  'PATCH',
  'DELETE',
  'HEAD',
  'PUT',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'PROPFIND',
  'get',
  'G\0T',
  '',
]
const TARGETS = [
  '//',
  '///',
  '//[',
  '//:',
  '//a:b',
  '//a:99999/',
  '//\\',
  '/\\',
  '\\',
  '*',
  '',
  '?',
  '#',
  '/?',
  '/#',
  '/%',
  '/%zz',
]
  .concat([
    '/%00',
    '/%2e%2e/%2e%2e/etc/passwd',
    '/..',
    '/../..//x',
    'http://',
    'http://[::1',
    'http://a:b@c/',
    'https://x/',
  ])
  .concat(['javascript:1', 'file:///etc/passwd', '/hub', '/hub?', '/hub?token=%', '/hub?since=NaN&history=-1', '//hub'])
  .concat([
    '/api/',
    '/api//',
    '/api/memory/entry/',
    '/api/memory/entry/%E0%A4%A',
    '/api/memory/recall?query=%',
    '/health',
  ])
  .concat([
    '/api/memory/capture',
    '/api/dlq',
    '/api/lattice/query?limit=x',
    '/assets/',
    '/index.html',
    'x',
    '/\u00ff',
    '/ /',
  ])
const VERSIONS = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', 'http/1.1', '', 'ICY']
const NAMES = [
  'Host',
  'Origin',
  'Authorization',
  'Content-Length',
  'Transfer-Encoding',
  'Expect',
  'Connection',
  'Upgrade',
].concat([
  'Accept',
  'Content-Type',
  'Cookie',
  'Range',
  'X',
  'x'.repeat(300),
  'Sec-WebSocket-Key',
  'Sec-WebSocket-Version',
  '',
  'a b',
])
const VALUES = [
  '',
  ' ',
  '-1',
  '0',
  '1e9',
  '99999999999999999999',
  'chunked',
  'chunked, chunked',
  'gzip',
  '100-continue',
  'x',
  'close',
].concat([
  'keep-alive',
  'Upgrade',
  'websocket',
  'h2c',
  'Bearer',
  'Bearer x',
  'http://[',
  'null',
  'a, b',
  '"',
  '\u00ff',
  '\t',
  ':',
  '[::1]:x',
])
const FRAMES = [
  '\x81\x00',
  '\x81\x80\0\0\0\0',
  '\x88\x80\0\0\0\0',
  '\x89\xff',
  '\xf3\xff',
  '\x81\xfe\xff\xff',
  '\x81\xff',
  '\x00\x80\0\0\0\0',
  '\x82\x82\0\0\0\0{}',
]
const BODIES = ['{}', '[', '"', '{"body":1}', '{"type":"x","body":"y"}', '\0\xff', '5\r\n{}\r\n', '0\r\n\r\n']

/** Of the parts of a request most are as they should be, so that the broken ones get far. */
export function hostileRequest(random, { port, token }) {
  const { below, pick, bytes } = random
  const isOneOf = (count) => below(count) === 0
  if (isOneOf(20)) return `${bytes(below(200))}\r\n\r\n`
  const isUpgrade = isOneOf(4)
  const path = isOneOf(4)
    ? pick(['/hub', '/', '/health', '/api/status'])
    : pick(TARGETS) + (isOneOf(6) ? pick(TARGETS) : '')
  const target =
    (isUpgrade && isOneOf(2) ? '/hub' : isOneOf(10) ? bytes(below(60)) : path) + (isOneOf(2) ? `?token=${token}` : '')
  const method = isUpgrade && !isOneOf(8) ? 'GET' : isOneOf(2) ? 'GET' : pick(METHODS)
  const lines = [`${method} ${target} ${isOneOf(10) ? pick(VERSIONS) : 'HTTP/1.1'}`]
  if (!isOneOf(20)) lines.push(`Host: ${isOneOf(10) ? pick(VALUES) : `127.0.0.1:${port}`}`)
  if (isOneOf(2)) lines.push(`Authorization: Bearer ${token}`)
  if (isOneOf(2)) {
    for (let count = below(4); count > 0; count -= 1) {
      lines.push(`${pick(NAMES)}${pick([':', ': ', ' :', ''])}${isOneOf(8) ? bytes(below(400)) : pick(VALUES)}`)
    }
  }
  if (isUpgrade) {
    lines.push('Connection: Upgrade', `Upgrade: ${isOneOf(8) ? pick(['h2c', '', 'websocket, x']) : 'websocket'}`)
    lines.push(`Sec-WebSocket-Version: ${isOneOf(8) ? pick(['8', 'x', '']) : '13'}`)
    lines.push(`Sec-WebSocket-Key: ${isOneOf(8) ? pick(['short', '']) : 'dGhlIHNhbXBsZSBub25jZQ=='}`)
    if (isOneOf(6)) lines.push(`Sec-WebSocket-Extensions: ${pick(VALUES)}`, `Sec-WebSocket-Protocol: ${pick(VALUES)}`)
  }
  const frames = isUpgrade ? Array.from({ length: below(4) }, () => pick(FRAMES)).join('') : ''
  return `${lines.join(isOneOf(10) ? '\n' : '\r\n')}\r\n\r\n${isOneOf(3) ? pick(BODIES) : ''}${frames}`
}
