// Rows of a shared store are input from outside: what one writer puts there makes no search of others fail, and takes nothing from them.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { foundCompany, openedBy } from './support/company.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { asking, deleting, kinds, ruling, storing, thought } from './support/thoughts.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const UNSOUND = {
  'an infinite date': `'mem_a', 'the gate is open', 'infinity', null, '{}', '{}'`,
  'an infinite expiry': `'mem_b', 'the gate is open', now(), 'infinity', '{}', '{}'`,
  'a tag that is NULL': `'mem_c', 'the gate is open', now(), null, array[null]::text[], '{}'`,
  'tags in two dimensions': `'mem_d', 'the gate is open', now(), null, array[['a'],['b']], '{}'`,
  'an id of 2,000 characters': `repeat('x', 2000), 'the gate is open', now(), null, '{}', '{}'`,
  'an id that is empty': `'', 'the gate is open', now(), null, '{}', '{}'`,
}

for (const [what, values] of Object.entries(UNSOUND)) {
  test(`a row with ${what} is left out of every answer, and a check names it`, async (t) => {
    const url = await server.database()
    const store = opened(t, url)
    const sound = thought('the gate is green')
    await store.put(storing(sound))
    const columns = 'id, content, captured_at, expires_at, tags, metadata, project'
    await execute(url, `insert into forge_memory.thoughts (${columns}) values (${values}, 'shop')`)
    const only = [sound.id]
    const ids = (found) => found.map(({ id }) => id)
    assert.deepEqual(ids((await store.search(asking('gate'))).thoughts), only)
    assert.deepEqual(ids((await store.newest(['shop'], 10)).thoughts.map((one) => one.thought)), only)
    assert.deepEqual(ids((await store.read({ projects: ['shop'], limit: 10 })).map((one) => one.thought)), only)
    const finding = (await store.check()).find(({ name }) => name === 'rows')
    assert.deepEqual([finding.state, /^1 row is not a thought/.test(finding.message)], ['bad', true], finding.message)
  })
}

test('metadata that is no object has no fields', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  await store.handshake()
  for (const [at, metadata] of ['[1]', 'null', '"x"'].entries()) {
    const values = `'mem_${at}', 'the gate is open', '${metadata}', 'shop'`
    await execute(url, `insert into forge_memory.thoughts (id, content, metadata, project) values (${values})`)
  }
  const found = await store.read({ projects: ['shop'], limit: 10 })
  assert.deepEqual(
    found.map(({ thought: one }) => one.metadata),
    ['{}', '{}', '{}'],
  )
})

test('rulings with a date that is none are left out, and a table of thoughts without such rows is said to be sound', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  const one = thought('the gate is green')
  await store.put(storing(one))
  await store.rule([ruling('useful', one.id, { other: 's_1' })])
  await execute(
    url,
    `insert into forge_memory.rulings (id, kind, other, said_at, project) values ('${one.id}', 'retire', '', '-infinity', 'shop')`,
  )
  const { lines } = await store.decisions(['shop'])
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)._action),
    ['useful'],
  )
  assert.equal((await store.check()).find(({ name }) => name === 'rows').state, 'good')
  assert.equal((await store.read({ ids: [one.id], projects: [], limit: 1 })).length, 1)
})

test('one writer opens no more than sixteen tables of vectors', async (t) => {
  if (!comesWithVectors) return t.diagnostic('this server has no vectors')
  const url = await server.database()
  await opened(t, url).handshake()
  const open = (name) => execute(url, `select forge_memory.open_space('${name}', 3, 'vector') as id`)
  for (let at = 1; at <= 16; at += 1) await open(`model-${at}`)
  await assert.rejects(open('one-more'), /vectors of 16 models/)
  assert.equal((await open('model-3')).length, 1, 'one that is there is found')
})

for (const flags of [[], ['--row-security']]) {
  test(`nobody plants a tombstone for a thought of another project${flags.length ? ', with row security' : ''}`, async (t) => {
    if (server.kind !== 'postgres') return t.diagnostic('PGlite has one user')
    const roles = ['ann', 'mal'].map((who) => [who, 'forge_writer'])
    const { url, addresses, names } = await foundCompany(t, server, { flags, roles })
    if (flags.length > 0) {
      await execute(url, 'delete from forge_memory.access')
      for (const [at, project] of ['shop', 'bank'].entries())
        await execute(url, 'insert into forge_memory.access (member, project) values ($1, $2)', [names[at], project])
    }
    const [ann, mal] = addresses.map((address) => openedBy(t, address))
    const [own, other] = [thought('the gate is green'), thought('the gate is blue')]
    const [planted, direct] = deleting(own.id, other.id)
    assert.deepEqual(kinds(await mal.remove([{ ...planted, projects: ['bank'] }])), ['gone'])
    const insert = `insert into forge_memory.thoughts (id, content, forgotten_at) values ('${direct.id}', '', now())`
    await execute(addresses[1], insert)
    assert.deepEqual(kinds(await ann.put(storing(own, other))), ['delivered', 'delivered'])
    const found = (await ann.search(asking('gate'))).thoughts.map(({ id }) => id)
    assert.deepEqual(found.sort(), [own.id, other.id].sort())
    // Of the own project it holds, whichever comes first.
    const late = thought('the gate is red')
    assert.deepEqual(kinds(await ann.remove(deleting(late.id))), ['gone'])
    await ann.put(storing(late))
    assert.deepEqual(
      (await ann.search(asking('red'))).thoughts.filter(({ id }) => id === late.id),
      [],
    )
  })
}
