// Writes a project for the pictures, and serves it until the parent goes away. It runs with a clock that stands still.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const { project, count, code } = JSON.parse(process.argv[2])
process.env.FORGE_HOME = join(project, '..', 'home')
const { captureMemory, editMemory, findProject, latticeIndex } = await import('../../index.js')
const { serve } = await import('../../dist/server/index.js')
const { dice, recordMoments, writeHistory } = await import('../screenshots/history.mjs')
const { LONG } = await import('./texts.mjs')

const options = { projectDir: project }
const person = { ...options, author: 'person' }
/** Of so many records, one is as long as people write them now and then. */
const LONG_EVERY = 6

const PROPOSED = [
  'The importer holds a read transaction: SQLite locks the file while it calls the network',
  'Prices are rounded per line, not per order',
  'The staging database is copied from production every Sunday night, so that test orders made before are gone on Monday',
]
const PAIRS = [
  ['Deploy on Tuesday. Ask Ann first. The runbook is in the wiki.', 'We deploy on Thursday'],
  ['The session timeout is 30 minutes', 'The session timeout is 45 minutes since the audit'],
]

/** Some texts name a file of the code, or one that is gone. */
const FILES = ['src/python/shop/cart.py', 'src/go/store.go', 'src/go/cart.go', 'src/rust/src/removed.rs']

function textOf(text, number) {
  const turn = Math.floor(number / LONG_EVERY)
  if (number % LONG_EVERY === 3) return LONG[turn % LONG.length](text)
  return number % LONG_EVERY === 0 ? `${text}, in ${FILES[turn % FILES.length]}` : text
}

function fillReview() {
  writeFileSync(join(project, '.forge.json'), JSON.stringify({ projectName: 'shop', review: 'agents' }))
  for (const pair of PAIRS) for (const body of pair) captureMemory({ type: 'decision', body }, person)
  for (const body of PROPOSED)
    captureMemory({ type: 'gotcha', body, tags: ['import', 'database'] }, { ...options, author: 'agent' })
}

/** Notes that hooks injected, over two months, used more and more. */
function fillInjections(ids, roll) {
  const hooks = ['before-tool', 'prompt', 'session-start', 'after-tool']
  const own = findProject(options)
  const total = Math.min(240, ids.length * 8)
  for (let at = 0; at < total; at += 1) {
    const when = new Date(Date.now() - (total - 1 - at) * 6 * 3_600_000).toISOString()
    const hook = hooks[Math.floor(roll() ** 1.6 * hooks.length)]
    const told = [ids[at % ids.length], ids[(at * 3 + 1) % ids.length]].slice(0, roll() < 0.4 ? 2 : 1)
    const event = { at: when, hook, host: 'claude', session: `session-${Math.floor(at / 6)}` }
    const cost = { tokens: Math.round(told.length * (30 + 25 * roll())), ms: 45 + 30 * roll() }
    recordMoments(own, [{ ...event, kind: 'told', ids: told, why: told.map(() => 'file'), ...cost }])
    if (roll() < 0.3 + at / 480) recordMoments(own, [{ ...event, kind: 'used', id: told[0], how: 'file' }])
  }
}

/** Returns the id of a record with a past, or none. */
async function fill() {
  if (count === 0) return undefined
  const { thoughts } = writeHistory(project, { count, letters: 3, changed: 2, textOf })
  const chosen = thoughts.at(-5)
  const { id } = editMemory(chosen.id, { body: `${chosen.content}; confirmed by the nightly run` }, options)
  fillReview()
  fillInjections(
    thoughts.slice(-30).map((thought) => thought.id),
    dice(7),
  )
  cpSync(fileURLToPath(new URL(code, import.meta.url)), join(project, 'src'), { recursive: true })
  await latticeIndex(options)
  return id
}

mkdirSync(project, { recursive: true })
const id = await fill()
const server = await serve({ ...options, port: 0, watch: false, drain: false })
process.send({ url: server.url, id, now: Date.now() })
process.once('disconnect', () => server.close().then(() => process.exit(0)))
