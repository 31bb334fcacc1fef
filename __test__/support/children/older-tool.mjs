// A stand-in of the older tool: it captures and drains as that one does, file by file and step by step, without locks, with its races, and
// knows nothing of ours.

import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { Client, SSEClientTransport } from '@modelcontextprotocol/client'
import { serve } from './child.mjs'

const DAY_MS = 86_400_000
const LIFETIMES = { lesson: 365, decision: 180, gotcha: 90 }
const ATTEMPTS_MAX = 5
const BATCH_MAX = 50

const bagOf = (text) => {
  const bag = new Map()
  const words = typeof text === 'string' ? (text.toLowerCase().match(/[a-z0-9_]+/g) ?? []) : []
  for (const word of words) bag.set(word, (bag.get(word) ?? 0) + 1)
  return bag
}

const cosine = (a, b) => {
  const squares = (bag) => [...bag.values()].reduce((sum, count) => sum + count * count, 0)
  const dot = [...a].reduce((sum, [word, count]) => sum + count * (b.get(word) ?? 0), 0)
  return a.size === 0 || b.size === 0 ? 0 : dot / Math.sqrt(squares(a) * squares(b))
}

const parsed = (line) => {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

await serve(async (order) => {
  const { project, job, name, count, contents, store, passes = 1, pauseMs = 0, isDown = false, reader, hold } = order
  const forge = join(project, '.forge')
  const at = (file) => join(forge, file)
  mkdirSync(join(forge, 'telemetry'), { recursive: true })
  const append = (file, record) => appendFileSync(at(file), `${JSON.stringify(record)}\n`)
  const textOf = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')
  const linesOf = (file) => textOf(at(file)).split('\n').filter(Boolean)

  const projectName = () => parsed(textOf(join(project, '.forge.json')))[0]?.projectName ?? 'plan-forge'
  const isConfigured = () =>
    ['.vscode/mcp.json', '.claude/mcp.json'].some((path) => /openbrain|open-brain/.test(textOf(join(project, path))))

  const capture = (content, type = 'gotcha', source = 'forge_sweep') => {
    const now = new Date()
    const thought = { _v: 1, content, project: projectName(), type, source, created_by: 'liveguard-auto' }
    thought.captured_at = now.toISOString()
    if (LIFETIMES[type]) thought.expiresAt = new Date(now.getTime() + LIFETIMES[type] * DAY_MS).toISOString()
    const recent = linesOf('liveguard-memories.jsonl').slice(-50).flatMap(parsed)
    const deduped = recent.some((known) => cosine(bagOf(known.content), bagOf(content)) >= 0.9)
    if (!deduped) {
      append('liveguard-memories.jsonl', thought)
      const book = { _v: 1, _status: 'pending', _attempts: 0 }
      const times = { _enqueuedAt: now.toISOString(), _nextAttemptAt: now.toISOString() }
      if (isConfigured()) append('openbrain-queue.jsonl', { ...book, ...times, ...thought })
    }
    append('telemetry/memory-captures.jsonl', {
      _v: 1,
      timestamp: now.toISOString(),
      tool: source,
      type,
      source,
      project: thought.project,
      contentLen: content.length,
      deduped,
    })
  }

  /** What its client would send; nothing for an order to delete and for what has no text. */
  const sent = (record) => {
    if (record._action === 'delete' || typeof record.content !== 'string' || record.content.trim() === '') return null
    const { content, project: of, source, created_by, ...more } = record
    const metadata = Object.fromEntries(Object.entries(more).filter(([field]) => !field.startsWith('_')))
    return { content: content.trim(), project: of, source, created_by, metadata }
  }

  /** Its client, when the store is a server and not a file. */
  let client
  const deliver = async (record) => {
    if (isDown) return { ok: false, error: 'HTTP_503' }
    const call = sent(record)
    if (call !== null && client) await client.callTool({ name: 'capture_thought', arguments: call })
    else if (call !== null) appendFileSync(store, `${JSON.stringify({ by: 'older', id: record.id, ...call })}\n`)
    await rest(1)
    return { ok: true }
  }

  const queueOf = () => {
    const lines = linesOf('openbrain-queue.jsonl')
    const records = lines.flatMap(parsed)
    // Its strict reader takes a file with one bad line for an empty one.
    return reader === 'strict' && records.length < lines.length ? [] : records
  }

  const drain = async () => {
    const started = Date.now()
    const now = new Date(started).toISOString()
    const records = queueOf()
    if (hold) {
      process.send({ read: true })
      await once(process, 'message')
    }
    if (reader === 'strict' && records.length === 0) return 0
    const open = records.filter((one) => one !== null && one._status !== 'delivered' && one._status !== 'failed')
    const isDue = ({ _nextAttemptAt: due }) => due === undefined || Date.parse(due) <= started
    const batch = open.filter(isDue).slice(0, BATCH_MAX)
    const left = open.filter((record) => !batch.includes(record))
    const [archive, letters] = [[], []]
    for (const record of batch) {
      const { ok, error } = await deliver(record)
      const attempts = record._attempts + 1
      if (ok) archive.push({ ...record, _status: 'delivered', _deliveredAt: now })
      else if (attempts >= ATTEMPTS_MAX)
        letters.push({ ...record, _attempts: attempts, _lastError: error, _status: 'failed', _failedAt: now })
      else {
        const wait = 30_000 * 2 ** (attempts - 1) * (0.8 + Math.random() * 0.4)
        const due = new Date(started + wait).toISOString()
        left.push({ ...record, _attempts: attempts, _lastError: error, _nextAttemptAt: due })
      }
    }
    writeFileSync(at('openbrain-queue.jsonl.tmp'), left.map((record) => `${JSON.stringify(record)}\n`).join(''))
    renameSync(at('openbrain-queue.jsonl.tmp'), at('openbrain-queue.jsonl'))
    for (const record of archive) append('openbrain-queue.archive.jsonl', record)
    for (const record of letters) append('openbrain-dlq.jsonl', record)
    append('openbrain-stats.jsonl', {
      _v: 1,
      timestamp: now,
      source: 'cli-drain',
      attempted: batch.length,
      delivered: archive.length,
      deferred: left.length,
      dlq: letters.length,
      durationMs: Date.now() - started,
    })
    return archive.length
  }

  if (job === 'capture') {
    const all =
      contents ?? Array.from({ length: count }, (_, n) => `${name}${n} one${name}${n} two${name}${n} three${name}${n}`)
    for (const [n, content] of all.entries()) {
      capture(content)
      process.send({ [`captured-${n}`]: true })
      await rest(pauseMs)
    }
    return { captured: all.length }
  }
  let delivered = 0
  if (URL.canParse(store)) {
    client = new Client({ name: 'older-tool', version: '1.0.0' })
    await client.connect(new SSEClientTransport(new URL(store)))
  }
  for (let pass = 0; pass < passes; pass += 1) {
    delivered += await drain()
    process.send({ [`pass-${pass}`]: true })
  }
  await client?.close()
  return { delivered }
})
