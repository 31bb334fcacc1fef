// What colleagues stored is asked for by itself: a recall of the own memory has it behind the own records, within a moment or not at all.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { runBeside } from './support/command.mjs'
import { configured, foundCompany } from './support/company.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { execute, freePort, startPostgres } from './support/postgres.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'
import { openWire } from './support/wire.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

async function say(command, args, env) {
  const { status, stdout, stderr } = await runBeside(command, ['--json', ...args], env)
  assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
  return { ...JSON.parse(stdout), stderr }
}

const ANNA = { FORGE_CREATED_BY: 'anna@example.org' }
const capture = async (command, text, env) => (await say(command, ['capture', '-t', 'gotcha', text], env)).thought.id
const recall = (command, words, env) => say(command, ['recall', words], env)

/** Only what hangs reaches it; on a busy machine an answer may take seconds. */
const PATIENT = 60_000

/** Anna has stored something, and Ben has a record of his own. */
async function twoPeople(t) {
  const url = await server.database()
  const openbrain = { url, recallTimeoutMs: PATIENT }
  const [anna, ben] = [configured(t, url, { openbrain }), configured(t, url, { openbrain })]
  const theirs = await capture(anna, 'The payment gateway refuses cards without a postcode', ANNA)
  assert.equal((await say(anna, ['drain'], ANNA)).state, 'done')
  const own = await capture(ben, 'The payment gateway has a sandbox for cards')
  return { url, anna, ben, theirs, own }
}

test('a recall has the own records first, then those of the team with author and age', async (t) => {
  const { anna, ben, theirs, own } = await twoPeople(t)
  const answer = await recall(ben, 'payment gateway cards')
  assert.deepEqual(
    answer.hits.map(({ id }) => id),
    [own],
  )
  assert.deepEqual(
    answer.team.map(({ id, createdBy }) => [id, createdBy]),
    [[theirs, 'anna@example.org']],
  )
  const page = await runBeside(ben, ['recall', 'payment gateway cards'])
  assert.match(
    page.stdout,
    /sandbox for cards[\s\S]*From the team:\n\n {3}The payment gateway refuses.*\n {3}gotcha {2}anna@example\.org {2}/,
  )
  // Who has it in the own files is not told again.
  assert.equal((await recall(anna, 'payment gateway cards')).team, undefined)
})

test('memory_recall has them too, of all projects when it is asked for, and none when it is not wanted', async (t) => {
  const { url, ben, theirs, own } = await twoPeople(t)
  const other = configured(t, url, { projectName: 'bank' })
  const elsewhere = await capture(other, 'The payment gateway of the bank wants two signatures', ANNA)
  await say(other, ['drain'], ANNA)
  const { client } = await connectStdio(t, ben)
  const asked = (more) => call(client, 'memory_recall', { query: 'payment gateway cards', ...more })
  const usual = await asked({})
  assert.deepEqual(
    usual.notes.map(({ id }) => id),
    [own],
  )
  const [hit] = usual.team
  assert.deepEqual([hit.id, hit.author], [theirs, 'anna@example.org'])
  assert.match(usual.text, /From the team:\n.*\[gotcha\] The payment gateway refuses cards.*anna@example\.org/)
  const all = await asked({ shared: true })
  assert.deepEqual(all.team.map(({ id }) => id).sort(), [theirs, elsewhere].sort())
  assert.equal((await asked({ shared: false })).team, undefined)
})

test('a setting turns it off, of the project or of the user', async (t) => {
  const { ben } = await twoPeople(t)
  const settings = JSON.parse(readFileSync(join(ben.project, '.forge.json'), 'utf8'))
  writeFileSync(
    join(ben.project, '.forge.json'),
    JSON.stringify({ ...settings, openbrain: { ...settings.openbrain, recall: false } }),
  )
  const off = await recall(ben, 'payment gateway cards')
  assert.deepEqual([off.team, off.hits.length, off.stderr], [undefined, 1, ''])
  writeFileSync(join(ben.project, '.forge.json'), JSON.stringify(settings))
  writeFileSync(join(ben.home, 'config.json'), JSON.stringify({ openbrain: { recall: false } }), { mode: 0o600 })
  assert.equal((await recall(ben, 'payment gateway cards')).team, undefined)
})

test('what a team said last is shown with its age while the store is away', async (t) => {
  const { url, ben } = await twoPeople(t)
  // A delivery keeps it, so that no find has it made anew beside this.
  await runBeside(ben, ['drain'])
  const live = await recall(ben, 'payment gateway cards')
  assert.ok(live.team.length > 0, live.stderr)
  const gone = url.replace(/:\d+\//, `:${await freePort()}/`)
  const path = join(ben.project, '.forge.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  const replicas = join(ben.home, 'replicas')
  const [folder] = readdirSync(replicas)
  const state = join(replicas, folder, 'replica.json')
  const known = JSON.parse(readFileSync(state, 'utf8'))
  writeFileSync(path, JSON.stringify({ ...settings, openbrain: { ...settings.openbrain, url: gone } }))
  approveStores(ben.project, ben.home)
  const other = await recall(ben, 'payment gateway cards')
  assert.equal(other.team, undefined, 'it is a replica of another store')
  const store = createHash('sha256').update(gone).digest('hex').slice(0, 32)
  writeFileSync(state, JSON.stringify({ ...known, store, at: known.at - 3 * 24 * 3600_000 }), { mode: 0o600 })
  const away = await recall(ben, 'payment gateway cards')
  assert.deepEqual(
    away.team?.map(({ id }) => id),
    live.team.map(({ id }) => id),
    away.stderr,
  )
  assert.match(away.stderr, /without the shared store: .*; shown is what it said 3d ago; find --shared waits for it/)
})

/** True once what the store said last is kept. */
function hasReplica({ home }) {
  const folder = join(home, 'replicas')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.some((name) => existsSync(join(folder, name, '.forge', 'memory-captures.jsonl')))
}

test('a find has what the store said kept by a process for which nobody waits, so that the next one has it without the store', async (t) => {
  const { url, anna, theirs } = await twoPeople(t)
  const wire = await openWire(t, new URL(url).port)
  const ben = configured(t, url.replace(/:\d+\//, `:${wire.port}/`))
  // A first answer may come too late, and then as well.
  await recall(ben, 'payment gateway cards')
  await until(() => hasReplica(ben), 'it was kept')
  wire.close()
  const away = await recall(ben, 'payment gateway cards')
  assert.deepEqual(
    away.team.map(({ id }) => id),
    [theirs],
  )
  assert.match(away.stderr, /without the shared store: .*; shown is what it said within the last hour;/)
  assert.equal(hasReplica(anna), true, 'a delivery keeps it')
})

test('whom the store refuses, a find shows nothing of what it said before', async (t) => {
  const { url: owners, addresses, command } = await foundCompany(t, server, { roles: [['ben', 'forge_reader']] })
  await capture(command, 'The payment gateway refuses cards without a postcode', ANNA)
  assert.equal((await say(command, ['drain'], ANNA)).state, 'done')
  const [url] = addresses
  const ben = configured(t, url, { openbrain: { url, recallTimeoutMs: PATIENT } })
  assert.equal((await recall(ben, 'payment gateway cards')).team?.length, 1)
  await until(() => hasReplica(ben), 'it was kept')
  await execute(owners, `alter role ${new URL(url).username} nologin`)
  for (let times = 0; times < 2; times++) {
    const refused = await recall(ben, 'payment gateway cards')
    assert.equal(refused.team, undefined)
    assert.match(refused.stderr, /without the shared store: /)
  }
})

test('a find with a store opens few files more than one without, and makes no object of the web', async (t) => {
  const { ben } = await twoPeople(t)
  const alone = configured(t, 'file')
  const opened = join(ben.home, 'opened.cjs')
  const [own, web] = [
    'Object.keys(require.cache).length',
    "process.moduleLoadList.some((name) => name.includes('undici'))",
  ]
  writeFileSync(opened, `process.on('exit', () => console.error('opened', JSON.stringify([${own}, ${web}])))`)
  const count = async (command) => {
    const { stderr } = await recall(command, 'payment gateway cards', { NODE_OPTIONS: `--require=${opened}` })
    return JSON.parse(/opened (.*)/.exec(stderr)[1])
  }
  const [[withStore, hasWeb], [without]] = [await count(ben), await count(alone)]
  // The client of all stores, the driver of this kind, and what the bundler puts before each.
  assert.ok(withStore - without <= 5 && withStore <= 20, `${withStore} files, ${without} without a store`)
  assert.equal(hasWeb, false)
})

test('a store that is away, silent or not approved: the own records, and each time how to wait for it', async (t) => {
  const silent = net.createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => silent.close())
  for (const [port, why] of [
    [await freePort(), /without the shared store: .*(cannot be reached|did not answer)/],
    [silent.address().port, /without the shared store: .*did not answer/],
  ]) {
    const ben = configured(t, `postgres://openbrain@127.0.0.1:${port}/memory`)
    const own = await capture(ben, 'The payment gateway has a sandbox for cards')
    const said = []
    for (let times = 0; times < 3; times++) {
      const answer = await recall(ben, 'payment gateway cards')
      assert.deepEqual([answer.hits.map(({ id }) => id), answer.team], [[own], undefined])
      said.push(answer.stderr)
    }
    assert.match(said[0], why)
    for (const line of said) assert.match(line, /without the shared store: .*; find --shared waits for it/)
  }
  const { url, ben } = await twoPeople(t)
  const stranger = configured(t, url)
  // An address that nobody approved is asked nothing.
  writeFileSync(
    join(stranger.project, '.forge.json'),
    JSON.stringify({ projectName: 'shop', openbrain: { url: `${url}_2` } }),
  )
  const answer = await recall(stranger, 'payment gateway cards')
  assert.deepEqual([answer.team, answer.stderr], [undefined, ''])
  approveStores(ben.project, ben.home)
})
