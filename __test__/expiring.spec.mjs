// Nothing vanishes without a word: what expires is told in time, renewed in bulk or by use, and a search says when an expired record would answer.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, editMemory, listMemories, rateMemory, recall } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { connectStdio, refused } from './support/mcp.mjs'

const DAY_MS = 86_400_000

function aged(t) {
  const command = freshCommand(t)
  useHome(t, command.home)
  const options = { projectDir: command.project }
  const raw = join(command.project, '.forge/memory-captures.jsonl')
  /** Captures a text as if so many days ago. */
  const capture = (body, days, type = 'gotcha') => {
    const { id } = captureMemory({ type, body }, { ...options, author: 'person' })
    const lines = readFileSync(raw, 'utf8').trimEnd().split('\n')
    const made = Date.now() - days * DAY_MS
    const record = JSON.parse(lines.pop())
    const moved = {
      ...record,
      captured_at: new Date(made).toISOString(),
      expiresAt: new Date(made + 90 * DAY_MS).toISOString(),
    }
    writeFileSync(raw, `${[...lines, JSON.stringify(moved)].join('\n')}\n`)
    return id
  }
  const expiryOf = (id) => {
    const { entry } = json(command, ['show', id])
    return Math.round((Date.parse(entry.expiresAt) - Date.now()) / DAY_MS)
  }
  return { ...command, command, options, capture, expiryOf }
}

test('a search says that an expired record matches, and with it finds it', (t) => {
  const { run, command, capture } = aged(t)
  capture('The inspector listens on port 9229', 108)
  capture('The metrics server listens on port 9100', 1)
  const found = run(['find', 'inspector port'])
  assert.match(found.stdout, /1 expired record matches: --expired/)
  assert.equal(json(command, ['find', 'inspector port']).expired, 1)
  assert.match(run(['find', '--expired', 'inspector port']).stdout, /9229/)
  assert.doesNotMatch(run(['find', '--expired', 'inspector port']).stdout, /expired record/)
  assert.doesNotMatch(run(['find', 'metrics server']).stdout, /expired record/)
})

test('what expires soon is named with the command that renews it, which does so in bulk', (t) => {
  const { run, command, capture, expiryOf } = aged(t)
  const soon = [capture('The inspector listens on port 9229', 80), capture('Ask Beatriz about the printers', 85)]
  const late = capture('Feature flags are read at startup', 10)
  const today = run(['status', '--today']).stdout
  assert.match(today, /Expiring within 14 days: 2 \(forge-memory keep --expiring renews them\)/)
  assert.equal(json(command, ['status']).counts.expiring, 2)
  const first = run(['status']).stdout
  assert.match(first, /^To do:\n {2}2 memories to renew within 14 days: forge-memory keep --expiring\n\nproject/)
  assert.deepEqual(json(command, ['keep', '--expiring']).renewed.sort(), soon.sort())
  assert.match(run(['status']).stdout, /^Nothing to do\.\n/)
  assert.deepEqual([...soon, late].map(expiryOf), [90, 90, 80])
  assert.match(run(['status', '--today']).stdout, /Expiring within 14 days: nothing/)
  assert.match(run(['keep', '--expiring']).stdout, /Nothing expires within 14 days/)
  assert.match(run(['keep', '--expiring', soon[0]]).stderr, /INVALID_INPUT/)
  assert.equal(json(command, ['status']).counts.expiring, 0)
  assert.equal(listMemories(command.options ?? { projectDir: command.project }).total, 3, 'nothing is stored twice')
})

test('a record that was rated useful, captured again or edited is renewed by its lifetime', (t) => {
  const { capture, expiryOf, options, command, run } = aged(t)
  const [useful, again, edited, wrong] = [
    'The inspector listens on port 9229',
    'Ask Beatriz about the printers',
    'Feature flags are read at startup',
    'The map tiles are cached by the CDN',
  ].map((text) => capture(text, 80))
  rateMemory(useful, 'useful', { ...options, author: 'agent', session: 'mcp:one' })
  captureMemory({ type: 'gotcha', body: 'Ask Beatriz about the printers' }, options)
  const { id } = editMemory(edited, { tags: ['flags'] }, { ...options, author: 'person' })
  rateMemory(wrong, 'wrong', { ...options, author: 'agent', session: 'mcp:one' })
  assert.deepEqual([useful, again, id, wrong].map(expiryOf), [90, 90, 90, 10])
  // As another process reads it, and as the index has it.
  assert.equal(json(command, ['status', '--today']).expiring.length, 1)
  run(['doctor', '--fix', '--yes'])
  assert.equal(json(command, ['status', '--today']).expiring.length, 1)
})

test('an edit shortens no expiry that was given', (t) => {
  const { options, expiryOf } = aged(t)
  const at = new Date(Date.now() + 1000 * DAY_MS).toISOString()
  const { id } = captureMemory({ type: 'gotcha', body: 'The contract ends late', expiresAt: at }, options)
  assert.equal(expiryOf(editMemory(id, { tags: ['legal'] }, options).id), 1000)
})

test('a command and a tool refuse an expiry that has passed, with the name of the field; a program may store one', async (t) => {
  const { command, options, capture } = aged(t)
  const past = '2020-01-01T00:00:00.000Z'
  assert.match(
    command.run(['add', '-t', 'lesson', 'Over', '--expires-at', past]).stderr,
    /^error: expiresAt: .* has passed/,
  )
  const { client } = await connectStdio(t, command)
  assert.match(
    await refused(client, 'capture_thought', { content: 'Over', expires_at: past }),
    /expires_at: 2020-01-01T00:00:00.000Z has passed/,
  )
  assert.equal(listMemories(options).total, 0)
  const id = capture('The inspector listens on port 9229', 100)
  assert.equal(captureMemory({ type: 'lesson', body: 'Over', expiresAt: past }, options).captured, true)
  assert.deepEqual(recall('over', options).hits, [])
  // An undo brings back what has expired since.
  command.run(['edit', id, '--expires-at', new Date(Date.now() + DAY_MS).toISOString()])
  assert.equal(command.run(['undo']).status, 0)
  assert.ok(Date.parse(json(command, ['show', id]).entry.expiresAt) < Date.now())
})
