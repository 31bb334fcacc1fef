// Extracts the errors from the output of a failed command, and matches them with texts.
import { asLine } from '../shared/line.js'

/** The parts of a long output that are read: errors are at the end, their context at the beginning. */
const HEAD_CHARS = 4000
const TAIL_CHARS = 16_000
const REASONS_MAX = 6
const WORDS_MAX = 30
const LAST_LINES = 3

/** A line that states the error, rather than its place or a summary. */
const SAYS_WHY =
  /\bERR_[A-Z]|error|failed|failure|assert|exception|panicked|cannot|can't|could not|unable|not found|no such|timed? ?out|refused|denied|expected|missing|undefined|invalid|conflict|unresolved|fatal|exceeded|already in use|conflicting|lost|out of|overflow|undeclared|unsupported|too (?:large|long|many|few)|aborted|killed|downgrade|mismatch|BackOff|OOMKilled/i

/** Error codes and names of exceptions, which identify an error. */
const CODE =
  /\b(?:[a-z]+(?:[A-Z][a-z]+){2,}|[A-Z][a-z]+(?:[A-Z][a-z]+){2,}|(?<=\b(?:\w+\.)+)[A-Z][a-z]+[A-Z][a-zA-Z]+(?=:)|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|ERR_[A-Z][A-Z_]+|E[A-Z]{4,}|TS\d{4,5}|E\d{4}|SIG[A-Z]{3,5}|ORA-\d{4,5}|P\d{4}|[A-Z]{2,6}-?\d{3,5}|[A-Z][a-zA-Z]{3,}(?:Error|Exception))\b/g
/** Codes of whole classes of errors. */
const COMMON_CODE =
  /^(ENOENT|EPERM|EACCES|EEXIST|EINVAL|ERR_ASSERTION|ERR_TEST_FAILURE|ERROR|ERRORS|TypeError|ReferenceError|SyntaxError|RangeError|AssertionError|RuntimeError|ValueError|KeyError|AttributeError|NameError|ImportError|IndexError|NullPointerException|NullReferenceException|InvalidOperationException|ArgumentException|ArgumentNullException|IOException|FileNotFoundError|ModuleNotFoundError|PermissionError|OSError|TimeoutError|UnboundLocalError|UnicodeDecodeError|JSONDecodeError|OutOfMemoryError|StackOverflowError|UnhandledPromiseRejection|IllegalArgumentException|UTF-?\d+|SHA-?\d+|HTTP-?\d+|ES\d+|ISO-?\d+|RFC-?\d+)$/

/** Phrases that are common in errors. */
const COMMON_PHRASE =
  /no such file or directory|command not found|permission denied|is not a function|is not defined|cannot read propert(y|ies) of (undefined|null)|cannot find module|no module named|process exited with( exit)? code|exited with code|exit status \d+|invalid memory address or nil pointer dereference|command failed with|most recent call last|see the output above|for more information/gi

/** Words that are common in errors. */
const STOP = new Set(
  'the and for with not that this from was has have are but you your its error errors failed failure fail exception test tests line file expected actual received undefined null true false node modules internal process object function module code exit status while when where which cannot could unable'.split(
    ' ',
  ),
)

/** The searchable parts of a failure. */
export interface Failure {
  codes: string[]
  /** The words of each line that states an error. */
  reasons: string[][]
  /** The same lines as text, without common phrases. */
  lines: string[]
}

/** Parses the output of a failed command. */
export function readFailure(output: string): Failure {
  const isLong = output.length > HEAD_CHARS + TAIL_CHARS
  const read = isLong ? `${output.slice(0, HEAD_CHARS)}\n${output.slice(-TAIL_CHARS)}` : output
  const lines = read.split('\n').map((line) => asLine(line.slice(0, 600)))
  const said = lines.filter((line) => line !== '')
  const found = said.filter((line) => SAYS_WHY.test(line)).slice(0, REASONS_MAX)
  const telling = found.length > 0 ? found : said.slice(-LAST_LINES)
  const codes = new Set(telling.join('\n').match(CODE) ?? [])
  const reasons = telling.map(wordsOf).filter((words) => words.length >= 3)
  return { codes: [...codes], reasons, lines: telling.map((line) => line.replace(COMMON_PHRASE, ' | ')) }
}

/** Returns the query for a failure. */
export function queryOf({ codes, reasons }: Failure): string {
  return [...new Set([...codes, ...reasons.flat()])].slice(0, WORDS_MAX).join(' ')
}

/** The minimum share of an error's words that a text must contain. */
const SHARE_MIN = 0.6
const SHARED_MIN = 4
const SHARE_WITH_CODE_MIN = 0.4

/** Returns the evidence that a text is about a failure: an error code, or most of the words of an error line. */
export function matchOf(text: string, { codes, reasons, lines }: Failure): string | undefined {
  const said = new Set(text.match(CODE) ?? [])
  const shared = codes.filter((code) => said.has(code))
  const own = shared.find((code) => !COMMON_CODE.test(code))
  if (own !== undefined) return own
  const phrase = sharedPhrase(text, lines)
  if (phrase !== undefined) return phrase
  const words = new Set(wordsOf(text))
  for (const reason of reasons) {
    const found = reason.filter((word) => words.has(word))
    const share = found.length / reason.length
    const isEnough = found.length >= SHARED_MIN ? share >= SHARE_MIN : found.length === SHARED_MIN - 1 && share === 1
    if (isEnough) return found.slice(0, SHARED_MIN).join(' ')
    if (shared.length > 0 && found.length >= SHARED_MIN - 1 && share >= SHARE_WITH_CODE_MIN) return shared[0]
  }
  return undefined
}

/** The minimum number of consecutive words that a text and a failure share. */
const PHRASE_WORDS = 4

function sharedPhrase(text: string, lines: string[]): string | undefined {
  const said = ` ${inRow(text).join(' ')} `
  for (const part of lines.flatMap((line) => line.split('|'))) {
    const words = inRow(part)
    for (let at = 0; at + PHRASE_WORDS <= words.length; at += 1) {
      const phrase = words.slice(at, at + PHRASE_WORDS)
      const isTelling = phrase.filter((word) => word.length > 2 && !STOP.has(word) && !/^\d+$/.test(word)).length >= 2
      if (isTelling && said.includes(` ${phrase.join(' ')} `)) return phrase.join(' ')
    }
  }
  return undefined
}

function inRow(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []
}

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}_]{3,}/gu) ?? []
  return [...new Set(words)].filter((word) => !STOP.has(word) && !/^\d+$/.test(word)).slice(0, WORDS_MAX)
}
