// Two machines share a PostgreSQL store, one of them through a pooler. They capture, edit, forget, deliver and search, while the database,
// the pooler and the clients are killed at random. Afterwards everything that was acknowledged has to be there, once, with a vector.
//   node scripts/store-soak.mjs [--seconds 600]
// The server is that of the tests. Ends with 1 when a promise was broken. With KEEP in the environment, the two projects are left for a look.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startEmbedder } from '../__test__/support/embedder-server.mjs'
import { freePort, startPostgres } from '../__test__/support/postgres.mjs'
import { inspect } from './store-soak/inspection.mjs'
import { Slot } from './store-soak/slot.mjs'

const at = process.argv.indexOf('--seconds')
const seconds = Number(at < 0 ? 600 : process.argv[at + 1])
const program = (name) => fileURLToPath(new URL(`store-soak/${name}.mjs`, import.meta.url))
const COMMAND = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const ROLES = ['write', 'write', 'drain', 'search']
/** How often something is killed: a client, the pooler, the database. */
const PAUSE_MS = { shortest: 300, spread: 2700 }
const POOLER_EVERY = 8
const DATABASE_EVERY = 20
/** How often a server is tried to be started. */
const STARTS_MAX = 100
/** How many passes the deliveries may take at the end. */
const PASSES_MAX = 50

function machine(name, folder, url, embedder) {
  const [project, home] = [join(folder, name, 'project'), join(folder, name, 'home')]
  for (const path of [project, home]) mkdirSync(path, { recursive: true })
  writeFileSync(join(project, '.forge.json'), '{"projectName":"soak"}\n')
  const settings = { openbrain: { url, createdBy: name }, embedder: { kind: 'ollama', url: embedder, model: 'soak' } }
  writeFileSync(join(home, 'config.json'), JSON.stringify(settings), { mode: 0o600 })
  return { name, project, environment: { ...process.env, FORGE_HOME: home } }
}

function startClients({ name, project, environment }) {
  return ROLES.map((role, number) => {
    const argumentsOf = (count) => [program('client'), role, project, `${name}${number}r${count}`]
    return Object.assign(new Slot({ name: `${role} of ${name}`, argumentsOf, environment }), { role })
  })
}

/** The postmaster dies without a word; the server recovers from its log. */
async function killDatabase(server) {
  const [pid] = readFileSync(join(server.data, 'postmaster.pid'), 'utf8').split('\n')
  process.kill(Number(pid), 'SIGKILL')
  for (let tries = 1; ; tries++) {
    // Its children notice, and must be gone before the next server starts.
    await sleep(250)
    try {
      return await server.start()
    } catch (error) {
      if (tries === STARTS_MAX) throw error
    }
  }
}

async function killAtRandom({ clients, pooler, server }) {
  const end = performance.now() + seconds * 1000
  const kills = { clients: 0, pooler: 0, database: 0 }
  for (let round = 1; performance.now() < end; round++) {
    await sleep(PAUSE_MS.shortest + Math.random() * PAUSE_MS.spread)
    clients[Math.floor(Math.random() * clients.length)].kill()
    kills.clients += 1
    if (round % POOLER_EVERY === 0) {
      pooler.kill()
      kills.pooler += 1
    }
    if (round % DATABASE_EVERY === 0) {
      await killDatabase(server)
      kills.database += 1
    }
  }
  await Promise.all(clients.map((client) => client.stop()))
  return kills
}

/** Runs a command to its end; returns what it printed. */
function run({ project, environment }, ...words) {
  const child = spawn(process.execPath, [COMMAND, ...words, '--json', '--project', project], { env: environment })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  return new Promise((resolve) => child.once('close', () => resolve(output)))
}

/** Delivers what is left. Returns how many records nobody could deliver. */
async function deliverRest(machines) {
  let left = 0
  for (const one of machines) {
    for (let pass = 0; ; pass++) {
      const report = JSON.parse(await run(one, 'drain'))
      if (report.queued === 0 || pass === PASSES_MAX) {
        left += report.queued + report.deadLetters
        break
      }
    }
    await run(one, 'embed')
  }
  return left
}

const folder = mkdtempSync(join(tmpdir(), 'forge-memory-soak-'))
const server = await startPostgres()
const embedder = await startEmbedder()
let pooler
let clients = []
try {
  const url = await server.database()
  const poolerPort = await freePort()
  pooler = new Slot({ name: 'pooler', argumentsOf: () => [program('pooler'), server.port, poolerPort].map(String) })
  const machines = [
    machine('anna', folder, url, embedder.url),
    machine('ben', folder, url.replace(`:${server.port}/`, `:${poolerPort}/`), embedder.url),
  ]
  clients = machines.flatMap(startClients)
  const kills = await killAtRandom({ clients, pooler, server })
  const left = await deliverRest(machines)
  const lines = clients.flatMap((client) => client.lines.map((line) => JSON.parse(line)))
  const failures = [...clients, pooler].flatMap((slot) => slot.failures)
  const searches = lines.filter(({ kind }) => kind === 'searched')
  const answered = searches.filter(({ backend }) => backend === 'postgres').length
  const killed = `${kills.clients} clients, the pooler ${kills.pooler} times, the database ${kills.database} times`
  const rows = [
    ...(await inspect(url, lines)),
    { what: 'records left in a queue, or given up', count: left },
    { what: 'calls that failed', count: failures.length, note: `killed: ${killed}` },
  ]
  for (const failure of failures.slice(0, 5)) process.stderr.write(`${failure}\n`)
  for (const { what, count, note } of rows) {
    process.stdout.write(`${String(count).padStart(7)}  ${what}${note === undefined ? '' : ` (${note})`}\n`)
  }
  process.stdout.write(`${String(searches.length).padStart(7)}  searches, of which the store answered ${answered}\n`)
  if (rows.some(({ count }) => count !== 0)) process.exitCode = 1
} finally {
  await Promise.all([...clients, pooler].map((slot) => slot?.stop()))
  await Promise.all([server.close(), embedder.close()])
  if (process.env.KEEP === undefined) rmSync(folder, { recursive: true, force: true })
  else process.stdout.write(`${folder}\n`)
}
