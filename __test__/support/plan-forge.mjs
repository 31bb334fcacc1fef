// Projects as the older tool leaves them: its files are written here by hand, byte for byte as it does.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { freshMemory } from './memory.mjs'

/** Makes an empty project, and ways to write and read its files. */
export function freshProject(t) {
  const memory = freshMemory(t)
  const at = (...path) => join(memory.project, ...path)
  const write = (path, text) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), typeof text === 'string' ? text : `${JSON.stringify(text)}\n`)
  }
  const append = (path, ...records) => {
    mkdirSync(dirname(at(path)), { recursive: true })
    for (const record of records) appendFileSync(at(path), `${JSON.stringify(record)}\n`)
  }
  const lines = (path) =>
    existsSync(at(path))
      ? readFileSync(at(path), 'utf8')
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line))
      : []
  const text = (path) => readFileSync(at(path), 'utf8')
  return { ...memory, cwd: memory.project, at, write, append, lines, text, has: (path) => existsSync(at(path)) }
}

/** A thought as the older tool captures it. */
export function olderThought(content, fields = {}) {
  return {
    _v: 1,
    content,
    project: 'shop',
    type: 'gotcha',
    source: 'forge_sweep',
    created_by: 'liveguard-auto',
    captured_at: new Date().toISOString(),
    ...fields,
  }
}

/** A record of the queue as the older tool writes it. */
export function olderRecord(content, fields = {}) {
  const now = new Date(Date.now() - 1000).toISOString()
  const book = { _v: 1, _status: 'pending', _attempts: 0, _enqueuedAt: now, _nextAttemptAt: now }
  return { ...book, ...olderThought(content), ...fields }
}

export const QUEUE = '.forge/openbrain-queue.jsonl'
export const ARCHIVE = '.forge/openbrain-queue.archive.jsonl'
export const DEAD_LETTERS = '.forge/openbrain-dlq.jsonl'
export const OLDER_LOG = '.forge/liveguard-memories.jsonl'
export const CAPTURES = '.forge/memory-captures.jsonl'

/** Runs `work` and returns what it has warned of on the console. */
export async function warnings(work) {
  const before = console.warn
  const said = []
  console.warn = (...words) => said.push(words.join(' '))
  try {
    await work()
  } finally {
    console.warn = before
  }
  return said
}
