// Tables of another version than that of this release are refused with one line. Those of the version before are migrated once, by their owner.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test, { after, before } from 'node:test'
import { freshCommand, runBeside } from './support/command.mjs'
import { configured, roleIn } from './support/company.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, deleting, kinds, ruling, storing, thought } from './support/thoughts.mjs'

const { steps, additions } = JSON.parse(readFileSync(new URL('./data/postgres-tables-4.json', import.meta.url), 'utf8'))
const OLDER =
  /its tables are of version 4, and this forge-memory uses version 5: their owner runs forge-memory doctor --fix$/
const NEWER = /its tables are of version 6, and this forge-memory uses version 5: update forge-memory$/

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** A database as version 4 left it, with two thoughts of which one is retired. */
async function olderDatabase() {
  const url = await server.database()
  await execute(url, 'create schema forge_memory')
  await execute(
    url,
    'create table forge_memory.migrations (version int primary key, applied_at timestamptz not null default now())',
  )
  const all = [...steps.map((step, at) => [step, at + 1]), ...additions.map((step, at) => [step, -at - 1])]
  for (const [step, version] of all) {
    await execute(url, step)
    await execute(url, `insert into forge_memory.migrations (version) values (${version})`)
  }
  const [kept, retired] = [thought('the gate is green'), thought('the gate is red')]
  for (const { id, content } of [kept, retired])
    await execute(
      url,
      `insert into forge_memory.thoughts (id, content, project) values ('${id}', '${content}', 'shop')`,
    )
  await execute(
    url,
    `insert into forge_memory.rulings (id, kind, other, said_at, project) values ('${retired.id}', 'retire', '${kept.id}', now(), 'shop')`,
  )
  return { url, kept, retired }
}

/** Everything that a schema consists of, without the order of columns. */
async function catalog(url) {
  const queries = [
    `select table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') as part
       from information_schema.columns where table_schema = 'forge_memory'`,
    `select indexdef as part from pg_indexes where schemaname = 'forge_memory'`,
    `select oid::regprocedure || ' ' || prosecdef || ' ' || coalesce(proacl::text, '') || prosrc as part from pg_proc
       where pronamespace = 'forge_memory'::regnamespace`,
    `select pg_get_triggerdef(t.oid) as part from pg_trigger t join pg_class c on c.oid = t.tgrelid
       where c.relnamespace = 'forge_memory'::regnamespace and not tgisinternal`,
    'select version::text as part from forge_memory.migrations',
  ]
  const parts = []
  for (const query of queries) parts.push(...(await execute(url, query)).map(({ part }) => part))
  return parts.sort()
}

for (const [name, change, said] of [
  ['older', (url) => execute(url, 'update forge_memory.migrations set version = 4'), OLDER],
  ['newer', (url) => execute(url, 'update forge_memory.migrations set version = 6'), NEWER],
]) {
  test(`a client refuses ${name} tables with one line, for whatever it does, and changes nothing`, async (t) => {
    const url = await server.database()
    const one = thought('the gate is green')
    await opened(t, url).put(storing(one))
    await change(url)
    if (name === 'older') await execute(url, 'insert into forge_memory.migrations (version) values (-5)')
    const before = await catalog(url)
    const store = opened(t, url)
    for (const work of [
      () => store.search(asking('gate')),
      () => store.handshake(),
      () => store.count(),
      () => store.read({ ids: [one.id], projects: [], limit: 1 }),
      () => store.newest(['shop'], 10),
      () => store.decisions(['shop']),
      () => store.searchUnless(asking('gate'), ['shop']),
    ]) {
      await assert.rejects(work, (error) => error.kind === 'misconfigured' && said.test(error.message))
    }
    for (const outcomes of [
      await store.put(storing(thought('another'))),
      await store.remove(deleting(one.id)),
      await store.rule([ruling('retire', one.id)]),
    ]) {
      assert.deepEqual(kinds(outcomes), ['misconfigured'])
      assert.match(outcomes[0].reason, said)
    }
    const finding = (await store.check()).find(({ name: of }) => of === 'schema')
    assert.deepEqual([finding.state, said.test(`${finding.message}: ${finding.remedy}`)], ['bad', true])
    assert.deepEqual(await catalog(url), before)
  })
}

test('doctor --fix migrates tables of the version before, which are those of a new database then, with what they had', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has one connection')
  const { url, kept } = await olderDatabase()
  const command = configured(t, url)
  const said = await runBeside(command, ['doctor', '--json'])
  const finding = JSON.parse(said.stdout).find(({ code }) => code === 'STORE_VERSION')
  assert.match(`${finding.message}: ${finding.hint}`, OLDER)
  const fixed = await runBeside(command, ['doctor', '--fix', '--yes'])
  assert.match(fixed.stdout, /Migrated the tables of .*: clients of earlier versions are refused now/)
  assert.doesNotMatch(fixed.stdout, /STORE_VERSION/)
  assert.doesNotMatch((await runBeside(command, ['doctor', '--fix', '--yes'])).stdout, /Migrated/)
  const fresh = await server.database()
  await opened(t, fresh).put(storing(thought('anything')))
  assert.deepEqual(await catalog(url), await catalog(fresh))
  const store = opened(t, url)
  const { thoughts } = await store.search(asking('gate'))
  assert.deepEqual(
    thoughts.map(({ id }) => id),
    [kept.id],
    'what was retired stays retired',
  )
  assert.deepEqual(kinds(await store.put(storing(thought('the gate is blue')))), ['delivered'])
})

test('store init --apply migrates them for several people, and of an unknown version it says so', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has one connection')
  const { url, kept } = await olderDatabase()
  const command = configured(t, url)
  assert.equal((await runBeside(command, ['store', 'init', '--apply', '--row-security'])).status, 0)
  const owners = await execute(url, `select distinct tableowner from pg_tables where schemaname = 'forge_memory'`)
  assert.deepEqual(owners, [{ tableowner: roleIn(url, 'forge_owner') }])
  assert.deepEqual(
    (await opened(t, url).search(asking('gate'))).thoughts.map(({ id }) => id),
    [kept.id],
  )
  await execute(url, 'update forge_memory.migrations set version = 3')
  const refused = await runBeside(command, ['store', 'init', '--apply'])
  assert.notEqual(refused.status, 0)
  assert.match(refused.stderr, /the tables are of version 3, and this release migrates version 4 only/)
})

test('tables without a version that is noted are refused plainly, and stay as they are', async (t) => {
  const url = await server.database()
  await opened(t, url).put(storing(thought('the gate is green')))
  await execute(url, 'delete from forge_memory.migrations')
  const before = await catalog(url)
  const said =
    /the tables are of no version that is noted, and this release creates or migrates those of version 4 only/
  const [{ kind, reason }] = await opened(t, url).put(storing(thought('the gate is red')))
  assert.deepEqual([kind, said.test(reason)], ['misconfigured', true], reason)
  await assert.rejects(opened(t, url).search(asking('gate')), said)
  assert.deepEqual(await catalog(url), before)
})

test('two owners who migrate at once make one migration', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has one connection')
  const { url } = await olderDatabase()
  const commands = [configured(t, url), configured(t, url)]
  const both = await Promise.all(commands.map((command) => runBeside(command, ['doctor', '--fix', '--yes'])))
  for (const { stdout } of both) assert.doesNotMatch(stdout, /STORE_VERSION/)
  assert.deepEqual(await execute(url, 'select version from forge_memory.migrations'), [{ version: 5 }])
})

test('a memory without a database has no finding about tables', (t) => {
  assert.doesNotMatch(freshCommand(t).run(['doctor']).stdout, /STORE_VERSION/)
})
