// Every statement of the documents that this package began with has a test, and the page says which.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { documents, PAGE, page } from '../scripts/seeds.mjs'
import { root } from './support/project.mjs'

const rows = documents.flatMap((document) => document.rows)

test('the page is what the data says: node scripts/seeds.mjs writes it', () => {
  assert.equal(readFileSync(PAGE, 'utf8'), page())
})

test('every statement of the four documents has a row', () => {
  assert.deepEqual([documents.length, rows.length, new Set(rows.map(({ says }) => says)).size], [4, 87, 87])
})

test('every row names one test that runs', () => {
  for (const { file, test: title, says } of rows) {
    const source = readFileSync(join(root, file), 'utf8')
    const quoted = [`'${title.replaceAll("'", "\\'")}'`, JSON.stringify(title)]
    const found = quoted.flatMap((text) => source.split(`test(${text}`).slice(1))
    assert.equal(found.length, 1, `${says}: ${file}: ${title}`)
    assert.doesNotMatch(found[0].slice(0, 30), /^, \{ (skip|todo)/, title)
  }
})
