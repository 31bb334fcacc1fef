// Compares what two versions acknowledged with what is in the files, what each of them recalls, and what arrived at the store.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ASKER = fileURLToPath(new URL('asker.mjs', import.meta.url))

function readLines(path) {
  if (!existsSync(path)) return { records: [], torn: 0, actions: [] }
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean).map(parse)
  const whole = lines.filter(Boolean)
  return {
    torn: lines.length - whole.length,
    records: whole.filter(({ _action }) => _action === undefined),
    actions: whole.filter(({ _action }) => _action !== undefined),
  }
}

function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** How many keys more than one record has. */
function countDoubled(records, keyOf) {
  const keys = records.map(keyOf)
  return keys.length - new Set(keys).size
}

/** What a fresh process of a version finds of these records. */
function ask({ library }, place, environment, questions) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [ASKER, library, place.project], {
    env: environment,
    input: JSON.stringify(questions),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) throw new Error(`the check failed: ${stderr}`)
  return JSON.parse(stdout)
}

const idOf = ({ id }) => id

export async function inspect({ versions, place, environment, acknowledged, brain }) {
  const [older, newer] = versions
  const forge = (name) => join(place.project, '.forge', name)
  const all = acknowledged.flat()
  const gone = new Set(all.filter(({ kind }) => kind === 'forgotten').map(idOf))
  const going = new Set(all.filter(({ kind }) => kind === 'forgetting').map(idOf))
  const captured = all.filter(({ retired, id }) => retired !== undefined && !going.has(id))
  const retired = new Set(captured.flatMap((one) => one.retired))

  const questions = captured.filter(({ kind, id }) => kind !== 'fact' && !retired.has(id))
  const found = versions.map((version) => ask(version, place, environment, { questions, gone: [...gone] }))
  await drainAll(newer, place, environment)

  // A fact may have an earlier value again, which is another record.
  const facts = new Set(all.filter(({ kind }) => kind === 'fact').map(({ body }) => body))
  const isOnce = ({ content }) => !facts.has(content)
  const raw = readLines(forge('memory-captures.jsonl'))
  const ids = new Set(raw.records.map(idOf))
  const byType = new Set(readLines(forge('lessons.jsonl')).records.map(idOf))
  const delivered = brain.rows
    .filter(isOnce)
    .map(({ content, metadata }) => `${metadata?.forgeId ?? metadata?.id ?? ''} ${content}`)
  const waiting = readdirSync(join(place.project, '.forge'))
    .filter((name) => name.startsWith('openbrain-') && /queue\.jsonl$|dlq\.jsonl$|accepting/.test(name))
    .flatMap((name) => readLines(forge(name)).records)
  const texts = new Set([...brain.rows, ...waiting].map(({ content }) => content))
  const kept = new Set(raw.actions.filter(({ _action }) => _action === 'retire').map(idOf))

  const row = (what, count, note) => ({ what, count, must: 0, note })
  return [
    {
      what: 'records',
      count: raw.records.length,
      note: acknowledged.map((one, at) => `${one.length} calls of the ${versions[at].name} version`).join(', '),
    },
    row('acknowledged records that are lost', captured.filter(({ id }) => !ids.has(id)).length),
    row('records that are doubled, by id', countDoubled(raw.records, idOf)),
    row(
      'texts that are stored twice',
      countDoubled(raw.records.filter(isOnce), ({ content }) => content),
    ),
    row('torn lines', raw.torn),
    row('records missing in the file of their type', captured.filter(({ id }) => !byType.has(id)).length),
    row(
      'decisions about outdated records that are lost',
      [...retired].filter((id) => ids.has(id) && !kept.has(id)).length,
      `${retired.size} of them`,
    ),
    ...[older, newer].flatMap(({ name }, at) => [
      row(`records that the ${name} version does not recall`, found[at].missing),
      row(`forgotten records that the ${name} version recalls`, found[at].returned, `${gone.size} forgotten`),
    ]),
    row(
      'records that were neither delivered nor are waiting',
      questions.filter(({ body }) => !texts.has(body)).length,
      `${brain.rows.length} delivered, ${waiting.length} waiting`,
    ),
    row(
      'records that the store has twice',
      countDoubled(delivered, (key) => key),
    ),
  ]
}

/** Delivers what is left, with the newer version; its user approves what the older one queued without a mark. */
async function drainAll({ command }, place, environment) {
  const args = [command, 'drain', '--trust', '--json', '--project', place.project]
  for (let pass = 0; pass < 5; pass++) {
    // Not synchronously: the store is a server in this process.
    const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'] })
    const [status] = await once(child, 'close')
    if (status === 0) return
  }
}
