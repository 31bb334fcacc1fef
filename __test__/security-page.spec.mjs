import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { root } from './support/project.mjs'

const page = readFileSync(join(root, 'SECURITY.md'), 'utf8')
const ROW = /^\| (?<promise>[^|]+) \| `(?<file>[^`]+)`: (?<name>[^|]+) \|$/gm

test('every promise of the security page has a test that is there', () => {
  const rows = [...page.matchAll(ROW)].map(({ groups }) => groups)
  const lines = page.split('\n').filter((line) => /^\| (?!promise|what a setting|-)/.test(line))
  assert.ok(rows.length > 20 && rows.length === lines.length, 'every row names a file and a test')
  for (const { promise, file, name } of rows) {
    assert.ok(existsSync(join(root, file)), `${promise}: there is no ${file}`)
    const text = readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'")
    assert.ok(text.includes(name.trim()), `${promise}: ${file} has no test ${name}`)
  }
})
