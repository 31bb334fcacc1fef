// The texts in Rust that people read: string literals outside of comments, attributes and tests.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const TESTS = /(^|\/)(tests?|benches|examples)(\/|\.rs$)|tests\.rs$/
/** The prefixes of attribute values: types for declarations, reasons for the compiler. */
const ATTRIBUTE = /\b(ts_\w+|reason|js_name|rename|doc|feature|with|tag) = $/
/** A comment, a string, a raw string, or a character: whatever comes first. A lifetime is none of them. */
const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"([\s\S]*?)"\1|b?"((?:[^"\\]|\\[\s\S])*)"|'(?:[^'\\\n]|\\(?:x..|u\{[^}]*\}|.))'/g

/** Calls `tell` with the file and the text of each, `{}` in the place of every value. */
export function textsOfRust(folder, tell) {
  const files = readdirSync(folder, { recursive: true }).map((path) => String(path).replaceAll('\\', '/'))
  for (const file of files.filter((path) => path.endsWith('.rs') && !TESTS.test(path)).sort()) {
    const code = withoutTests(readFileSync(join(folder, file), 'utf8'))
    for (const { 0: token, 2: raw, 3: plain, index } of code.matchAll(TOKEN)) {
      if (/^(\/[/*]|')/.test(token) || ATTRIBUTE.test(code.slice(Math.max(0, index - 24), index))) continue
      tell(file, (raw ?? unescaped(plain)).replace(/\{[^{}]*\}/g, '{}'))
    }
  }
}

/** The tests of a file stand at its end. */
function withoutTests(code) {
  return code.split(/^#\[cfg\(test\)\]\s*\n(?:#\[[^\n]*\n)*mod \w+ \{/m)[0]
}

function unescaped(text) {
  return text
    .replace(/\\\r?\n\s*/g, '')
    .replace(/\\n/g, '\n')
    .replace(/\\u\{([0-9a-f]+)\}/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replace(/\\(["'\\])/g, '$1')
}
