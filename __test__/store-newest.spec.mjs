// What replicas are made of: a client that has the newest thoughts of a project gets only what a change may have made other.
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { foundCompany, openedBy } from './support/company.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { opened, stateOf } from './support/postgres-store.mjs'
import { deleting, ruling, storing, thought } from './support/thoughts.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** A client that follows the newest thoughts of a project. */
function follower(store, projects = ['shop']) {
  const has = new Map()
  let known
  return {
    has,
    async look() {
      const { state, thoughts, among } = await store.newest(projects, 1000, known)
      known = state
      if (thoughts === undefined) return 'nothing'
      if (among === undefined) has.clear()
      for (const id of among ?? []) has.delete(id)
      for (const one of thoughts) has.set(one.thought.id, one)
      return among === undefined ? 'all' : thoughts.length
    },
  }
}

const plain = (all) =>
  [...all]
    .map(({ thought: one, contradictedBy }) => [one, contradictedBy.toSorted()])
    .sort(([a], [b]) => (a.id < b.id ? -1 : 1))

test('whatever happens, what is new makes of the old what all of it is', async (t) => {
  const url = await server.database()
  const store = opened(t, url)
  const ids = []
  const { has, look } = follower(store)
  let seed = 7
  const below = (count) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * count)
  }
  // Few of them, so that decisions meet.
  const any = () => ids.at(-1 - below(6))
  const put = (extra) => {
    const one = thought(`note ${ids.length}`, { expiresAt: '2099-01-01T00:00:00Z', ...extra })
    ids.push(one.id)
    return store.put(storing(one))
  }
  const rule = (kind) => store.rule([ruling(kind, any(), { other: any(), at: new Date().toISOString() })])
  const changes = [
    () => put(),
    () => put({ supersedes: any() }),
    () => put({ project: 'bank' }),
    ...[
      'retire',
      'retire',
      'retire',
      'retire',
      'retire',
      'keep',
      'conflict',
      'conflict',
      'hold',
      'reject',
      'accept',
      'wrong',
    ].map((kind) => () => rule(kind)),
    () => (below(3) === 0 ? store.remove(deleting(any())) : put()),
    () =>
      execute(
        url,
        `update forge_memory.thoughts set expires_at = '2100-01-01' where id = '${any()}' and forgotten_at is null`,
      ),
    () =>
      execute(
        url,
        `update forge_memory.thoughts set content = content || '.' where id = '${any()}' and forgotten_at is null`,
      ),
  ]
  for (let at = 0; at < 12; at += 1) await put()
  assert.equal(await look(), 'all')
  for (let at = 0; at < 80; at += 1) {
    const change = changes[below(changes.length)]
    for (let times = 0; times <= below(2); times += 1) await change()
    assert.notEqual(await look(), 'all')
    const { thoughts } = await store.newest(['shop'], 1000)
    assert.deepEqual(plain(has.values()), plain(thoughts), `after change ${at}: ${change}`)
  }
})

test('a change costs what it changed; one of another project, and a second look, cost nothing; one that commits late is not missed', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has one connection')
  const { default: pg } = await import('pg')
  const url = await server.database()
  const store = opened(t, url)
  await store.put(storing(...Array.from({ length: 300 }, (_, at) => thought(`note ${at}`))))
  const { has, look } = follower(store)
  assert.deepEqual([await look(), await look()], ['all', 'nothing'])
  await store.put(storing(thought('of the bank', { project: 'bank' })))
  assert.equal(await look(), 'nothing')
  const slow = new pg.Client(url)
  await slow.connect()
  t.after(() => slow.end())
  await slow.query('begin')
  await slow.query("insert into forge_memory.thoughts (id, content, project) values ('mem_slow', 'slow', 'shop')")
  await store.put(storing(thought('a quick note')))
  assert.equal(await look(), 1)
  await slow.query('commit')
  assert.ok((await look()) <= 2)
  assert.ok(has.has('mem_slow'))
  assert.equal(has.size, 302)
  await execute(url, 'truncate forge_memory.thoughts cascade')
  assert.deepEqual([await look(), has.size], ['all', 0], 'emptied by hand')
})

test('what is granted to nobody here tells not even that it changes', async (t) => {
  if (server.kind !== 'postgres') return t.diagnostic('PGlite has one user')
  const { url, addresses, names } = await foundCompany(t, server, {
    flags: ['--row-security'],
    roles: [['nora', 'forge_writer']],
  })
  await execute(url, 'update forge_memory.access set member = $1, project = $2', [names[0], 'shop'])
  const nora = openedBy(t, addresses[0])
  const before = [await stateOf(nora, ['shop']), await stateOf(nora, ['bank'])]
  await execute(
    url,
    "insert into forge_memory.thoughts (id, content, project) values ('mem_1', 'x', 'shop'), ('mem_2', 'x', 'bank')",
  )
  assert.notEqual(await stateOf(nora, ['shop']), before[0])
  assert.equal(await stateOf(nora, ['bank']), before[1])
})
