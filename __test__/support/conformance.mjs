// What every shared store must do, whatever it is made of.
import assert from 'node:assert/strict'
import test from 'node:test'
import { ollamaEmbedder } from '../../dist/openbrain/embedder/ollama.js'
import { startEmbedder } from './embedder-server.mjs'
import { asking, deleting, kinds, storing, thought } from './thoughts.mjs'

const CAPABILITIES = ['batch', 'delete', 'provenance', 'scope', 'semantic', 'supersedes']

/** Runs the whole suite. `open` returns an empty store that is closed with the test, and `again` another one on the same data. */
export function conforms(name, open) {
  const check = (title, work) => test(`${name}: ${title}`, async (t) => work(await open(t), t))
  const find = async (store, text, extra) => (await store.search(asking(text, extra))).thoughts
  const contents = async (store, text, extra) => (await find(store, text, extra)).map(({ content }) => content)

  check('the handshake says what it can do', async ({ store }) => {
    const capabilities = await store.handshake()
    for (const ability of CAPABILITIES) assert.equal(typeof capabilities[ability], 'boolean', ability)
    assert.deepEqual([capabilities.scope, capabilities.provenance, capabilities.delete], [true, true, true])
    assert.ok(Array.isArray(capabilities.negotiatedAway) && capabilities.dialect !== '')
    assert.doesNotMatch(JSON.stringify([capabilities, store.place]), /secret-key/)
  })

  check('what is stored is found with everything that it was stored with', async ({ store }) => {
    const one = thought('Gate needs --runInBand on Windows', { tags: ['jest'], type: 'gotcha' })
    assert.deepEqual(kinds(await store.put(storing(one, thought('Store prices as integer cents')))), [
      'delivered',
      'delivered',
    ])
    const [hit] = await find(store, 'gate runInBand windows')
    const { id, content, project, type, source, tags } = hit
    assert.deepEqual(
      { id, content, project, type, source, tags },
      {
        id: one.id,
        content: one.content,
        project: 'shop',
        type: 'gotcha',
        source: 'forge_sweep',
        tags: ['jest'],
      },
    )
    assert.equal(Date.parse(hit.createdAt), Date.parse(one.capturedAt))
  })

  check('a thought that is delivered twice is there once', async ({ store, again }) => {
    const thoughts = Array.from({ length: 7 }, (_, at) => thought(`the lesson number ${at} of seven`))
    const batch = storing(...thoughts)
    await store.put(batch)
    await store.put(batch)
    // Another process knows nothing of the first delivery, not even that it was tried.
    const other = await again()
    assert.deepEqual(
      kinds(await other.put(batch)),
      batch.map(() => 'delivered'),
    )
    assert.deepEqual(
      kinds(await other.put(batch.map((one) => ({ ...one, attempts: 3 })))),
      batch.map(() => 'delivered'),
    )
    assert.equal(await store.count(), 7)
    assert.equal((await find(store, 'lesson of seven', { limit: 50 })).length, 7)
  })

  check('what is removed is gone, and what is not there is gone as well', async ({ store }) => {
    const [one, other] = [thought('never mock the clock'), thought('never mock the network')]
    await store.put(storing(one, other))
    assert.deepEqual(kinds(await store.remove(deleting(one.id, 'mem_that_nobody_stored'))), ['gone', 'gone'])
    assert.deepEqual(await contents(store, 'never mock'), [other.content])
    assert.equal(await store.count(), 1)
    assert.deepEqual(kinds(await store.remove(deleting(one.id))), ['gone'])
  })

  check('one delete may mean several thoughts', async ({ store }) => {
    const [one, other, third] = ['first', 'second', 'third'].map((word) => thought(`the ${word} note on deploys`))
    await store.put(storing(one, other, third))
    const [both] = deleting(one.id)
    assert.deepEqual(kinds(await store.remove([{ ...both, ids: [one.id, other.id] }])), ['gone'])
    assert.deepEqual(await contents(store, 'note on deploys'), [third.content])
  })

  check('a revision takes the place of what it supersedes', async ({ store }) => {
    const old = thought('release on fridays')
    const revision = thought('release on mondays, never on fridays', { supersedes: old.id })
    await store.put(storing(old))
    await store.put(storing(revision))
    assert.deepEqual(
      (await find(store, 'release fridays')).map(({ id }) => id),
      [revision.id],
    )
  })

  check('what has expired is not found', async ({ store }) => {
    const past = thought('the staging host is down', { expiresAt: new Date(Date.now() - 1000).toISOString() })
    const future = thought('the staging host is slow', { expiresAt: new Date(Date.now() + 60_000).toISOString() })
    await store.put(storing(past, future))
    assert.deepEqual(await contents(store, 'staging host'), [future.content])
    const later = new Date(Date.now() + 3_600_000).toISOString()
    assert.deepEqual(await contents(store, 'staging host', { now: later }), [])
  })

  check('project, type, since and limit narrow a search', async ({ store }) => {
    const at = (days) => new Date(Date.now() - days * 86_400_000).toISOString()
    const [mine, theirs, gotcha, old] = [
      thought('cache keys need a version one'),
      thought('cache keys need a version two', { project: 'bank' }),
      thought('cache keys need a version three', { type: 'gotcha' }),
      thought('cache keys need a version four', { capturedAt: at(30) }),
    ]
    await store.put(storing(mine, theirs, gotcha, old))
    const idsOf = async (extra) => (await find(store, 'cache keys version', extra)).map(({ id }) => id).sort()
    assert.deepEqual(await idsOf({}), [mine, theirs, gotcha, old].map(({ id }) => id).sort())
    assert.deepEqual(await idsOf({ project: 'bank' }), [theirs.id])
    assert.deepEqual(await idsOf({ type: 'gotcha' }), [gotcha.id])
    assert.deepEqual(await idsOf({ since: at(7) }), [mine, theirs, gotcha].map(({ id }) => id).sort())
    assert.equal((await idsOf({ limit: 2 })).length, 2)
    assert.deepEqual(await idsOf({ project: 'nobody' }), [])
    assert.deepEqual([await store.count('bank'), await store.count()], [1, 4])
  })

  check('any text is stored and comes back as it was', async ({ store }) => {
    const texts = [
      `quotes ' " \` and \\ and '; drop table thoughts; -- alpha`,
      'line\nbreaks\tand \u001b[31mcolours\u001b[0m bravo',
      'Ключи кэша нуждаются в версии charlie',
      'キャッシュ 🧠👩‍👩‍👧 delta',
      `${'echo '.repeat(13_000)}echo`,
      '{"json": [1, 2, {"a": null}]} foxtrot',
      '%s $1 $HOME :name @at golf',
    ]
    const outcomes = await store.put(storing(...texts.map((text) => thought(text))))
    assert.deepEqual(
      kinds(outcomes),
      texts.map(() => 'delivered'),
    )
    const words = ['alpha', 'bravo', 'charlie', 'delta', 'echo', 'foxtrot', 'golf']
    for (const [at, word] of words.entries()) assert.deepEqual(await contents(store, word, { limit: 1 }), [texts[at]])
  })

  check('a zero character or half a surrogate pair does not stop a delivery', async ({ store }) => {
    const odd = thought('zero \u0000 and half \ud83d of a pair hotel', { metadata: '{"odd":"\\u0000 \\ud83d"}' })
    assert.deepEqual(kinds(await store.put(storing(odd, thought('an even one')))), ['delivered', 'delivered'])
    assert.deepEqual(
      (await find(store, 'hotel', { limit: 1 })).map(({ id }) => id),
      [odd.id],
    )
  })

  check('no query breaks the search', async ({ store }) => {
    await store.put(storing(thought('a plain note')))
    for (const text of [
      '',
      '   ',
      '!!! & | :* ()',
      "' or 1=1 --",
      '"',
      'a'.repeat(20_000),
      '\u0000',
      '-- -',
      'NOT',
      '\ud83d',
    ]) {
      assert.ok(Array.isArray(await find(store, text)), text.slice(0, 20))
    }
  })

  check('a batch of two hundred arrives whole, in the parts that the store takes', async ({ store }) => {
    const batch = storing(...Array.from({ length: 200 }, (_, at) => thought(`note ${at} of a long day`)))
    for (let at = 0; at < batch.length; at += store.batchMax) {
      const part = batch.slice(at, at + store.batchMax)
      assert.deepEqual(new Set(kinds(await store.put(part))), new Set(['delivered']))
    }
    assert.equal(await store.count(), 200)
  })

  check('two stores that get the same batch at once hold each thought once', async ({ store, again }, t) => {
    const other = await again()
    const batch = storing(...Array.from({ length: 100 }, (_, at) => thought(`note ${at}`)))
    const { idempotent } = await store.handshake()
    // Servers without keys of ours can only be asked before: there, one goes after the other.
    const isAtomic = idempotent === 'by-id'
    if (!isAtomic) t.diagnostic(`${name} is idempotent ${idempotent}: one after the other`)
    const deliveries = [
      () => deliver(store, batch),
      () => deliver(other, [...batch].reverse()),
      () => deliver(store, batch),
    ]
    const outcomes = []
    if (isAtomic) outcomes.push(...(await Promise.all(deliveries.map((give) => give()))).flat())
    else for (const give of deliveries) outcomes.push(...(await give()))
    assert.deepEqual(new Set(kinds(outcomes)), new Set(['delivered']))
    assert.equal(await store.count(), 100)
  })

  check('what is forgotten cannot come back, where ids are kept', async ({ store }) => {
    const one = thought('said in haste')
    await store.put(storing(one))
    await store.remove(deleting(one.id))
    const { idempotent } = await store.handshake()
    if (idempotent === 'by-id') assert.deepEqual(kinds(await store.put(storing(one))), ['delivered'])
    assert.deepEqual([await store.count(), await find(store, 'haste')], [0, []])
  })

  check('what is captured again lives longer, and never shorter', async ({ store, again }) => {
    const at = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const one = thought('the staging host is slow', { expiresAt: at(1) })
    const [neighbour, other] = [thought('the staging host is small', { expiresAt: at(1) }), await again()]
    await store.put(storing(one, neighbour))
    const confirming = (hours) =>
      storing({ ...one, expiresAt: at(hours) }).map((delivery) => ({ ...delivery, confirmedAt: at(0) }))
    for (const [hours, through] of [
      [48, other],
      [24, store],
      [48, store],
    ]) {
      assert.deepEqual(kinds(await through.put(confirming(hours))), ['delivered'])
      assert.equal(await store.count(), 2, 'a longer life is no second thought')
    }
    assert.deepEqual(await contents(store, 'staging host', { now: at(30) }), [one.content])
    const [hit] = await find(store, 'staging host slow', { now: at(30) })
    assert.deepEqual([hit.id, hit.project, hit.type], [one.id, one.project, one.type])
    assert.ok(Date.parse(hit.expiresAt) > Date.parse(at(47)))
    assert.deepEqual(await contents(store, 'staging host', { now: at(72) }), [])
  })
}

/** Delivers in the parts that a store takes. */
async function deliver(store, batch) {
  const outcomes = []
  for (let at = 0; at < batch.length; at += store.batchMax) {
    outcomes.push(...(await store.put(batch.slice(at, at + store.batchMax))))
  }
  return outcomes
}

/** What a store must do that makes its own vectors. `open` takes the embedder, as `again` does. */
export function goesByMeaning(name, open) {
  const embedderFor = async (t, model, options) => {
    const embedder = await startEmbedder(options)
    t.after(() => embedder.close())
    return ollamaEmbedder(embedder.url, model)
  }

  test(`${name}: a search is semantic with an embedder, and says so`, async (t) => {
    const { store, again } = await open(t, await embedderFor(t, 'test'))
    const wanted = thought('reset the password after three failures')
    await store.put(storing(wanted, thought('paint the shed green'), thought('wash the car on sunday')))
    const answer = await store.search(asking('login'))
    assert.deepEqual([answer.semantic, answer.thoughts[0].id], [true, wanted.id])
    const lexical = await (await again(null)).search(asking('login'))
    assert.deepEqual(lexical, { thoughts: [], semantic: false })
  })

  test(`${name}: another embedder re-embeds in the background while search keeps working`, async (t) => {
    const { store, again } = await open(t, await embedderFor(t, 'small', { dimensions: 32 }))
    await store.put(storing(...Array.from({ length: 30 }, (_, at) => thought(`price list number ${at}`))))
    const changed = await again(await embedderFor(t, 'large', { dimensions: 128 }))
    const seen = []
    for (let done = -1; done < 30; ) {
      const progress = await changed.embedMissing(8)
      seen.push(progress.done)
      done = progress.done
      assert.equal((await changed.search(asking('price list'))).thoughts.length, 10)
    }
    assert.deepEqual(seen, [8, 16, 24, 30])
    const { semantic, thoughts: found } = await changed.search(asking('money'))
    assert.deepEqual([semantic, found.length], [true, 10])
  })

  test(`${name}: an embedder of another dimension under the same name is refused`, async (t) => {
    const { store, again } = await open(t, await embedderFor(t, 'test', { dimensions: 32 }))
    await store.put(storing(thought('a note')))
    const other = await again(await embedderFor(t, 'test', { dimensions: 48 }))
    const message = /holds vectors of 32 dimensions for ollama:test, but the embedder computes 48/
    await assert.rejects(other.handshake(), { kind: 'misconfigured', message })
  })
}
