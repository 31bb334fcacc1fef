// Reads what the killed writers left and compares it with what was acknowledged.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { rawLogPath } from '../data/store.mjs'
import { captureOf, input, loadAddon, report } from './process.mjs'

const { captureMemory, recall } = loadAddon()
const options = { projectDir: input.dir }

// The next writer after a crash is part of the promise: it mends what a killed one left behind.
captureMemory(
  captureOf({ type: 'lesson', content: 'all writers have been killed, this one looks after them' }),
  options,
)

const captured = []
const duplicates = []
/** What a later capture took the place of is kept, and recall rightly leaves it out. */
const retired = new Set()
for (const path of input.acknowledged.filter((path) => existsSync(path))) {
  const whole = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  for (const [verdict, id, marker, type] of whole.map((line) => line.split(' '))) {
    if (verdict === 'captured') captured.push({ id, marker, type })
    else if (verdict === 'retired') retired.add(id)
    else duplicates.push(id)
  }
}

/** How often each id has a record in a file, and how many lines are no JSON. */
function readRecords(path) {
  const times = new Map()
  let torn = 0
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const record = parse(line)
    if (!record) torn++
    else if (!record._action) times.set(record.id, (times.get(record.id) ?? 0) + 1)
  }
  return { times, torn }
}

function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function countNotRecalled() {
  const isFound = ({ id, marker }) => recall(marker, options).hits.some((hit) => hit.id === id)
  return captured.filter((record) => !retired.has(record.id) && !isFound(record)).length
}

const raw = readRecords(rawLogPath(input.dir))
const byType = new Map()
for (const { type } of captured) {
  if (!byType.has(type)) byType.set(type, readRecords(join(input.dir, '.forge', `${type}s.jsonl`)))
}
const doubledIn = ({ times }) => [...times.values()].filter((count) => count > 1).length
const files = [raw, ...byType.values()]

const notRecalled = countNotRecalled()
rmSync(join(input.dir, '.forge', 'index'), { recursive: true, force: true })
report({
  acknowledged: captured.length,
  duplicates: duplicates.length,
  records: raw.times.size,
  lost: captured.filter(({ id }) => !raw.times.has(id)).length,
  notRecalled,
  notRecalledAfresh: countNotRecalled(),
  doubled: files.reduce((sum, file) => sum + doubledIn(file), 0),
  torn: files.reduce((sum, file) => sum + file.torn, 0),
  missingInType: captured.filter(({ id, type }) => !byType.get(type).times.has(id)).length,
  withoutOriginal: duplicates.filter((id) => !raw.times.has(id)).length,
})
