// docs/teams.md, typed as it stands: from an empty database to what the second person finds.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import test, { after, before } from 'node:test'
import { requirePostgres } from '../scripts/setup/postgres.mjs'
import { freshCommand } from './support/command.mjs'
import { parsePage } from './support/pages.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { freshFolder, root } from './support/project.mjs'

for (const name of ['OPENBRAIN_KEY', 'FORGE_OPENBRAIN_URL', 'DATABASE_URL', 'PGPASSWORD']) delete process.env[name]

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** What the code blocks of a section of a page say. */
function blocksBelow(title, name = 'docs/teams.md') {
  const page = parsePage(name, readFileSync(join(root, ...name.split('/')), 'utf8'))
  const from = page.headings.find((heading) => heading.title === title).line
  const to = page.headings.find(({ line, level }) => line > from && level <= 3)?.line ?? Number.POSITIVE_INFINITY
  return page.blocks.filter(({ line }) => line > from && line < to).map(({ lines }) => lines)
}
const isPosix = process.platform !== 'win32'

/** A person with a machine: a home, and a clone of the project. */
function person(t, bin, name, password) {
  const command = freshCommand(t, { PATH: `${bin}${delimiter}${process.env.PATH}` })
  mkdirSync(join(command.project, '.git'))
  writeFileSync(join(command.project, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(
    join(command.project, '.git', 'config'),
    '[remote "origin"]\n\turl = https://example.org/company/shop\n',
  )
  const type = (line, env) => {
    const ours = line.replaceAll('anna:a-password', `${name}:${password}`)
    const { status, stdout, stderr } = spawnSync('sh', ['-c', ours], {
      cwd: command.project,
      env: command.env(env),
      encoding: 'utf8',
    })
    assert.equal(status, 0, `${ours}\n${stdout}\n${stderr}`)
    return stdout
  }
  return { type }
}

/** A folder with the command and with psql. */
function programs(t) {
  const bin = freshFolder(t)
  const write = (name, text) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${text} "$@"\n`)
    chmodSync(join(bin, name), 0o755)
  }
  write('forge-memory', `exec '${process.execPath}' '${join(root, 'dist', 'cli', 'main.js')}'`)
  write('psql', `exec '${join(requirePostgres(root).home, 'bin', 'psql')}' -v ON_ERROR_STOP=1`)
  return bin
}

test('the second person finds what the first one captured, by the commands of the page', async (t) => {
  if (server.kind !== 'postgres' || !server.hasProgram('psql') || !isPosix) return t.diagnostic('there is no psql here')
  const started = performance.now()
  // The name of the database is in those of the roles.
  const url = (await server.database()).replace(/[^/]+$/, 'memory')
  await execute(url.replace(/[^/]+$/, 'postgres'), 'create database memory')
  const bin = programs(t)
  const own = (line) => line.replace('db.example.org/memory', url.slice(url.indexOf('@') + 1))
  const [databases, administration, setUp, use] = blocksBelow("From nothing to the second person's first search")
  const way = databases.find((line) => line.startsWith('db()') && line.includes('DATABASE_URL'))
  const administrator = person(t, bin, 'openbrain', '')
  for (const line of administration) administrator.type(`${way}\n${line}`, { DATABASE_URL: url })
  const [anna, ben] = [person(t, bin, 'anna', 'a-password'), person(t, bin, 'ben', 'another')]
  for (const { type } of [anna, ben]) {
    // Without a terminal, the question is answered in advance.
    for (const line of setUp) type(own(line).replace(/( store use "[^"]*")/, '$1 --yes'))
  }
  let found
  for (const line of use) found = (/# ben$/.test(line) ? ben : anna).type(line)
  assert.match(found, /The login test fails unless the clock is in UTC/)
  t.diagnostic(
    `${Math.round((performance.now() - started) / 1000)} s from an empty database to the second person's search`,
  )
})

test('the shell finds the database of a project as the model of bench/scale-model.mjs does', (t) => {
  if (process.platform !== 'linux') return t.diagnostic('other systems have md5sum under another name')
  const line = blocksBelow('Scale', 'docs/reference/teams.md')
    .flat()
    .find((text) => text.startsWith('shard='))
  for (const project of ['shop', 'bank', 'forge-memory']) {
    const { stdout } = spawnSync('sh', ['-c', `${line.replace('shop', project)}\necho "$shard"`], { encoding: 'utf8' })
    const hash = createHash('md5').update(project).digest('hex')
    assert.equal(Number(stdout), Number.parseInt(hash.slice(0, 8), 16) % 64, line)
  }
})
