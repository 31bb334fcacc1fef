// A stand-in of the older tool: it captures and drains as that one does, without locks, with its races, and knows nothing of ours.
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as rest } from 'node:timers/promises'
import { serve } from './child.mjs'

await serve(async ({ project, job, name, count, store, passes = 1, pauseMs = 0 }) => {
  const forge = join(project, '.forge')
  const at = (file) => join(forge, file)
  mkdirSync(join(forge, 'telemetry'), { recursive: true })
  const append = (file, record) => appendFileSync(at(file), `${JSON.stringify(record)}\n`)
  const read = (file) => (existsSync(at(file)) ? readFileSync(at(file), 'utf8') : '')

  const parsed = (line) => {
    try {
      return [JSON.parse(line)]
    } catch {
      return []
    }
  }

  const capture = (content) => {
    const now = new Date().toISOString()
    const recent = read('liveguard-memories.jsonl').split('\n').filter(Boolean).slice(-50)
    const deduped = recent.flatMap(parsed).some((thought) => thought.content === content)
    const thought = {
      _v: 1,
      content,
      project: 'shop',
      type: 'gotcha',
      source: 'forge_sweep',
      created_by: 'liveguard-auto',
      captured_at: now,
    }
    if (!deduped) {
      append('liveguard-memories.jsonl', thought)
      append('openbrain-queue.jsonl', {
        _v: 1,
        _status: 'pending',
        _attempts: 0,
        _enqueuedAt: now,
        _nextAttemptAt: now,
        ...thought,
      })
    }
    append('telemetry/memory-captures.jsonl', {
      _v: 1,
      timestamp: now,
      tool: thought.source,
      type: thought.type,
      source: thought.source,
      project: 'shop',
      contentLen: content.length,
      deduped,
    })
  }

  const drain = async () => {
    const now = new Date().toISOString()
    const records = read('openbrain-queue.jsonl').split('\n').filter(Boolean).flatMap(parsed)
    const open = records.filter(({ _status }) => _status !== 'delivered' && _status !== 'failed')
    const isDue = ({ _nextAttemptAt: due }) => due === undefined || Date.parse(due) <= Date.now()
    const batch = open.filter(isDue).slice(0, 50)
    const left = open.filter((record) => !batch.includes(record))
    for (const record of batch) {
      appendFileSync(store, `${JSON.stringify({ by: 'older', content: record.content, id: record.id })}\n`)
      await rest(1)
    }
    writeFileSync(at('openbrain-queue.jsonl.tmp'), left.map((record) => `${JSON.stringify(record)}\n`).join(''))
    renameSync(at('openbrain-queue.jsonl.tmp'), at('openbrain-queue.jsonl'))
    for (const record of batch)
      append('openbrain-queue.archive.jsonl', { ...record, _status: 'delivered', _deliveredAt: now })
    append('openbrain-stats.jsonl', {
      _v: 1,
      timestamp: now,
      source: 'cli-drain',
      attempted: batch.length,
      delivered: batch.length,
      deferred: left.length,
      dlq: 0,
      durationMs: 1,
    })
    return batch.length
  }

  if (job === 'capture') {
    for (let n = 0; n < count; n += 1) {
      capture(`${name}${n} one${name}${n} two${name}${n} three${name}${n}`)
      process.send({ [`captured-${n}`]: true })
      await rest(pauseMs)
    }
    return { captured: count }
  }
  let delivered = 0
  for (let pass = 0; pass < passes; pass += 1) {
    delivered += await drain()
    process.send({ [`pass-${pass}`]: true })
  }
  return { delivered }
})
