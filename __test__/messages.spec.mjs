import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { textsOfRust } from '../scripts/messages/rust-texts.mjs'
import { textsOfTypeScript } from '../scripts/messages/typescript-texts.mjs'
import { collectMessages, SNAPSHOT, writeDown } from '../scripts/messages.mjs'
import { freshFolder } from './support/project.mjs'

/** Ways to say things that are not idiomatic, each with what is said in its place. */
const UNIDIOMATIC = [
  [/\b(is|are) due\b(?! now)/, 'expected ...'],
  [/(?<!there )\b(is|are|names|speaks) no (?!longer\b)/i, 'is not a ...'],
  [/\bis none of\b/, 'is not one of'],
  [/\b(no|some|any|every)body\b|\bwhoever\b/, 'the thing, or who does it'],
  [
    /\bmend\b|\banew\b|\bgiven? up on\b|\bto be had\b|\bmeanwhile\b.*nothing was written/,
    'fix, again, dead letters, unavailable',
  ],
  [/\bthere (is|are) no such\b/, 'unknown ...'],
  [/\bpassed over\b|\bonce more\b|\bleads? nowhere\b/, 'skipped, again, a broken link'],
  [/\btakes? over\b|\b(take|takes|in) the place of\b/, 'imports, replaces'],
  [/\bgoes? by words\b|\bnot whole\b|\blimit of (time|memory|\{\})/, 'uses words only, incomplete, the {} limit'],
  [/\bholds? (a|an|no|nothing|what|half)\b|\bcannot say\b/, 'contains, cannot represent'],
]

const rooms = collectMessages()

test('the messages are as the snapshot has them: node scripts/messages.mjs writes it again', () => {
  assert.equal(writeDown(rooms), readFileSync(SNAPSHOT, 'utf8'))
})

test('messages to people are idiomatic and in one voice', () => {
  const found = [...rooms]
    .flatMap(([room, texts]) => [...texts].map((text) => [room, text]))
    .flatMap(([room, text]) =>
      UNIDIOMATIC.filter(([form]) => form.test(text)).map(([, better]) => `${room}: ${text} (${better})`),
    )
  assert.deepEqual(found, [])
})

test('the snapshot contains literals, templates, markup and macros, and no comments or tests', (t) => {
  const folder = freshFolder(t)
  mkdirSync(join(folder, 'tests'))
  writeFileSync(
    join(folder, 'a.tsx'),
    [
      "import { x } from './some place.js'",
      '// a comment that nobody reads',
      "const one = 'it is not ' + 'a number'",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a test
      'const two = `${one} is not a list`',
      "const page = <p class='note small' title='read it'>All is well</p>",
    ].join('\n'),
  )
  writeFileSync(
    join(folder, 'a.rs'),
    [
      '//! a comment that "nobody reads"',
      '#[error("{path} cannot be read: {0}")]',
      '#[expect(clippy::x, reason = "it is checked above")]',
      'let quote = \'"\'; let raw = r#"it says "no" here"#;',
      'let long = "it goes \\',
      '    on here";',
      '#[cfg(test)]',
      'mod tests {',
      '  let no = "a text of tests";',
      '}',
    ].join('\n'),
  )
  writeFileSync(join(folder, 'tests', 'b.rs'), 'let no = "a text of tests";')
  const texts = []
  textsOfTypeScript(folder, (_, text) => texts.push(text))
  textsOfRust(folder, (_, text) => texts.push(text))
  assert.deepEqual(texts, [
    'it is not a number',
    '{} is not a list',
    'read it',
    'All is well',
    '{} cannot be read: {}',
    'it says "no" here',
    'it goes on here',
  ])
})
