// The pages for teams and for maintenance are typed as they are, from nothing: a page whose commands do not work is worse than none.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { after, before } from 'node:test'
import { freshCommand } from './support/command.mjs'
import { parsePage } from './support/pages.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { root } from './support/project.mjs'
import { until } from './support/waiting.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** The commands of a page for a shell, one text for each block below a heading. */
function blocksOf(name, heading) {
  const { headings, blocks } = parsePage(name, readFileSync(join(root, 'docs', name), 'utf8'))
  const at = headings.findIndex(({ title }) => title === heading)
  assert.ok(at >= 0, heading)
  const next = headings.slice(at + 1).find(({ level }) => level <= headings[at].level)
  const isBelow = ({ line }) => line > headings[at].line && (next === undefined || line < next.line)
  return blocks.filter((block) => block.language === 'sh' && isBelow(block)).map(({ lines }) => lines)
}

/** A person with a home and a shell, in which `forge-memory` and the programs of the database are. */
function person(t, url, more = {}) {
  const command = freshCommand(t, { FORGE_MEMORY_EMBEDDER: 'none' })
  const bin = join(command.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'forge-memory'), `#!/bin/sh\nexec "${process.execPath}" "${command.program}" "$@"\n`)
  chmodSync(join(bin, 'forge-memory'), 0o755)
  const { hostname, port, username } = new URL(url)
  const env = command.env({
    PATH: [bin, server.programs, process.env.PATH].join(delimiter),
    PGHOST: hostname,
    PGPORT: port,
    PGUSER: username,
    // Of this command only.
    HOME: command.folder,
    DATABASE_URL: url,
    ...more,
  })
  const options = { cwd: command.project, encoding: 'utf8', env }
  const type = (text) => {
    // There is no terminal on which the question could be answered.
    const line = text.replace(/forge-memory store use( "[^"]*")?/, '$& --yes')
    const { status, stdout, stderr } = spawnSync('bash', ['-o', 'pipefail', '-ec', line], options)
    assert.equal(status, 0, `${line}\n${stdout}${stderr}`)
    return stdout
  }
  spawnSync('git', ['init', '-q', '.'], options)
  return { ...command, type, env }
}

const isTypeable = () => server.kind === 'postgres' && process.platform !== 'win32'

test('teams.md: from nothing to the second person who finds it, and from a backup', async (t) => {
  if (!isTypeable()) return void t.diagnostic('the page is for a database server and a shell')
  const [databases, setUp, each, work] = blocksOf(
    'teams.md',
    'From nothing to the second person’s first search'.replace('’', "'"),
  )
  await execute(server.address('postgres'), 'create database memory')
  const url = server.address('memory')
  const admin = person(t, url)
  const way = databases.find((line) => line.startsWith('db()') && line.includes('DATABASE_URL'))
  for (const line of setUp) admin.type(`${way}\n${line}`)
  t.after(() =>
    ['anna', 'ben'].reduce(
      (last, role) => last.then(() => execute(url, `drop owned by ${role}; drop role ${role}`)),
      Promise.resolve(),
    ),
  )
  const here = (line) => line.replaceAll('db.example.org', `127.0.0.1:${new URL(url).port}`)
  const people = { anna: 'a-password', ben: 'another' }
  const typed = Object.entries(people).map(([name, password]) => {
    const one = person(t, url)
    one.type(`git config user.email ${name}@example.org; git remote add origin https://github.com/acme/shop.git`)
    for (const line of each) one.type(here(line).replace('anna:a-password', `${name}:${password}`))
    assert.doesNotMatch(readFileSync(join(one.home, 'config.json'), 'utf8'), new RegExp(password))
    return one
  })
  const [anna, ben] = typed
  const shown = work.map((line) => (/# ben$/.test(line) ? ben : anna).type(line))
  assert.match(shown.at(-1), /The login test fails unless the clock is in UTC/)

  const [backup] = blocksOf('teams.md', 'Backup')
  for (const line of backup.filter((text) => text !== '')) admin.type(line)
  const restored = person(t, server.address('restored'))
  restored.type(`git remote add origin https://github.com/acme/shop.git; forge-memory store use "$DATABASE_URL"`)
  assert.match(restored.type('forge-memory find --shared login fails'), /clock is in UTC/)
  restored.type('forge-memory store check')
})

test('operations.md: the commands of its table work on a memory, and what it says about loss', async (t) => {
  if (!isTypeable()) return void t.diagnostic('the page is for a shell')
  const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8')
  const one = person(t, await server.database())
  one.type('forge-memory add -t gotcha "The login test fails unless the clock is in UTC"')
  one.type(
    'forge-memory add -t lesson "Deploys on fridays wait until monday"; git add -A; git -c user.email=a@b -c user.name=a commit -qm x',
  )
  // The table names a command for each purpose.
  const section = page.slice(page.indexOf('| for | command |'), page.indexOf('`doctor --fix`, `doctor --redact`'))
  const named = [...section.matchAll(/\| `([a-z][^`]*)` \|/g)].map(([, words]) => words)
  assert.ok(named.length >= 6)
  for (const words of named) one.type(`forge-memory ${words}`)
  one.type('forge-memory store use "$DATABASE_URL"; forge-memory drain')
  one.type('git clean -fdxq; git rm -rq --cached .forge; rm -rf .forge')
  const back = /`(forge-memory import --[^`]*)` brings back/.exec(page.replaceAll('\n', ' '))
  assert.match(one.type(back[1]), /2 new/)
})

test('operations.md: the metrics are where it says', async (t) => {
  if (!isTypeable()) return void t.diagnostic('the page is for a shell')
  const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8')
  const one = person(t, await server.database())
  one.type('forge-memory add -t gotcha "The login test fails unless the clock is in UTC"')
  const [, line] = /`(forge-memory dashboard --no-open)` answers `GET \/metrics`/.exec(page)
  const child = spawn('bash', ['-c', `exec ${line} --port 0`], {
    cwd: one.project,
    env: one.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stdout.on('data', (text) => (said += text))
  child.stderr.on('data', (text) => (said += text))
  t.after(async () => {
    child.kill('SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  })
  await until(() => /#token=[\w-]/.test(said))
  const [, address, token] = /(http:\/\/[^/\s]+)\/\S*#token=([\w-]+)/.exec(said)
  const answer = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  const text = await answer.text()
  const metrics = [...page.slice(page.indexOf('| metric |')).matchAll(/`(\w+_\w+)(?:\{|`)/g)].map(([, name]) => name)
  assert.ok(metrics.length >= 10)
  const missing = metrics.filter((name) => name.includes('forge_memory') && !text.includes(name))
  assert.deepEqual(missing, [])
  rmSync(join(one.project, 'none'), { force: true })
})
