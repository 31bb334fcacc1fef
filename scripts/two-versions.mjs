// Two versions of forge-memory work on one project at the same moment and are killed at random. Afterwards everything that either of them
// acknowledged has to be there, once, and neither may have thrown away what the other derives.
//   node scripts/two-versions.mjs --older FOLDER [--newer FOLDER] [--seconds 60] [--write]
// A FOLDER is an installed package or a built clone; --newer is this one unless it is given. Ends with 1 when a promise was broken. --write puts
// the table into docs/reference/platforms.md.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startOpenBrain } from '../__test__/support/openbrain-server/server.mjs'
import { tableOf, writeTable } from './platforms/page.mjs'
import { countRewrites } from './two-versions/alternation.mjs'
import { inspect } from './two-versions/inspection.mjs'
import { Slot } from './two-versions/slot.mjs'

const optionOf = (option, otherwise) => {
  const at = process.argv.indexOf(option)
  return at < 0 ? otherwise : process.argv[at + 1]
}
const WORKER = fileURLToPath(new URL('two-versions/worker.mjs', import.meta.url))
const PAUSE_MS = { shortest: 30, spread: 400 }
/** A drain that another process does, or that a store refuses, ends with this code. */
const DRAIN_CODES = [0, 1]

function versionIn(name, folder) {
  const root = resolve(folder)
  const { main } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const version = { name, root, library: join(root, main), command: join(root, 'dist', 'cli', 'main.js') }
  for (const path of [version.library, version.command]) {
    if (!existsSync(path)) throw new Error(`${path} is missing: build that version first`)
  }
  return version
}

function startSlots(version, place, environment) {
  const worker = (role, slot) => (count) => [
    WORKER,
    role,
    version.library,
    place.project,
    `${version.name}${slot}r${count}`,
    String(slot * 37 + count * 11),
  ]
  const drain = () => [version.command, 'drain', '--json', '--project', place.project]
  const slot = (name, argumentsOf, allows) =>
    new Slot({ name: `${name} of the ${version.name} version`, argumentsOf, environment, allows })
  return {
    writers: [0, 1].map((number) => slot('writer', worker('write', number))),
    others: [slot('reader', worker('read', 0)), slot('keeper', worker('keep', 0)), slot('drain', drain, DRAIN_CODES)],
  }
}

async function killAtRandom(slots, seconds) {
  const end = Date.now() + seconds * 1000
  let kills = 0
  while (Date.now() < end) {
    await sleep(PAUSE_MS.shortest + Math.random() * PAUSE_MS.spread)
    slots[Math.floor(Math.random() * slots.length)].kill()
    kills++
  }
  await Promise.all(slots.map((slot) => slot.stop()))
  return kills
}

const folder = mkdtempSync(join(tmpdir(), 'forge-memory-two-versions-'))
const place = { project: join(folder, 'project'), home: join(folder, 'home') }
for (const path of Object.values(place)) mkdirSync(path)
const server = await startOpenBrain({ key: 'a-key-of-two-versions' })
writeFileSync(join(place.project, '.forge.json'), '{"projectName":"two-versions"}\n')
const environment = {
  ...process.env,
  FORGE_HOME: place.home,
  FORGE_OPENBRAIN_URL: server.rest,
  OPENBRAIN_KEY: 'a-key-of-two-versions',
}

try {
  const versions = [
    versionIn('older', optionOf('--older', '')),
    versionIn('newer', optionOf('--newer', fileURLToPath(new URL('..', import.meta.url)))),
  ]
  const started = versions.map((version) => startSlots(version, place, environment))
  const slots = started.flatMap(({ writers, others }) => [...writers, ...others])
  const kills = await killAtRandom(slots, Number(optionOf('--seconds', '60')))
  const acknowledged = started.map(({ writers }) =>
    writers.flatMap(({ lines }) => lines.map((line) => JSON.parse(line))),
  )
  const failures = slots.flatMap((slot) => slot.failures)
  const rows = [
    ...(await inspect({ versions, place, environment, acknowledged, brain: server.brain })),
    ...countRewrites({ versions, place, environment }),
    { what: 'calls that failed', count: failures.length, must: 0, note: `${kills} kills` },
  ]
  for (const failure of failures.slice(0, 5)) process.stderr.write(`${failure}\n`)
  for (const { what, count, must, note = '' } of rows) {
    const verdict = must === undefined || count === must ? '' : `  expected ${must}`
    process.stdout.write(`${String(count).padStart(7)}  ${what}${note && ` (${note})`}${verdict}\n`)
    if (verdict) process.exitCode = 1
  }
  if (process.argv.includes('--write')) {
    const cells = rows.map(({ what, count, must = '', note = '' }) => [note ? `${what} (${note})` : what, count, must])
    writeTable('two versions', tableOf(['what', 'count', 'must be'], cells))
  }
} finally {
  await server.close()
  if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true })
  else process.stdout.write(`${folder}\n`)
}
