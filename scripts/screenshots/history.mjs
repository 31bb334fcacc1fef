// Writes the memory of a project as two months of work would leave it: the files that docs/reference/formats.md describes.
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { publishEvents, trustForeignRecords } from '../../index.js'
import { AREAS, REASONS, SOURCES, TEXTS } from './texts.mjs'

const DAY_MS = 86_400_000
const DAYS_KEPT = { gotcha: 90, decision: 180, lesson: 365 }
const SHARES = [
  ['lesson', 36],
  ['gotcha', 27],
  ['decision', 15],
  ['pattern', 13],
  ['convention', 9],
]

/** The same numbers at every run, so that two sets of pictures differ only where the page does. */
export function dice(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function weighted(roll, choices) {
  const total = choices.reduce((sum, [, weight]) => sum + weight, 0)
  let left = roll() * total
  for (const [choice, weight] of choices) {
    left -= weight
    if (left < 0) return choice
  }
  return choices[0][0]
}

const iso = (at) => new Date(at).toISOString()

function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

function stamped(thought, at) {
  const { _v, ...hashed } = thought
  const contentHash = `sha256:${createHash('sha256').update(canonical(hashed)).digest('hex')}`
  const hallmark = { schemaVersion: 'hallmark/v1', toolName: thought.source, capturedAt: iso(at), contentHash }
  return { ...thought, hallmark }
}

function idAt(roll, at) {
  const random = Array.from({ length: 20 }, () => Math.floor(roll() * 16).toString(16)).join('')
  return `mem_${Math.floor(at).toString(16).padStart(12, '0')}${random}`
}

function makeThought(roll, at, project, number, textOf) {
  const type = weighted(roll, SHARES)
  const halves = TEXTS[type]
  const [first, second] = halves[Math.floor(roll() * halves.length)]
  const area = AREAS[Math.floor(roll() * AREAS.length)]
  const days = DAYS_KEPT[type]
  const thought = {
    _v: 1,
    id: idAt(roll, at),
    content: textOf(`${first}: ${second}. Seen in ${area}, slice ${number}`, number),
    project,
    type,
    source: weighted(roll, SOURCES),
    created_by: 'forge-memory',
    captured_at: iso(at),
    ...(days ? { expiresAt: iso(at + days * DAY_MS) } : {}),
    tags: [area],
    confidence: [0.6, 0.7, 0.7, 0.8, 0.9, 0.95][Math.floor(roll() * 6)],
  }
  // A few records come from before there were stamps.
  return roll() < 0.04 ? thought : stamped(thought, at)
}

/** Moments of work: more on weekdays and by day, ending now. */
function moments(roll, count, days, now) {
  const found = []
  while (found.length < count) {
    const at = now - roll() ** 1.25 * days * DAY_MS
    const day = new Date(at).getUTCDay()
    const hour = new Date(at).getUTCHours()
    const isBusy = day > 0 && day < 6 && hour > 6 && hour < 20
    if (isBusy || roll() < 0.12) found.push(at)
  }
  return found.sort((a, b) => a - b)
}

function drainPasses(roll, days, now) {
  return Array.from({ length: 40 }, (_, at) => {
    const isBad = at > 21 && at < 26
    const attempted = 4 + Math.floor(roll() * 22)
    const deferred = isBad ? Math.floor(attempted * 0.7) : roll() < 0.2 ? 1 + Math.floor(roll() * 3) : 0
    const dlq = isBad && at === 25 ? 3 : 0
    const timestamp = iso(now - ((40 - at) * days * DAY_MS) / 41)
    const delivered = attempted - deferred - dlq
    const durationMs = Math.floor(120 + roll() * 400 + deferred * 90)
    return { _v: 1, timestamp, source: 'serve', attempted, delivered, deferred, dlq, durationMs }
  })
}

function queueFields(thought, attempts) {
  return {
    _v: 1,
    _status: 'pending',
    _attempts: attempts,
    _enqueuedAt: thought.captured_at,
    _nextAttemptAt: thought.captured_at,
  }
}

/** Somebody edits some of the stamped lines in the file itself. */
function changedByHand(thoughts, count) {
  let left = count
  return thoughts.map((thought) => {
    if (left === 0 || !thought.hallmark) return thought
    left -= 1
    return { ...thought, content: `${thought.content}, or so` }
  })
}

/** Writes `.forge/` of a project with this many captures over this many days. */
export function writeHistory(
  project,
  { count = 640, days = 58, now = Date.now(), seed = 7, letters = 3, changed = 0, textOf = (text) => text } = {},
) {
  const roll = dice(seed)
  const files = new Map()
  const append = (name, record) => files.set(name, [...(files.get(name) ?? []), JSON.stringify(record)])
  const fill = (name, records) =>
    files.set(
      name,
      records.map((record) => JSON.stringify(record)),
    )
  const thoughts = []
  const events = []
  const samples = []
  for (const at of moments(roll, count, days, now - 60_000)) {
    const known = thoughts.length > 20 && roll() < 0.14 ? thoughts[Math.floor(roll() * thoughts.length)] : undefined
    const thought = known ?? makeThought(roll, at, 'shop', thoughts.length + 1, textOf)
    if (!known) thoughts.push(thought)
    const { source, type, content } = thought
    const tool = source.split('/')[0]
    samples.push({
      _v: 1,
      timestamp: iso(at),
      tool,
      type,
      source,
      project: 'shop',
      contentLen: content.length,
      deduped: !!known,
    })
    const verdict = { captured: !known, deduped: !!known }
    events.push({
      version: '1.0',
      timestamp: iso(at),
      type: 'memory-captured',
      seq: events.length + 1,
      ...verdict,
      thought,
    })
  }
  fill('memory-captures.jsonl', changedByHand(thoughts, changed))
  for (const type of Object.keys(TEXTS))
    fill(
      `${type}s.jsonl`,
      thoughts.filter((thought) => thought.type === type),
    )
  fill('telemetry/memory-captures.jsonl', samples)
  fill('openbrain-stats.jsonl', drainPasses(roll, days, now))
  fill(
    'openbrain-queue.jsonl',
    thoughts.slice(-9).map((thought) => ({ ...queueFields(thought, 0), ...thought })),
  )
  for (const [at, thought] of thoughts.slice(-9 - letters, -9).entries()) {
    const ended = { _failedAt: iso(now - at * 3_600_000), _reason: REASONS[at % REASONS.length] }
    append('openbrain-dlq.jsonl', { ...queueFields(thought, 5), _status: 'failed', ...ended, ...thought })
  }
  writeFileSync(join(project, '.forge.json'), `${JSON.stringify({ projectName: 'shop' }, null, 2)}\n`)
  for (const [name, lines] of files) {
    const path = join(project, '.forge', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, lines.map((line) => `${line}\n`).join(''))
  }
  // The engine believes no queue and no event file that it did not write.
  trustForeignRecords({ projectDir: project })
  publishEvents(
    events.map((event) => JSON.stringify(event)),
    { projectDir: project },
  )
  return { thoughts }
}

/** Appends to the journal of notes, as the program of hooks does. */
export function recordMoments(project, entries) {
  const name = createHash('sha256').update(project).digest('hex').slice(0, 32)
  const folder = join(process.env.FORGE_HOME, 'moments')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')
  appendFileSync(join(folder, `${name}.jsonl`), lines, { mode: 0o600 })
}
