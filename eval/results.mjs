// The stored figures, `eval/results.json`, and their place in docs/reference/retrieval.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { narrow, putBetween } from './page.mjs'
import { SET_NAMES } from './sets/index.mjs'
import { pageOf } from './table.mjs'
import { WAYS } from './ways/index.mjs'

const RESULTS = fileURLToPath(new URL('results.json', import.meta.url))
const PAGE = fileURLToPath(new URL('../docs/reference/retrieval.md', import.meta.url))
const BEGIN = '<!-- figures: npm run eval -- --write-docs -->'
const END = '<!-- end of figures -->'

export function readResults() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : []
}

/** Puts new figures in the place of those of the same set and way; the others stay. No single question is stored. */
export function mergeResults(stored, fresh) {
  const merged = new Map(stored.map((result) => [result.name, result]))
  for (const { name, title, rows } of fresh) {
    const kept = (merged.get(name)?.rows ?? []).filter(({ way }) => !rows.some((row) => row.way === way))
    const all = [...kept, ...rows.map(({ details, ...row }) => rounded(row))]
    all.sort((a, b) => Object.keys(WAYS).indexOf(a.way) - Object.keys(WAYS).indexOf(b.way))
    merged.set(name, { name, title, rows: all })
  }
  return [...merged.values()].sort((a, b) => SET_NAMES.indexOf(a.name) - SET_NAMES.indexOf(b.name))
}

export function writeResults(results) {
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 1)}\n`)
  writeFileSync(PAGE, withFigures(readFileSync(PAGE, 'utf8'), results))
}

/** Returns the page with the figures between its two marks. */
export const withFigures = (page, results) => putBetween(page, [BEGIN, END], pageOf(results, narrow))

export const figuresOn = (page) => page.slice(page.indexOf(BEGIN) + BEGIN.length, page.indexOf(END)).trim()

/** Four digits: more are not significant, and would differ between processors. */
function rounded(value) {
  if (typeof value === 'number') return Math.round(value * 10_000) / 10_000
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rounded(each)]))
}
