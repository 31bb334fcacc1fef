// A capture offers what colleagues stored about the same, behind the own records, and waits for the store no longer than a recall does.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import net from 'node:net'
import test, { after, before } from 'node:test'
import { runBeside } from './support/command.mjs'
import { configured } from './support/company.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { startPostgres } from './support/postgres.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const ANNA = { FORGE_CREATED_BY: 'anna@example.org' }
/** A command that an agent starts, whose answer has the offer. */
const AGENT = { CLAUDECODE: '1' }
const OLD = 'Auth tokens of the web shop live in Redis and expire after a day'
const NEW = 'Sessions and auth tokens of the web shop moved into Postgres, Redis is gone'

async function say(command, args, env) {
  const { status, stdout, stderr } = await runBeside(command, ['--json', ...args], env)
  assert.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

async function twoPeople(t) {
  const url = await server.database()
  // Only what hangs reaches it.
  const openbrain = { url, recallTimeoutMs: 60_000 }
  const [anna, ben] = [1, 2].map(() => configured(t, url, { openbrain }))
  for (const text of [OLD, 'The tile server for local work listens on 8090'])
    await say(anna, ['capture', '-t', 'decision', text], { ...ANNA, ...AGENT })
  await say(anna, ['drain'], ANNA)
  const id = (await say(anna, ['list'])).entries.find(({ text }) => text === OLD).id
  return { anna, ben, id }
}

test('the command names it with who and when, and replace answers it', async (t) => {
  const { anna, ben, id } = await twoPeople(t)
  const { stdout } = await runBeside(ben, ['capture', '-t', 'decision', NEW], AGENT)
  assert.match(
    stdout,
    new RegExp(`It may replace:\\n {2}${id.slice(-8)} anna@example\\.org, new — Auth tokens of the web shop`),
  )
  assert.doesNotMatch(stdout, /tile server/)
  const [own] = (await say(ben, ['list'])).entries
  const replaced = await say(ben, ['replace', id.slice(-8), '--by', own.id], AGENT)
  assert.deepEqual(
    replaced.retired.map((one) => one.id),
    [id],
  )
  await say(ben, ['drain'])
  assert.deepEqual(
    (await say(anna, ['search', 'auth tokens'])).thoughts.map((hit) => hit.id),
    [own.id],
  )
  // What is retired already is offered no more, and a script is neither asked nor kept waiting.
  const again = await say(ben, ['capture', '-t', 'decision', 'Auth tokens of the web shop expire after a week'], AGENT)
  assert.ok(!(again.team ?? []).some((one) => one.id === id))
  assert.equal(
    (await say(ben, ['capture', '-t', 'decision', 'Auth tokens of the web shop live for a month'])).team,
    undefined,
  )
})

test('the tools of agents have it among what a note may replace', async (t) => {
  const { ben, id } = await twoPeople(t)
  const { client } = await connectStdio(t, ben)
  const captured = await call(client, 'capture_thought', { content: NEW, type: 'decision' })
  assert.deepEqual(
    captured.related.map((one) => [one.id, one.author]),
    [[id, 'anna@example.org']],
  )
  assert.match(captured.text, /memory_replace[\s\S]*anna@example\.org, new/)
  const saved = await call(client, 'memory_save', { pattern: `${NEW} since May`, category: 'convention' })
  assert.ok(saved.related.some((one) => one.id === id))
})

test('a store that is silent delays a capture by what the settings say, and then no more', async (t) => {
  const silent = net.createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  let asked = 0
  silent.on('connection', () => (asked += 1))
  const url = `postgres://openbrain@127.0.0.1:${silent.address().port}/memory`
  const ben = configured(t, url, { openbrain: { url, recallTimeoutMs: 150 } })
  for (const text of [OLD, NEW]) {
    const { captured, team } = await say(ben, ['capture', '-t', 'decision', text], AGENT)
    assert.deepEqual([captured, team], [true, undefined])
  }
  const before = asked
  await say(ben, ['capture', '-t', 'decision', 'The ferry leaves at nine'], AGENT)
  assert.deepEqual([before > 0, asked], [true, before])
})
