import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test from 'node:test'
import { createHub } from '../dist/hub/index.js'
import { captureMemory, publishEvents } from '../dist/index.js'
import { freshMemory, isWindows } from './support/memory.mjs'
import { childEnvironment, childProgram } from './support/processes.mjs'
import { readLines } from './support/project.mjs'
import { subscribe } from './support/subscriber.mjs'

const WRITERS = 4

/** Starts a process that publishes as fast as it can, and collects what it says to have published. */
function startPublisher(t, memory, writer, padding = 0) {
  const child = spawn(process.execPath, [childProgram('publisher'), memory.project, String(writer), String(padding)], {
    env: childEnvironment(memory),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const waiting = new Set()
  let text = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
    for (const look of waiting) look()
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = once(child, 'close')
  return {
    writer: String(writer),
    kill: async () => {
      child.kill('SIGKILL')
      const [, signal] = await ended
      assert.equal(signal, 'SIGKILL', stderr)
      return text.split('\n').slice(0, -1).map(Number)
    },
    /** Resolves when this many events were acknowledged. */
    published: (count) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (text.split('\n').length <= count) return
          waiting.delete(look)
          resolve()
        }
        ended.then(() => reject(new Error(`the publisher ended: ${stderr}`)), reject)
        waiting.add(look)
        look()
      }),
  }
}

/** Starts a process with a hub that tells every event it hears, one number and one text a line. */
async function startHub(t, memory) {
  const child = spawn(process.execPath, [childProgram('listener'), memory.project], {
    env: childEnvironment(memory),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const heard = []
  const waiting = new Set()
  createInterface({ input: child.stdout }).on('line', (line) => {
    heard.push(JSON.parse(line))
    for (const look of waiting) look()
  })
  const ended = once(child, 'close')
  const until = (enough) =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (!enough(heard)) return
        waiting.delete(look)
        resolve()
      }
      ended.then(() => reject(new Error('the hub ended')), reject)
      waiting.add(look)
      look()
    })
  await until(() => heard.some(({ type }) => type === 'ready'))
  return { child, heard, ended, until }
}

const eventFiles = (memory) => readdirSync(memory.forge()).filter((name) => /^hub-events(\.\d+)?\.jsonl$/.test(name))

test('events of four processes that are killed arrive once and in order, across rotations', async (t) => {
  const memory = freshMemory(t)
  writeFileSync(join(memory.project, '.forge.json'), '{"limits":{"eventsBytes":65536}}')
  const hub = await createHub({ port: 0, projectDir: memory.project })
  t.after(() => hub.close())
  const subscriber = await subscribe(t, hub)
  await subscriber.live()
  const acknowledged = new Map()
  for (const round of [0, 1]) {
    const publishers = Array.from({ length: WRITERS }, (_, at) => startPublisher(t, memory, round * WRITERS + at))
    await Promise.all(publishers.map((publisher) => publisher.published(150)))
    for (const publisher of publishers) acknowledged.set(publisher.writer, await publisher.kill())
  }
  publishEvents(['{"type":"end"}'], memory.options)
  await subscriber.first('end')
  const events = subscriber.events.filter(
    ({ seq, type }) => seq !== undefined && type !== 'connected' && type !== 'live',
  )
  assert.equal(subscriber.of('events-lost').length, 0)
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: events.length }, (_, at) => at + 1),
    'numbers rise by one',
  )
  for (const [writer, numbers] of acknowledged) {
    const seen = events.filter((event) => event.writer === writer).map(({ n }) => n)
    assert.ok(numbers.length >= 150 && numbers.every((n) => seen.includes(n)), `writer ${writer}`)
    assert.deepEqual(
      seen,
      [...new Set(seen)].sort((a, b) => a - b),
      `writer ${writer} in order`,
    )
  }
})

test('unread events are kept for a suspended hub, and not for a killed one', async (t) => {
  if (isWindows) return
  const memory = freshMemory(t)
  const limit = 16_384
  writeFileSync(join(memory.project, '.forge.json'), `{"limits":{"eventsBytes":${limit}}}`)
  publishEvents(['{"type":"begin"}'], memory.options)
  const [hub, killed] = await Promise.all([startHub(t, memory), startHub(t, memory)])
  for (const { child } of [hub, killed]) child.kill('SIGSTOP')
  // Many times as much as is kept for readers that are away: 64 files.
  const publishers = Array.from({ length: WRITERS }, (_, at) => startPublisher(t, memory, at, 3000))
  await Promise.all(publishers.map((publisher) => publisher.published(200)))
  const acknowledged = new Map()
  for (const publisher of publishers) acknowledged.set(publisher.writer, await publisher.kill())
  killed.child.kill('SIGKILL')
  await killed.ended
  hub.child.kill('SIGCONT')
  publishEvents(['{"type":"end"}'], memory.options)
  await hub.until((heard) => heard.some(({ type }) => type === 'end'))
  assert.deepEqual(
    hub.heard.filter(({ type }) => type === 'events-lost'),
    [],
  )
  const numbers = hub.heard.flatMap(({ seq }) => (seq === undefined ? [] : [seq]))
  assert.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, at) => numbers[0] + at),
    'numbers rise by one',
  )
  for (const [writer, published] of acknowledged) {
    const seen = new Set(hub.heard.filter((event) => event.writer === writer).map(({ n }) => n))
    assert.ok(published.length >= 200 && published.every((n) => seen.has(n)), `writer ${writer}`)
  }
  // Nobody is behind any more: the file has its usual size again, and old ones go.
  const text = 'x'.repeat(1000)
  for (let n = 0; n < 200; n += 1) publishEvents([JSON.stringify({ type: 'filler', text })], memory.options)
  await hub.until((heard) => heard.filter(({ type }) => type === 'filler').length === 200)
  for (let n = 0; n < 20; n += 1) publishEvents([JSON.stringify({ type: 'filler', text })], memory.options)
  assert.ok(statSync(memory.forge('hub-events.jsonl')).size < 2 * limit)
  assert.ok(eventFiles(memory).length <= 65)
})

test('an event is on disk when its broadcast returns: a process that ends with it loses nothing', async (t) => {
  const memory = freshMemory(t)
  for (const how of ['exit', 'kill']) {
    const child = spawn(process.execPath, [childProgram('broadcaster'), memory.project, how], {
      env: childEnvironment(memory),
      stdio: 'inherit',
    })
    await once(child, 'close')
  }
  const events = readLines(memory.forge('hub-events.jsonl'))
  assert.deepEqual(
    events.map(({ type, how, seq }) => [type, how, seq]),
    [
      ['run-completed', 'exit', 1],
      ['run-completed', 'kill', 2],
    ],
  )
})

test('events that a listener broadcasts are delivered, and the order is kept', async (t) => {
  const memory = freshMemory(t)
  const hub = await createHub({ port: 0, projectDir: memory.project })
  t.after(() => hub.close())
  const subscriber = await subscribe(t, hub)
  await subscriber.live()
  hub.on('question', ({ n }) => hub.broadcast({ type: 'answer', n }))
  for (let n = 0; n < 20; n += 1) hub.broadcast({ type: 'question', n })
  await subscriber.until((events) => events.filter(({ type }) => type === 'answer').length === 20)
  const numbers = subscriber.events.flatMap(({ type, seq }) => (type === 'question' || type === 'answer' ? [seq] : []))
  assert.deepEqual(
    numbers,
    Array.from({ length: 40 }, (_, at) => at + 1),
  )
})

test('a hub survives the deletion of the whole folder', async (t) => {
  if (isWindows) return
  const memory = freshMemory(t)
  captureMemory({ type: 'lesson', body: 'before' }, memory.options)
  const hub = await createHub({ port: 0, projectDir: memory.project })
  t.after(() => hub.close())
  const subscriber = await subscribe(t, hub, { query: { history: '0' } })
  await subscriber.live()
  rmSync(memory.forge(), { recursive: true })
  publishEvents(['{"type":"noted","n":1}'], memory.options)
  await subscriber.first('noted')
  captureMemory({ type: 'lesson', body: 'and after' }, memory.options)
  const { thought } = await subscriber.first('memory-captured')
  assert.equal(thought.content, 'and after')
})

test('a client that is disconnected repeatedly misses no event', async (t) => {
  const memory = freshMemory(t)
  const hub = await createHub({ port: 0, projectDir: memory.project })
  t.after(() => hub.close())
  const publisher = startPublisher(t, memory, 'x')
  const seen = []
  let since = 0
  for (let round = 0; round < 8; round += 1) {
    const subscriber = await subscribe(t, hub, { query: { since: String(since), handles: 'noted' } })
    await subscriber.live()
    const before = subscriber.events.length
    await subscriber.until((events) => events.length > before + 5)
    subscriber.ws.terminate()
    await subscriber.closed
    const events = subscriber.events.filter(({ type }) => type === 'noted')
    seen.push(...events.map(({ n }) => n))
    since = events.at(-1).seq
  }
  await publisher.kill()
  const expected = Array.from({ length: seen.at(-1) + 1 }, (_, n) => n).filter((n) => n % 10 !== 9)
  assert.deepEqual(seen, expected)
})
