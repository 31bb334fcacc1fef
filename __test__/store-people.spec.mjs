// Several people in one database: the roles, what each may do, who did what, and which projects each sees.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { ollamaEmbedder } from '../dist/openbrain/embedder/ollama.js'
import { freshCommand, json, runBeside } from './support/command.mjs'
import { configured, foundCompany, nameOf, openedBy, roleIn } from './support/company.mjs'
import { startEmbedder } from './support/embedder-server.mjs'
import { comesWithVectors, execute, startPostgres } from './support/postgres.mjs'
import { asking, deleting, kinds, storing, thought } from './support/thoughts.mjs'
import { until } from './support/waiting.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const isReal = (t) => server.kind === 'postgres' || void t.diagnostic('PGlite has one user')

const company = (t, wanted) => foundCompany(t, server, wanted)

test('a writer delivers with vectors and forgets, a reader searches, and neither owns a table', async (t) => {
  if (!isReal(t)) return
  const { url, addresses } = await company(t, {
    roles: [
      ['anna', 'forge_writer'],
      ['ben', 'forge_writer'],
      ['carla', 'forge_reader'],
    ],
  })
  const served = await startEmbedder()
  t.after(() => served.close())
  // Anna has a model of her own.
  const [hers, theirs] = [nameOf('model'), nameOf('model')]
  const embedders = [hers, theirs, theirs].map((name) =>
    comesWithVectors ? ollamaEmbedder(served.url, name) : undefined,
  )
  const [anna, ben, carla] = addresses.map((address, at) => openedBy(t, address, embedders[at]))
  const [kept, gone] = [thought('the release is on monday'), thought('the release is on friday')]
  assert.deepEqual(kinds(await anna.put(storing(kept, gone))), ['delivered', 'delivered'])
  // A new model of another writer is a new table, which inherits the grants.
  assert.deepEqual(kinds(await ben.put(storing(thought('the release is announced')))), ['delivered'])
  if (comesWithVectors) await ben.embedMissing(10)
  assert.deepEqual(kinds(await ben.remove(deleting(gone.id))), ['gone'])
  const found = await carla.search(asking('release'))
  assert.deepEqual([found.thoughts.length, found.semantic], [2, comesWithVectors])
  const owners = await execute(url, `select distinct tableowner from pg_tables where schemaname = 'forge_memory'`)
  assert.deepEqual(owners, [{ tableowner: roleIn(url, 'forge_owner') }])
  for (const statement of [
    'delete from forge_memory.audit',
    "insert into forge_memory.access (member) values ('anna')",
    'drop table forge_memory.thoughts',
    'update forge_memory.migrations set version = 9',
  ]) {
    await assert.rejects(execute(addresses[0], statement), { code: '42501' }, statement)
  }
})

test('a role that may only read: search works, deliveries are refused plainly and wait in the queue', async (t) => {
  if (!isReal(t)) return
  const { url, addresses, names } = await company(t, { roles: [['dora', 'forge_reader']] })
  await openedBy(t, url).put(storing(thought('the staging host is small')))
  const command = configured(t, addresses[0])
  assert.equal(json(command, ['search', 'staging host']).thoughts.length, 1)
  const captured = json(command, ['capture', '-t', 'gotcha', 'the staging host is slow on mondays'])
  assert.equal(captured.captured, true)
  const refused = await runBeside(command, ['drain', '--json'])
  assert.equal(refused.status, 1)
  const report = JSON.parse(refused.stdout)
  assert.deepEqual([report.state, report.queued, report.deadLetters, report.delivered], ['misconfigured', 1, 0, 0])
  assert.match(
    report.reason,
    /this user may only read: searches work, and deliveries wait in the queue until an owner grants/,
  )
  assert.doesNotMatch(report.reason, /42501|permission denied/)
  await execute(url, `grant ${roleIn(url, 'forge_writer')} to ${names[0]}`)
  const delivered = JSON.parse((await runBeside(command, ['drain', '--json'])).stdout)
  assert.deepEqual([delivered.state, delivered.delivered, delivered.queued], ['done', 1, 0])
})

test('a role without any grant is told which one it needs', async (t) => {
  if (!isReal(t)) return
  const { addresses } = await company(t, { roles: [['emil', undefined]] })
  await assert.rejects(
    openedBy(t, addresses[0])
      .put(storing(thought('a note')))
      .then(([{ kind, reason }]) => {
        throw new Error(`${kind}: ${reason}`)
      }),
    /misconfigured: .*permission denied.*; emil_\d+ is no member of forge_writer_\w+ .*grant the role of writers/,
  )
})

test('who stored, edited and forgot what is in the audit, with the person and the role', async (t) => {
  if (!isReal(t)) return
  const { url, addresses, names } = await company(t, {
    roles: [
      ['finn', 'forge_writer'],
      ['gita', 'forge_writer'],
    ],
  })
  const finn = openedBy(t, addresses[0], undefined, 'finn@example.org')
  const gita = openedBy(t, addresses[1], undefined, 'gita@example.org')
  const first = thought('deploy on fridays')
  const revision = thought('deploy on mondays', { supersedes: first.id })
  const named = thought('made by a rule', { createdBy: 'liveguard-auto' })
  await finn.put(storing(first, named))
  await gita.put(storing(revision))
  await gita.remove(deleting(named.id))
  const rows = await execute(url, 'select action, thought, project, person, role from forge_memory.audit order by seq')
  const inOrder = (list) => list.map((row) => JSON.stringify(row)).sort()
  const entry = (action, { id }, person, role) => ({ action, thought: id, project: 'shop', person, role })
  assert.deepEqual(
    inOrder(rows),
    inOrder([
      entry('stored', first, 'finn@example.org', names[0]),
      entry('stored', named, 'liveguard-auto', names[0]),
      entry('edited', revision, 'gita@example.org', names[1]),
      entry('forgotten', named, 'gita@example.org', names[1]),
    ]),
  )
  const [{ created_by: author }] = await execute(
    url,
    `select created_by from forge_memory.thoughts where id = '${first.id}'`,
  )
  assert.equal(author, 'finn@example.org')
})

test('the author of a capture is the identity of git, or the setting of the user', async (t) => {
  const url = await server.database()
  const git = (name, value) => ({ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: name, GIT_CONFIG_VALUE_0: value })
  const command = configured(t, url, { createdBy: 'somebody@clone.example' })
  const deliver = async (text, env) => {
    assert.equal(json(command, ['capture', '-t', 'gotcha', text]).captured, true)
    const { status, stderr } = await runBeside(command, ['drain'], env)
    assert.equal(status, 0, stderr)
    const rows = await execute(url, `select created_by from forge_memory.thoughts where content like '${text}%'`)
    return rows[0]?.created_by
  }
  assert.equal(
    await deliver('the first deployment failed at night', git('user.email', 'hugo@example.org')),
    'hugo@example.org',
  )
  assert.equal(
    await deliver('caches have to be warmed by hand', {
      ...git('user.email', 'hugo@example.org'),
      FORGE_CREATED_BY: 'Hugo',
    }),
    'Hugo',
  )
  writeFileSync(join(command.home, 'config.json'), JSON.stringify({ openbrain: { createdBy: 'team-hugo' } }), {
    mode: 0o600,
  })
  assert.equal(await deliver('the printer needs two restarts', git('user.email', 'hugo@example.org')), 'team-hugo')
  const { stdout } = await runBeside(command, ['find', '--shared', 'printer'])
  assert.match(stdout, /two restarts\n.* {2}team-hugo\n/, 'a person is named, and is no "you" to others')
})

test('a project under two folder names is one, and two projects with one folder name are two: by the remote of git', async (t) => {
  const url = await server.database()
  const command = freshCommand(t)
  assert.equal(command.run(['store', 'use', url, '--yes']).status, 0)
  const clones = [
    ['work/app', 'https://example.org/company/shop.git', 'gate tests need the staging host'],
    ['play/app', 'git@example.org:company/bank.git', 'ledger entries are never rounded'],
    ['work/shop-copy', 'ssh://git@example.org/company/shop', 'the printer wants two restarts'],
  ]
  for (const [folder, remote, text] of clones) {
    const cwd = join(command.folder, folder)
    mkdirSync(join(cwd, '.git'), { recursive: true })
    writeFileSync(join(cwd, '.git', 'HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(cwd, '.git', 'config'), `[remote "origin"]\n\turl = ${remote}\n`)
    for (const args of [['capture', '-t', 'gotcha', text], ['drain']]) {
      const { status, stderr } = await runBeside({ ...command, project: cwd }, args)
      assert.equal(status, 0, stderr)
    }
  }
  const rows = await execute(
    url,
    'select project, count(*)::int as count from forge_memory.thoughts group by 1 order by 1',
  )
  assert.deepEqual(rows, [
    { project: 'example.org/company/bank', count: 1 },
    { project: 'example.org/company/shop', count: 2 },
  ])
})

test('with row security, each sees and writes only granted projects, of the own tenant', async (t) => {
  if (!isReal(t)) return
  const { url, addresses, names } = await company(t, {
    flags: ['--row-security'],
    roles: [
      ['ida', 'forge_writer'],
      ['jan', 'forge_writer'],
      ['kim', 'forge_writer'],
    ],
  })
  const served = await startEmbedder()
  t.after(() => served.close())
  const model = nameOf('model')
  const [ida, jan, kim] = addresses.map((address) =>
    openedBy(t, address, comesWithVectors ? ollamaEmbedder(served.url, model) : undefined),
  )
  await execute(url, 'delete from forge_memory.access')
  const grant = (at, tenant, project) =>
    execute(url, 'insert into forge_memory.access (member, tenant, project) values ($1, $2, $3)', [
      names[at],
      tenant,
      project,
    ])
  await grant(0, 'north', null)
  await grant(1, 'north', 'shop')
  await grant(2, 'south', null)
  const [ofShop, ofBank, ofSouth] = [
    thought('the release is on monday'),
    thought('the release is on tuesday', { project: 'bank' }),
    thought('the release is on sunday'),
  ]
  assert.deepEqual(kinds(await ida.put(storing(ofShop, ofBank))), ['delivered', 'delivered'])
  assert.deepEqual(kinds(await kim.put(storing(ofSouth))), ['delivered'])
  const seen = async (store, query = {}) =>
    (await store.search(asking('release monday', query))).thoughts.map(({ id }) => id).sort()
  assert.deepEqual(await seen(ida), [ofShop.id, ofBank.id].sort())
  assert.deepEqual(await seen(jan), [ofShop.id])
  assert.deepEqual(await seen(kim, { project: 'shop' }), [ofSouth.id], 'one name in two tenants is two projects')
  assert.equal(await jan.count(), 1)
  if (comesWithVectors) {
    const [{ count }] = await execute(addresses[1], `select count(*)::int as count from forge_memory.vectors_1`)
    assert.equal(count, 1, 'vectors of others are hidden as well')
  }
  const [refused] = await jan.put(storing(thought('not for jan', { project: 'bank' })))
  assert.deepEqual(
    [refused.kind, /the project of the record was not granted to this user/.test(refused.reason)],
    ['rejected', true],
  )
  assert.deepEqual(kinds(await jan.put(storing(thought('for jan, by jan')))), ['delivered'], 'others go on')
  await grant(1, 'north', 'github.com/acme/api')
  const ofApis = ['acme', 'mallory'].map((owner) =>
    thought(`the audit of ${owner} is in may`, { project: `github.com/${owner}/api` }),
  )
  assert.deepEqual(kinds(await ida.put(storing(...ofApis))), ['delivered', 'delivered'])
  const audits = (await jan.search(asking('audit may'))).thoughts.map(({ id }) => id)
  assert.deepEqual(
    ofApis.map(({ id }) => audits.includes(id)),
    [true, false],
    'a grant is for one repository, whatever others are called',
  )
  const [foreign] = await kim.remove(deleting(ofShop.id))
  assert.equal(foreign.kind, 'rejected')
  assert.deepEqual(await seen(jan, { limit: 1 }), [ofShop.id], 'nothing of another tenant can be forgotten')
  assert.deepEqual(kinds(await jan.remove(deleting(ofShop.id))), ['gone'])
})

test('with row security, words are looked up in their index, and only granted projects are found', async (t) => {
  if (!isReal(t)) return
  const { url, addresses, names } = await company(t, { flags: ['--row-security'], roles: [['liv', 'forge_writer']] })
  const [liv] = addresses.map((address) => openedBy(t, address))
  const inShop = [thought('the gate is red'), thought('the gate is green')]
  await liv.put(storing(...inShop, thought('the gate is blue', { project: 'bank' })))
  await execute(url, 'update forge_memory.access set member = $1, project = $2', [names[0], 'shop'])
  // With so few thoughts, the planner would rather read them all.
  await execute(url, `alter database ${new URL(url).pathname.slice(1)} set enable_seqscan = off`)
  const reader = openedBy(t, addresses[0])
  const found = async (query) => (await reader.search(asking('gate', query))).thoughts.map(({ id }) => id).sort()
  const ofShop = inShop.map(({ id }) => id).sort()
  assert.deepEqual([await found(), await found({ project: 'shop' })], [ofShop, ofShop])
  assert.deepEqual(await found({ project: 'bank' }), [])
  // The function looks past row security, so it has to leave out by itself what the policy would hide.
  const looked = await execute(addresses[0], "select forge_memory.matching('gate', null, 10) as id")
  assert.deepEqual(looked.map(({ id }) => id).sort(), ofShop)
  // The server notes scans a moment after they were made.
  const scans = `select pg_stat_get_numscans('forge_memory.thoughts_words'::regclass)::int as count`
  await until(async () => (await execute(url, scans))[0].count > 0, 'a scan of the index of words')
  const checked = async () => (await openedBy(t, addresses[0]).check()).find(({ name }) => name === 'row security')
  assert.equal((await checked()).state, 'good')
  await assert.rejects(
    execute(url, 'set role pg_monitor; select forge_memory.matching($$gate$$::tsquery, null, 10)'),
    /permission denied/,
  )
  await execute(url, 'drop function forge_memory.matching')
  const { state, message, remedy } = await checked()
  assert.deepEqual([state, /read every thought/.test(message), /--row-security$/.test(remedy)], ['note', true, true])
  const { thoughts } = await openedBy(t, addresses[0]).search(asking('gate'))
  assert.deepEqual(thoughts.map(({ id }) => id).sort(), ofShop, 'slower, and the same')
})

test('the printed statements are those that are applied, may be run again, and take a database over that is in use', async (t) => {
  if (!isReal(t)) return
  const url = await server.database()
  const before = thought('stored by one person')
  await openedBy(t, url).put(storing(before))
  const command = configured(t, url)
  const { sql } = json(command, ['store', 'init', '--print-sql'])
  assert.equal(command.run(['store', 'init', '--print-sql']).stdout.trim(), sql.trim())
  for (let round = 0; round < 2; round += 1) await execute(url, sql)
  const again = openedBy(t, url)
  assert.equal((await again.search(asking('person'))).thoughts[0].id, before.id)
  assert.deepEqual(kinds(await again.put(storing(thought('another one')))), ['delivered'])
  const owners = await execute(url, `select distinct tableowner from pg_tables where schemaname = 'forge_memory'`)
  assert.deepEqual(owners, [{ tableowner: roleIn(url, 'forge_owner') }])
  for (const flags of [[], ['--print-sql', '--apply']]) {
    const { status, stderr } = command.run(['store', 'init', ...flags])
    assert.deepEqual([status, /expected either --print-sql or --apply/.test(stderr)], [2, true])
  }
  const embedded = freshCommand(t)
  assert.match(
    embedded.run(['store', 'init', '--apply']).stderr,
    /roles are for PostgreSQL; this project uses the embedded store/,
  )
})

test('an administrator who is not a superuser, as on a managed server, sets the database up', async (t) => {
  if (!isReal(t)) return
  const admin = nameOf('admin')
  const url = await server.database()
  const database = new URL(url).pathname.slice(1)
  const own = `managed_${database}`
  await execute(url, `create role ${admin} login createrole createdb`)
  await execute(url, `create database ${own} owner ${admin}`)
  const address = url.replace('openbrain@', `${admin}@`).replace(database, own)
  const command = configured(t, address)
  for (let round = 0; round < 2; round += 1) {
    const { status, stderr } = await runBeside(command, ['store', 'init', '--apply', '--row-security'])
    assert.equal(status, 0, stderr)
  }
  const lea = nameOf('lea')
  await execute(address, `create role ${lea} login in role ${roleIn(address, 'forge_writer')}`)
  const store = openedBy(t, address.replace(`${admin}@`, `${lea}@`))
  assert.deepEqual(kinds(await store.put(storing(thought('the release is on monday')))), ['delivered'])
  assert.equal((await store.search(asking('release'))).thoughts.length, 1)
})
