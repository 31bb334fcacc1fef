// Sanitizes text from servers. A server knows our key, and its errors may repeat the key in any encoding. The key itself is
// searched for, besides the patterns of secrets. All server text that is stored, shown or logged passes through
// `foreignText`.

import { redactSecrets } from '../native.js'
import { decoded } from '../shared/json.js'
import { asLine, cutTo } from '../shared/line.js'
import { wellFormed } from './wellformed.js'

const MARK = '[redacted:key]'
/** A key of at most this length occurs in ordinary words, so it is removed only as a separate word. */
const WORD_LENGTH_MAX = 3
/** The minimum length of an encoded key; a shorter piece matches by accident. */
const ENCODED_LENGTH_MIN = 8
/** The minimum length of a key's prefix at the end of a truncated text. */
const BEGINNING_LENGTH_MIN = 6
const KEYS_MAX = 256
/** Passwords that are words of ordinary messages: removed from one, they would be told by the gap, and the message would say nothing. */
const COMMON = new Set(
  (
    'access admin administrator address changeme connect connection container database default development error example forge forge-memory ' +
    'forge_memory host local localhost login memory openbrain brain password postgres postgresql production project public root secret ' +
    'server service staging store superuser team test user welcome'
  ).split(' '),
)
/** The maximum length of a message; the rest is discarded. */
const READ_CHARS_MAX = 16 * 1024

/** A key as it is searched for: its UTF-8 bytes as characters, in lower case. */
interface Needle {
  plain: string
  encoded: string[]
}

const needles = new Map<string, Needle>()

/** Removes a key from all server text from now on. It must be called when a key is read, before it is used. */
export function rememberKey(key: string | undefined): void {
  if (key === undefined || key.trim() === '' || needles.has(key) || COMMON.has(key.toLowerCase())) return
  if (needles.size >= KEYS_MAX) needles.delete(needles.keys().next().value ?? '')
  const bytes = Buffer.from(key, 'utf8')
  const plain = viewOf(bytes.toString('latin1'), false).text
  needles.set(key, { plain, encoded: encodingsOf(bytes).filter(({ length }) => length >= ENCODED_LENGTH_MIN) })
}

/** Does the same for the credentials in a URL. */
export function rememberKeysIn(url: URL): void {
  const parts = [
    url.password,
    ...['key', 'token', 'password', 'apikey', 'api_key'].map((name) => url.searchParams.get(name)),
  ]
  // In the URL of a web service, a user name without a password is a token.
  if (url.protocol.startsWith('http') && url.password === '') parts.push(url.username)
  for (const part of parts) {
    rememberKey(part ?? undefined)
    rememberKey(decoded(part ?? ''))
  }
}

/** Makes one line of server text that is safe to store and show: keys and secrets are removed before it is truncated. */
export function foreignText(raw: string, charsMax: number): string {
  const text = redactSecrets(wellFormed(withoutKeys(raw.slice(0, READ_CHARS_MAX))))
  return cutTo(asLine(text), charsMax)
}

/** Removes the keys of this process from a text, in every encoding in which a server may repeat them. */
function withoutKeys(text: string): string {
  if (needles.size === 0 || text === '') return text
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  const read = viewOf(bytes, false)
  const once = viewOf(bytes, true)
  const views = [read, once, composed(once, viewOf(once.text, true))]
  const ranges = [...needles.values()].flatMap((needle) => rangesOf(needle, views))
  return ranges.length === 0 ? text : Buffer.from(replaced(bytes, ranges), 'latin1').toString('utf8')
}

type Range = [start: number, end: number]

/** A text with its escapes decoded, and the source position of each character. */
interface View {
  text: string
  origins: Range[]
}

/** Characters that may separate the characters of a key: white space, soft hyphens, zero-width marks. */
const GAP = /[\t-\r \\]|\xc2[\xa0\xad]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|\xef\xbb\xbf/y
const ESCAPE =
  /%([0-9a-f]{2})|\\x([0-9a-f]{2})|\\u\{?([0-9a-f]{4,6})\}?|\\([bfnrt"'/\\])|&#(\d{1,7});|&#x([0-9a-f]{1,6});|&(amp|lt|gt|quot|apos);/iy
const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function viewOf(bytes: string, isDecoded: boolean): View {
  const parts: string[] = []
  const origins: Range[] = []
  for (let at = 0; at < bytes.length; ) {
    const coded = isDecoded ? matchAt(ESCAPE, bytes, at) : undefined
    const gap = coded === undefined ? matchAt(GAP, bytes, at) : undefined
    const length = (coded ?? gap)?.[0].length ?? 1
    const meaning = coded !== undefined ? meaningOf(coded) : gap !== undefined ? '' : bytes.charAt(at)
    for (const part of meaning) {
      parts.push(part)
      origins.push([at, at + length])
    }
    at += length
  }
  return { text: parts.join('').toLowerCase(), origins }
}

function matchAt(pattern: RegExp, bytes: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(bytes) ?? undefined
}

/** Decodes an escape to bytes. White space is skipped, as everywhere in a view. */
function meaningOf([, percent, hex, unicode, letter, decimal, entity, name]: RegExpExecArray): string {
  const byte = percent ?? hex
  if (byte !== undefined) return withoutSpace(String.fromCharCode(Number.parseInt(byte, 16)))
  if (letter !== undefined) return /[bfnrt]/i.test(letter) ? '' : letter
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? ''
  const point = decimal === undefined ? Number.parseInt(unicode ?? entity ?? '', 16) : Number(decimal)
  const character = point <= 0x10ffff ? String.fromCodePoint(point) : ''
  return withoutSpace(Buffer.from(character, 'utf8').toString('latin1'))
}

function withoutSpace(text: string): string {
  return text.replace(/[\t-\r \\]/g, '')
}

function composed(outer: View, inner: View): View {
  const origins = inner.origins.map(
    ([start, end]): Range => [outer.origins[start]?.[0] ?? 0, outer.origins[end - 1]?.[1] ?? 0],
  )
  return { text: inner.text, origins }
}

function rangesOf({ plain, encoded }: Needle, views: View[]): Range[] {
  const ranges = views.flatMap((view) => [plain, ...encoded].flatMap((needle) => found(view, needle)))
  const [read] = views
  for (let length = plain.length - 1; read && length >= BEGINNING_LENGTH_MIN; length -= 1) {
    if (!read.text.endsWith(plain.slice(0, length))) continue
    ranges.push(originOf(read, read.text.length - length, read.text.length))
    break
  }
  return ranges
}

function found(view: View, needle: string): Range[] {
  const ranges: Range[] = []
  if (needle === '') return ranges
  for (let at = view.text.indexOf(needle); at >= 0; at = view.text.indexOf(needle, at + needle.length)) {
    const range = originOf(view, at, at + needle.length)
    if (needle.length > WORD_LENGTH_MAX || standsAlone(view, at, needle.length)) ranges.push(range)
  }
  return ranges
}

/**
 * True if a match is a separate word in the original text. A view skips gaps, so its neighbours may not be adjacent
 * there.
 */
function standsAlone({ text, origins }: View, at: number, length: number): boolean {
  const isJoined = (left: number) => origins[left]?.[1] === origins[left + 1]?.[0]
  const before = /\w/.test(text.charAt(at - 1)) && isJoined(at - 1)
  const after = /\w/.test(text.charAt(at + length)) && isJoined(at + length - 1)
  return !before && !after
}

function originOf({ origins }: View, start: number, end: number): Range {
  return [origins[start]?.[0] ?? 0, origins[end - 1]?.[1] ?? 0]
}

function replaced(bytes: string, ranges: Range[]): string {
  const parts: string[] = []
  let done = 0
  for (const [start, end] of ranges.sort(([a], [b]) => a - b)) {
    if (start >= done) parts.push(bytes.slice(done, start), MARK)
    done = Math.max(done, end)
  }
  parts.push(bytes.slice(done))
  return parts.join('')
}

/** Returns a key in hexadecimal, and in base64 at each of the three alignments within a longer text. */
function encodingsOf(key: Buffer): string[] {
  const base64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), key]).toString('base64')
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + key.length) * 8) / 6))
  })
  const forUrls = base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_'))
  return [...new Set([...base64, ...forUrls, key.toString('hex')].map((text) => text.toLowerCase()))]
}
