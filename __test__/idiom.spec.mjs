import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countForms } from '../scripts/idiom/forms.mjs'

const counted = (text, more = []) => countForms([{ path: 'a.rs', text }, ...more])

test('each form is counted where it stands, and not in comments', () => {
  const text = [
    'let step = |x| x + 1;',
    'let is_late = now > then;',
    '    true => 1,',
    'fn f((a, b): (u8, u8)) {}',
    '// nobody writes it; let step = |x| x',
    'let plain = "nobody";',
  ].join('\n')
  const places = counted(text)
  assert.deepEqual(Object.fromEntries(Object.entries(places).map(([name, found]) => [name, found])), {
    closures: ['a.rs:1'],
    'is-locals': ['a.rs:2'],
    'match-bool': ['a.rs:3'],
    'tuple-parameters': ['a.rs:4'],
    'vague-words': ['a.rs:5'],
    'same-name': [],
  })
})

test('unit tests at the end of a file are not counted', () => {
  assert.deepEqual(counted('fn f() {}\n#[cfg(test)]\nmod tests {\n  let step = |x| x;\n}').closures, [])
})

test('a name of two types is counted once, and one of a trait not', () => {
  const other = { path: 'b.rs', text: 'pub(crate) enum Found {}\nimpl Iterator for X {\n    type Item = u8;\n}' }
  assert.deepEqual(counted('struct Found;\n    type Item = u8;', [other])['same-name'], ['Found: a.rs:1 b.rs:1'])
})
