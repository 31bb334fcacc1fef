// Captures and saves until the disk is full, then frees space and continues. Reports the result of every call.
import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { buildCaptureTelemetry, captureMemory, memorySave, recall } from '../../../index.js'
import { sentenceOf, wordOf } from '../memory.mjs'

const { project, from, count, hasBalloon } = JSON.parse(process.argv[2])
const options = { projectDir: project }
const balloon = join(project, 'balloon')
writeFileSync(join(project, '.forge.json'), '{"limits":{"telemetryBytes":4096}}')

/** Takes all the room that is left, to the last byte. */
function inflate() {
  const file = openSync(balloon, 'a')
  for (let bytes = 1 << 16; bytes >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(bytes)) < bytes) throw new Error('short write')
    } catch {
      bytes >>= 1
    }
  }
  closeSync(file)
}

/** Makes one call of each kind; what it answered, or the code of its error. */
function write(number) {
  const { id, captured, deduped, tiers } = captureMemory(
    { type: 'lesson', body: sentenceOf(number), tool: 'forge_sweep' },
    options,
  )
  const capture = { number, id, captured, deduped, tiers: Object.values(tiers).map(({ ok }) => ok) }
  try {
    const { status, message } = memorySave({ pattern: sentenceOf(number), category: 'convention' }, options)
    return { ...capture, status, message }
  } catch (error) {
    return { ...capture, status: error.code, message: error.message }
  }
}

const read = (name) =>
  existsSync(join(project, '.forge', name)) ? readFileSync(join(project, '.forge', name), 'utf8') : ''
const NAMES = ['memory-captures.jsonl', 'memory/project.jsonl', 'lessons.jsonl', 'openbrain-queue.jsonl']

const steps = []
for (let number = from; number < from + count; number++) {
  if (hasBalloon && number === from + 10) inflate()
  if (hasBalloon && number === from + 35) rmSync(balloon)
  const before = NAMES.map(read)
  const step = write(number)
  const after = NAMES.map(read)
  // Whatever the answer was, what was there is there.
  const { total } = buildCaptureTelemetry(options)
  steps.push({ ...step, total, isKept: NAMES.every((_, at) => after[at].startsWith(before[at])) })
}
const numbers = steps.map(({ number }) => number)
const found = numbers.map((number) =>
  recall(`${wordOf(number)}aw`, options)
    .hits.map(({ type }) => type)
    .sort()
    .join(),
)
console.log(JSON.stringify({ steps, found, files: Object.fromEntries(NAMES.map((name) => [name, read(name)])) }))
