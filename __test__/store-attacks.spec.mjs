// What people with a role in the database may not do, as SQL by each role: beside the program, with a client of their own.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { foundCompany, nameOf, openedBy, roleIn } from './support/company.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { stateOf } from './support/postgres-store.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'
import { until } from './support/waiting.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const isReal = (t) => server.kind === 'postgres' || void t.diagnostic('PGlite has one user')

/** A company in which `wera` writes in the shop, `rob` reads in it, and `bo` writes in the bank. */
async function divided(t, flags = ['--row-security']) {
  const roles = [
    ['wera', 'forge_writer'],
    ['rob', 'forge_reader'],
    ['bo', 'forge_writer'],
  ]
  const { url, addresses, names } = await foundCompany(t, server, { flags, roles })
  await execute(url, 'delete from forge_memory.access')
  for (const [at, project] of ['shop', 'shop', 'bank'].entries())
    await execute(url, 'insert into forge_memory.access (member, project) values ($1, $2)', [names[at], project])
  const served = await startEmbedder()
  t.after(() => served.close())
  const model = nameOf('model')
  const embedder = () => (comesWithVectors ? ollamaEmbedder(served.url, model) : undefined)
  const [wera, rob, bo] = addresses.map((address) => openedBy(t, address, embedder()))
  const ours = thought('the gate of the shop is red')
  const gone = thought('said in haste')
  const theirs = thought('the vault of the bank is green', { project: 'bank' })
  assert.deepEqual(kinds(await wera.put(storing(ours, gone))), ['delivered', 'delivered'])
  assert.deepEqual(kinds(await bo.put(storing(theirs))), ['delivered'])
  assert.deepEqual(kinds(await wera.remove(deleting(gone.id))), ['gone'])
  return { url, addresses, names, stores: { wera, rob, bo }, ours, gone, theirs }
}

/** Everything that a person may find in the tables, so that a statement without an error is seen by what it does. */
const everything = (url) =>
  execute(
    url,
    `select (select jsonb_agg(to_jsonb(t) - 'words' order by id) from forge_memory.thoughts t) as thoughts,
      (select jsonb_agg(to_jsonb(s) order by id) from forge_memory.spaces s) as spaces,
      (select jsonb_agg(to_jsonb(e) order by client) from forge_memory.embedders e) as embedders,
      (select jsonb_agg(to_jsonb(a)) from forge_memory.access a) as access,
      (select jsonb_agg(to_jsonb(r) order by id, kind) from forge_memory.rulings r) as rulings,
      (select jsonb_agg(to_jsonb(a) order by seq) from forge_memory.audit a) as audit`,
  )

for (const flags of [['--row-security'], []]) {
  test(`no role touches what is not its own${flags.length === 0 ? ', also without row security' : ''}`, async (t) => {
    if (!isReal(t)) return
    const { url, addresses, ours, gone, theirs } = await divided(t, flags)
    const [wera, rob] = addresses
    const forgotten = [
      'delete from forge_memory.thoughts where forgotten_at is not null',
      `update forge_memory.thoughts set forgotten_at = null, content = 'back', project = 'shop' where id = '${gone.id}'`,
      `update forge_memory.thoughts set forgotten_at = now() + interval '1 day' where forgotten_at is not null`,
    ]
    const owned = [
      'delete from forge_memory.spaces',
      'update forge_memory.spaces set filled_at = null',
      "insert into forge_memory.spaces (model, dimensions) values ('x', 3)",
      'update forge_memory.rulings set at = now()',
      'delete from forge_memory.rulings',
      'delete from forge_memory.embedders',
      'update forge_memory.embedders set space = 1',
      "insert into forge_memory.embedders (client, space) values ('x', 1)",
      'update forge_memory.counters set count = 0',
      'select * from forge_memory.channel_key',
      "select forge_memory.channel_of('', 'bank')",
      'select * from forge_memory.access',
      'insert into forge_memory.access (member) values (current_user)',
      'delete from forge_memory.audit',
      "insert into forge_memory.audit (action, thought) values ('stored', 'x')",
      'select person from forge_memory.audit',
      'truncate forge_memory.thoughts',
      'alter table forge_memory.thoughts disable row level security',
      'alter table forge_memory.thoughts disable trigger all',
      'create table forge_memory.mine (a int)',
      'drop function forge_memory.granted()',
      'select forge_memory.secure_vectors(1)',
      `set role ${roleIn(url, 'forge_owner')}`,
    ]
    const beyond = [
      `insert into forge_memory.thoughts (id, content, project, forgotten_at) values ('planted', '', 'bank', now())`,
      `insert into forge_memory.thoughts (id, content, project, metadata, forgotten_at) values ('p', '', '', '{"a": "hidden words"}', now())`,
      `insert into forge_memory.thoughts (id, content, project) values ('planted', 'words', 'bank')`,
      `insert into forge_memory.thoughts (id, content, project, tenant) values ('planted', 'words', 'shop', 'other')`,
      `insert into forge_memory.rulings (id, kind, said_at, project) values ('${theirs.id}', 'retire', now(), 'bank')`,
      `insert into forge_memory.rulings (id, kind, said_at, project, tenant) values ('${ours.id}', 'retire', now(), 'shop', 'other')`,
      `update forge_memory.thoughts set content = 'changed' where id = '${theirs.id}'`,
      `update forge_memory.thoughts set project = 'bank' where id = '${ours.id}'`,
      `delete from forge_memory.thoughts where id = '${theirs.id}'`,
      ...(comesWithVectors
        ? [
            `insert into forge_memory.vectors_1 select '${theirs.id}', embedding from forge_memory.vectors_1 limit 1 on conflict (id) do update set embedding = excluded.embedding`,
            `delete from forge_memory.vectors_1 where id = '${theirs.id}'`,
            `update forge_memory.vectors_1 set id = '${theirs.id}' where id = '${ours.id}'`,
          ]
        : []),
    ]
    const writes = [...forgotten, ...(flags.length === 0 ? [] : beyond)]
    const before = await everything(url)
    for (const [address, statements] of [
      [wera, [...writes, ...owned]],
      [rob, [...writes, ...beyond, ...owned, `update forge_memory.thoughts set content = '' where id = '${ours.id}'`]],
    ]) {
      for (const statement of statements) {
        // What is hidden is changed by nobody: such a statement succeeds, and does nothing.
        const error = await execute(address, statement).then(
          () => undefined,
          ({ code }) => code,
        )
        assert.ok([undefined, '42501', '23505'].includes(error), `${statement}: ${error}`)
        assert.deepEqual(await everything(url), before, statement)
      }
    }
    for (const statement of ['delete from forge_memory.spaces', 'select * from forge_memory.channel_key'])
      await assert.rejects(execute(wera, statement), { code: '42501' }, statement)
  })
}

test('vectors are planted for no thought that was not granted, and stored for the own ones', async (t) => {
  if (!isReal(t) || !comesWithVectors) return
  const { url, addresses, stores, theirs } = await divided(t)
  await execute(url, `delete from forge_memory.vectors_1 where id = '${theirs.id}'`)
  await assert.rejects(
    execute(
      addresses[0],
      `insert into forge_memory.vectors_1 select '${theirs.id}', embedding from forge_memory.vectors_1 limit 1`,
    ),
    { code: '42501' },
  )
  assert.deepEqual(kinds(await stores.wera.put(storing(thought('a gate of our own')))), ['delivered'])
  const rows = await execute(url, 'select count(*)::int as count from forge_memory.vectors_1')
  assert.deepEqual(rows, [{ count: 2 }])
})

test('pieces of long texts are seen and planted for granted thoughts only, and stored for the own ones', async (t) => {
  if (!isReal(t) || !comesWithVectors) return
  const { url, addresses, stores, theirs } = await divided(t)
  const plant = (piece) => `insert into forge_memory.pieces_1 (id, piece, embedding)
    select '${theirs.id}', ${piece}, embedding from forge_memory.vectors_1 limit 1`
  await execute(url, plant(1))
  await assert.rejects(execute(addresses[0], plant(2)), { code: '42501' })
  const sees = async (address) => execute(address, 'select count(*)::int as count from forge_memory.pieces_1')
  assert.deepEqual([await sees(addresses[0]), await sees(url)], [[{ count: 0 }], [{ count: 1 }]])
  const long = thought('the gate of our own, which is described at length. '.repeat(40))
  assert.deepEqual(kinds(await stores.wera.put(storing(long))), ['delivered'])
  const [{ count }] = await sees(addresses[0])
  assert.ok(count > 1, `${count}`)
  const found = await stores.wera.search(asking('gate'))
  assert.ok(found.semantic && found.thoughts.some(({ id }) => id === long.id))
  assert.ok(found.thoughts.every(({ id }) => id !== theirs.id))
})

test('a grant that ends, ends what was cached with it', async (t) => {
  if (!isReal(t)) return
  const { url, names, stores, ours } = await divided(t)
  const found = async () => (await stores.rob.search(asking('gate'))).thoughts.map(({ id }) => id)
  assert.deepEqual(await found(), [ours.id])
  const before = await stateOf(stores.rob)
  assert.equal(await stateOf(stores.rob), before, 'nothing has changed')
  await execute(url, `delete from forge_memory.access where member = '${names[1]}'`)
  assert.notEqual(await stateOf(stores.rob), before)
  const reply = await stores.rob.searchUnless(asking('gate'), undefined, before)
  assert.deepEqual(reply.answer?.thoughts, [])
  await execute(url, `revoke ${roleIn(url, 'forge_reader')} from ${names[1]}`)
  await assert.rejects(stateOf(stores.rob), { status: '42501' }, 'without a right')
})

test('a change is announced only to those whose grants cover it', async (t) => {
  if (!isReal(t)) return
  const { url, addresses, stores } = await divided(t)
  const client = new pg.Client(addresses[0])
  await client.connect()
  t.after(() => client.end())
  const heard = []
  client.on('notification', ({ channel, payload }) => heard.push([channel, payload]))
  const { rows } = await client.query('select channels as name from forge_memory.channels()')
  assert.equal(rows.length, 1)
  for (const name of ['forge_memory', rows[0].name]) await client.query(`listen ${name}`)
  const [wera, owner] = [[], []]
  t.after(await stores.rob.listen(({ content }) => wera.push(content)))
  t.after(await openedBy(t, url).listen(({ content }) => owner.push(content)))
  await stores.bo.put(storing(thought('the bank opens at nine', { project: 'bank' })))
  await stores.wera.put(storing(thought('the shop opens at ten')))
  await until(() => wera.length > 0 && owner.length > 1, 'the change of the shop')
  await client.query('select 1')
  assert.deepEqual(heard, [[rows[0].name, '']], 'nothing of the bank, and no word of it')
  assert.deepEqual([wera, owner], [['the shop opens at ten'], ['the bank opens at nine', 'the shop opens at ten']])
  // Whoever knew the name of a channel hears nothing there after the grants have changed.
  await execute(url, `update forge_memory.access set project = 'bank' where project = 'shop'`)
  await execute(url, `insert into forge_memory.thoughts (id, content, project) values ('by_hand', 'x', 'shop')`)
  await client.query('select 1')
  assert.equal(heard.length, 1)
})

test('roles belong to one database: who writes in one has no right in another', async (t) => {
  if (!isReal(t)) return
  const { addresses } = await divided(t)
  const { url: other } = await foundCompany(t, server, { roles: [] })
  const there = addresses[0].replace(/\/[^/]*$/, new URL(other).pathname)
  for (const statement of ['select * from forge_memory.thoughts', 'delete from forge_memory.thoughts'])
    await assert.rejects(execute(there, statement), { code: '42501' }, statement)
})

test('an open transaction of one project delays no delivery of another', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const store = openedBy(t, url)
  const [first, second] = [
    thought('the gate is red', { project: 'shop' }),
    thought('the gate is blue', { project: 'shop' }),
  ]
  await store.put(storing(first, second))
  const open = []
  for (const { id } of [first, second]) {
    const client = new pg.Client(url)
    await client.connect()
    t.after(() => client.end())
    open.push(client)
    await client.query('begin')
    await client.query("update forge_memory.thoughts set tags = '{x}' where id = $1", [id])
  }
  const before = await stateOf(store)
  assert.deepEqual(kinds(await store.put(storing(thought('the vault is green', { project: 'bank' })))), ['delivered'])
  const after = await stateOf(store)
  assert.notEqual(after, before)
  for (const client of open) await client.query('commit')
  assert.notEqual(await stateOf(store), after, 'what was open counts when it is committed')
})
