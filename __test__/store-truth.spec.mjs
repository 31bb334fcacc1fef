// What is true travels: of facts that were changed on one machine, no other machine finds the outdated ones, in each store that can hold that.
import assert from 'node:assert/strict'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { EmbeddedStore } from '../dist/openbrain/embedded/store.js'
import { freshCommand, runBeside } from './support/command.mjs'
import { configured, foundCompany } from './support/company.mjs'
import { startOpenBrain } from './support/openbrain-server/server.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { opened } from './support/postgres-store.mjs'
import { freshFolder } from './support/project.mjs'
import { asking, deleting, freshId, kinds, ruling, storing, thought } from './support/thoughts.mjs'
import { approveStores } from './support/trust.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** Machines of one project: each has files and a home of its own, and all share a database. */
const onPostgres = async (t, count) => {
  const url = await server.database()
  return Array.from({ length: count }, () => configured(t, url))
}
/** Clones of one project of one user: each has files of its own, and all share the store of the home. */
const onEmbedded = async (t, count) => {
  const all = Array.from({ length: count }, () => freshCommand(t, { FORGE_MEMORY_EMBEDDER: 'none' }))
  for (const { project } of all)
    writeFileSync(join(project, '.forge.json'), JSON.stringify({ projectName: 'shop', embedder: { kind: 'none' } }))
  return all.map((one) => ({ ...one, env: (extra) => one.env({ FORGE_HOME: all[0].home, ...extra }) }))
}

/** The same with an OpenBrain server, which keeps no rulings, and can delete. */
const onOpenBrain = async (t, count) => {
  const brain = await startOpenBrain({})
  t.after(() => brain.close())
  return Array.from({ length: count }, () => configured(t, brain.rest))
}

async function say(command, args, env) {
  const { status, stdout, stderr } = await runBeside(command, ['--json', ...args], env)
  assert.equal(status, 0, `${args.join(' ')}: ${stderr}`)
  return JSON.parse(stdout)
}

const capture = async (command, text, ...more) => {
  const { thought: stored, ...outcome } = await say(command, ['capture', '-t', 'decision', text, ...more])
  return { ...outcome, id: stored.id }
}
const drain = async (command) => assert.equal((await say(command, ['drain'])).state, 'done')
const found = async (command, query) => (await say(command, ['search', query, '--limit', '100'])).thoughts

/** Twenty facts of one machine, as they were. */
const OLD = Array.from({ length: 20 }, (_, at) => `The atlas gateway${at} listens on port ${8000 + at}`)

/** Changes each of them, in every way in which something becomes outdated. Returns the ids of what is outdated then. */
async function change(command, ids) {
  const outdated = []
  for (const [at, id] of ids.entries()) {
    const port = `The atlas gateway${at} listens on port ${9000 + at}`
    const other = `Since march, nothing of atlas with number ${at} is reached from outside`
    if (at < 8) {
      const { retired } = await capture(command, port)
      assert.equal(retired?.[0]?.id, id, `${at}: a rule retires it`)
      outdated.push(id)
    } else if (at < 11) {
      const { id: by } = await capture(command, other)
      await say(command, ['replace', id, '--by', by])
      outdated.push(id)
    } else if (at < 13) {
      await say(command, ['replace', id, '--why', 'the service is gone'])
      outdated.push(id)
    } else if (at < 15) {
      await say(command, ['edit', id, port])
      outdated.push(id)
    } else if (at < 17) {
      await capture(command, other, '--supersedes', id)
      outdated.push(id)
    } else if (at < 19) {
      // No rule retires what a person has kept: it is in conflict, which a person settles.
      await capture(command, port)
      await say(command, ['keep', id])
      const { id: by, conflicts } = await capture(command, port.replace('9', '7'))
      assert.ok(conflicts?.some((one) => one.id === id))
      await say(command, [
        'conflicts',
        '--resolve',
        id,
        by,
        '--holds',
        ...(at === 17 ? ['newer'] : ['merge', '--text', other]),
      ])
      outdated.push(id, ...(at === 18 ? [by] : []))
    } else {
      await say(command, ['wrong', id])
      await say(command, ['review', '--reject', id])
      outdated.push(id)
    }
  }
  return outdated
}

for (const [name, machines] of [
  ['PostgreSQL', onPostgres],
  ['the embedded store', onEmbedded],
  ['OpenBrain', onOpenBrain],
]) {
  for (const count of [2, 3]) {
    test(`${name}: of twenty changed facts, ${count - 1} other machines find no outdated one, and what is kept comes back`, async (t) => {
      const [first, ...others] = await machines(t, count)
      const ids = []
      for (const text of OLD) ids.push((await capture(first, text)).id)
      await drain(first)
      for (const other of others) assert.equal((await found(other, 'atlas gateway port')).length, 20)
      const outdated = await change(first, ids)
      await drain(first)
      for (const other of others) {
        const thoughts = await found(other, 'atlas gateway port march outside')
        assert.deepEqual(
          thoughts.filter(({ id }) => outdated.includes(id)).map(({ content }) => content),
          [],
        )
        assert.equal(thoughts.filter(({ content }) => /9000|9001|9007|9013|9014/.test(content)).length, 5)
      }
      await say(first, ['keep', ids[0]])
      await say(first, ['keep', ids[12]])
      await drain(first)
      for (const other of others) {
        const back = (await found(other, 'atlas gateway port')).filter(({ id }) => outdated.includes(id))
        assert.deepEqual(back.map(({ id }) => id).sort(), [ids[0], ids[12]].sort())
      }
    })
  }
}

const stores = {
  PostgreSQL: async (t) => opened(t, await server.database()),
  'the embedded store': async (t) => {
    const store = new EmbeddedStore(undefined, join(freshFolder(t), 'openbrain.db'))
    t.after(() => store.close())
    return store
  },
}

/** A word that has no part in common with the others. */
const wordOf = (stem, at) => `${stem}${String.fromCharCode(97 + at).repeat(4)}`

/** Every order of a list. */
function orders(list) {
  if (list.length < 2) return [list]
  return list.flatMap((one, at) => orders(list.toSpliced(at, 1)).map((rest) => [one, ...rest]))
}

for (const [name, open] of Object.entries(stores)) {
  const deliver = async (store, deliveries) => {
    for (const one of deliveries) {
      const work = { store: 'put', rule: 'rule', delete: 'remove' }[one.action]
      assert.match(kinds(await store[work]([one])).join(), /^(delivered|gone)$/)
    }
  }
  const ids = async (store, text) => (await store.search(asking(text))).thoughts.map(({ id }) => id)

  test(`${name}: rulings and thoughts arrive in any order, and more than once`, async (t) => {
    const store = await open(t)
    const made = (text) => {
      const [old, fresh] = [thought(`${text} is alpha`), thought(`${text} is beta`)]
      return { old, fresh, all: [...storing(old, fresh), ruling('retire', old.id, { other: fresh.id, why: 'port' })] }
    }
    for (const [at, order] of orders([0, 1, 2]).entries()) {
      const { fresh, all } = made(wordOf('harbour', at))
      const sent = order.map((place) => all[place])
      await deliver(store, [...sent, ...sent])
      assert.deepEqual(await ids(store, wordOf('harbour', at)), [fresh.id], `order ${order}`)
    }
    for (const [at, order] of orders([0, 1, 2, 3]).entries()) {
      const { old, fresh, all } = made(wordOf('quay', at))
      all.push(ruling('keep', old.id))
      await deliver(
        store,
        order.map((place) => all[place]),
      )
      assert.deepEqual((await ids(store, wordOf('quay', at))).sort(), [old.id, fresh.id].sort(), `order ${order}`)
    }
    for (const [at, order] of orders([0, 1, 2, 3]).entries()) {
      const { old, fresh, all } = made(wordOf('canal', at))
      all.push(ruling('retire', fresh.id, { other: old.id }))
      await deliver(
        store,
        order.map((place) => all[place]),
      )
      assert.equal(
        (await ids(store, wordOf('canal', at))).length,
        2,
        `two that retire each other are both current, order ${order}`,
      )
    }
  })

  test(`${name}: a ruling of another project changes nothing, and what is forgotten stays forgotten`, async (t) => {
    const store = await open(t)
    const [mine, gone] = [thought('the ferry leaves at nine'), thought('the ferry leaves at ten')]
    await deliver(store, storing(mine, gone))
    await deliver(store, [{ ...ruling('retire', mine.id, { other: freshId() }), projects: ['bank'] }])
    await deliver(store, deleting(gone.id))
    await deliver(store, [ruling('keep', gone.id)])
    assert.deepEqual(await ids(store, 'ferry leaves'), [mine.id])
  })

  test(`${name}: a conflict is marked while both count, and feedback is counted once for each session`, async (t) => {
    const store = await open(t)
    const [one, other] = [thought('the mast is made of steel'), thought('the mast is made of carbon')]
    await deliver(store, storing(one, other))
    const marksOf = async (id) => {
      const { thoughts } = await store.search(asking('mast made'))
      const { contradictedBy, useful, wrong } = thoughts.find((hit) => hit.id === id)
      return { contradictedBy, useful, wrong }
    }
    const nothing = { contradictedBy: undefined, useful: undefined, wrong: undefined }
    assert.deepEqual(await marksOf(one.id), nothing)
    await deliver(store, [ruling('conflict', one.id, { other: other.id, why: 'material' })])
    assert.deepEqual(await marksOf(one.id), { ...nothing, contradictedBy: [other.id] })
    assert.deepEqual(await marksOf(other.id), { ...nothing, contradictedBy: [one.id] })
    await deliver(store, [ruling('hold', other.id, { other: one.id })])
    assert.deepEqual(await marksOf(one.id), nothing)
    for (const session of ['s1', 's1', 's2']) await deliver(store, [ruling('wrong', one.id, { other: session })])
    await deliver(store, [ruling('useful', one.id, { other: 's3' })])
    assert.deepEqual(await marksOf(one.id), { ...nothing, useful: 1, wrong: 2 })
    await deliver(store, [ruling('accept', one.id)])
    assert.deepEqual(await marksOf(one.id), { ...nothing, useful: 1 })
  })
}

test('a clock that is a day ahead does not have the last word in the database', async (t) => {
  const store = await stores.PostgreSQL(t)
  const one = thought('the lighthouse is white')
  await store.put(storing(one))
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
  await store.rule([ruling('retire', one.id, { at: tomorrow })])
  assert.equal((await store.search(asking('lighthouse'))).thoughts.length, 0)
  await new Promise(setImmediate)
  await store.rule([ruling('keep', one.id, { at: new Date().toISOString() })])
  assert.equal((await store.search(asking('lighthouse'))).thoughts.length, 1)
})

test('a change that a crash kept out of the queue is delivered by the next drain', async (t) => {
  const [first, second] = await onPostgres(t, 2)
  await capture(first, 'The harbour API listens on port 8080')
  await drain(first)
  await capture(first, 'The harbour API listens on port 9090')
  // As when the process dies between the files.
  rmSync(join(first.project, '.forge', 'openbrain-queue.jsonl'))
  await drain(first)
  const thoughts = await found(second, 'harbour API port')
  assert.deepEqual(
    thoughts.map(({ content }) => content),
    ['The harbour API listens on port 9090'],
  )
})

test('a capture that a crash kept out of the queue is delivered by the next drain, once, also with the project in two folders', async (t) => {
  const [command] = await onPostgres(t, 1)
  const { id } = await capture(command, 'The ferry needs a pilot in winter')
  rmSync(join(command.project, '.forge', 'openbrain-queue.jsonl'))
  // The records of the other folder are those of this machine, and it did not write them there.
  const copy = { ...command, project: join(command.folder, 'copy') }
  cpSync(command.project, copy.project, { recursive: true })
  approveStores(copy.project, copy.home)
  const counts = []
  for (const one of [copy, command, copy, command]) counts.push((await say(one, ['drain'])).delivered)
  assert.deepEqual(counts, [0, 1, 0, 0])
  assert.deepEqual(
    (await found(command, 'ferry pilot')).map((hit) => hit.id),
    [id],
  )
})

test('tables of a newer version: records and what was said wait in the queue, and are delivered once both are of one version', async (t) => {
  if (server.kind !== 'postgres') return void t.diagnostic('PGlite has one user')
  const { url, addresses } = await foundCompany(t, server, { roles: [['anna', 'forge_writer']] })
  const version = (number) => execute(url, `update forge_memory.migrations set version = ${number}`)
  await version(6)
  const command = configured(t, addresses[0])
  const old = await capture(command, 'The harbour API listens on port 8080')
  await capture(command, 'The harbour API listens on port 9090')
  const { status, stdout, stderr } = await runBeside(command, ['drain', '--json'])
  assert.equal(status, 1, stderr)
  const report = JSON.parse(stdout)
  assert.deepEqual([report.delivered, report.deadLetters, report.queued], [0, 0, 3], stdout)
  assert.match(`${stdout}${stderr}`, /its tables are of version 6.*update forge-memory/)
  await version(5)
  await drain(command)
  const hits = await found(configured(t, addresses[0]), 'harbour API port')
  assert.deepEqual([hits.length, hits.some(({ id }) => id === old.id)], [1, false])
})
