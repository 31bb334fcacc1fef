// One store for all projects of a user: `store use` with the address as a provider hands it out, the user's own settings, and what a
// project's files may change of them.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { readSettings } from '../dist/openbrain/settings.js'
import { untrusted } from '../dist/openbrain/trust.js'
import { freshCommand, json, runBeside } from './support/command.mjs'
import { talk } from './support/dialogue.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { hasTerminal } from './support/terminal.mjs'

for (const name of ['OPENBRAIN_KEY', 'FORGE_OPENBRAIN_URL', 'DATABASE_URL']) delete process.env[name]

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const config = (command) => JSON.parse(readFileSync(join(command.home, 'config.json'), 'utf8'))
const secrets = (command) => JSON.parse(readFileSync(join(command.home, 'secrets.json'), 'utf8'))
const use = (command, address, ...more) => command.run(['store', 'use', address, '--yes', ...more])

/** A further project of the same user. */
function another(command, name, settings) {
  const project = join(command.folder, name)
  mkdirSync(project)
  if (settings !== undefined) writeFileSync(join(project, '.forge.json'), JSON.stringify(settings))
  return { ...command, project, run: (args, options = {}) => command.run(args, { ...options, cwd: project }) }
}

/** The settings of a project as a process of its user reads them. */
function settingsOf(command) {
  process.env.FORGE_HOME = command.home
  return readSettings(command.project)
}

test('two projects share a store after one command, without an approval', async (t) => {
  const url = await server.database()
  const command = freshCommand(t)
  const used = use(command, url)
  assert.equal(used.status, 0, used.stderr)
  assert.ok(used.stdout.includes(`${new URL(url).pathname} is the shared store of all projects that name none`))
  assert.deepEqual(config(command), { openbrain: { url } })
  assert.equal(existsSync(join(command.home, 'secrets.json')), false, 'there is no password')
  for (const project of [command, another(command, 'second')]) {
    assert.equal(json(project, ['capture', '-t', 'gotcha', `known in ${project.project.length}`]).captured, true)
    assert.equal((await runBeside(project, ['drain'])).status, 0)
  }
  const [{ count }] = await execute(url, 'select count(distinct project)::int as count from forge_memory.thoughts')
  assert.equal(count, 2)
  assert.equal(json(command, ['store', 'check']).backend, 'postgres')
  assert.equal(use(command, 'file').status, 0)
  assert.equal(json(command, ['store', 'check']).backend, 'embedded')
})

test('DATABASE_URL is taken as it comes: the password goes to the secrets file, and no output shows it', (t) => {
  const command = freshCommand(t)
  const given =
    'postgresql://me:s3cret%21word@db.example.org:6543/memory?sslmode=require&channel_binding=require&pgbouncer=true&connect_timeout=10'
  const { status, stdout, stderr } = command.run(['store', 'use', '--yes'], { env: { DATABASE_URL: `"${given}"` } })
  assert.equal(status, 0, stderr)
  assert.deepEqual(config(command), {
    openbrain: { url: 'postgresql://me@db.example.org:6543/memory?sslmode=require' },
  })
  assert.deepEqual(secrets(command), { openbrain: { key: 's3cret!word' } })
  if (process.platform !== 'win32') assert.equal(statSync(join(command.home, 'secrets.json')).mode & 0o777, 0o600)
  assert.doesNotMatch(stdout + stderr, /s3cret/)
  assert.match(stdout, /Left out, because it changes nothing here: channel_binding, pgbouncer, connect_timeout/)
  const { target } = settingsOf(command)
  assert.deepEqual([target.password, target.url.hostname], ['s3cret!word', 'db.example.org'])
  // Other settings and keys stay.
  writeFileSync(join(command.home, 'config.json'), JSON.stringify({ ...config(command), embedder: { kind: 'none' } }), {
    mode: 0o600,
  })
  assert.equal(use(command, 'postgres://db.example.org/other').status, 0)
  assert.deepEqual(config(command), {
    openbrain: { url: 'postgres://db.example.org/other' },
    embedder: { kind: 'none' },
  })
})

test('without a terminal and without --yes nothing is written, and wrong addresses are refused without being shown', (t) => {
  const command = freshCommand(t)
  const asked = command.run(['store', 'use', 'postgres://me:word9@db.example.org/memory'])
  assert.deepEqual([asked.status, /asks for confirmation/.test(asked.stderr)], [2, true])
  assert.equal(existsSync(join(command.home, 'config.json')), false)
  for (const [address, message] of [
    ['mysql://me:word9@db.example.org/memory', /expected the address of a database/],
    ['not an address word9', /expected the address of a database/],
    ['postgres://me:word9@db.example.org/memory?bouncy=castle', /the parameter bouncy, which is not known/],
    // What follows such a character would be read as a part of another address, or as its port and database.
    ...['word9/x', 'word9#x', 'word9?x', '12/word9', '12#word9', '12?word9', 'a@b/word9', 'word9%zz'].map(
      (password) => [
        `postgres://me:${password}@db.example.org/memory`,
        /write \/ as %2F, # as %23, \? as %3F, @ as %40 and % as %25/,
      ],
    ),
  ]) {
    const { status, stdout, stderr } = use(command, address)
    assert.equal(status, 2, stderr)
    assert.match(stderr, message)
    assert.doesNotMatch(stdout + stderr, /word9/)
  }
  const none = command.run(['store', 'use', '--yes'])
  assert.deepEqual([none.status, /as an argument or in DATABASE_URL/.test(none.stderr)], [2, true])
})

test('on a terminal the password goes to the secrets file after a question, and a no writes nothing', async (t) => {
  if (!hasTerminal) return t.diagnostic('there is no terminal here')
  const command = freshCommand(t)
  const answering = (answer) =>
    talk(
      [process.execPath, command.program, 'store', 'use'],
      [['and its password to ~/.forge/secrets.json (mode 0600)? (y/n)', `${answer}\r`]],
      { cwd: command.project, env: command.env({ DATABASE_URL: 'postgres://me:word9@db.example.org/memory' }) },
    )
  const refused = await answering('no')
  assert.equal(refused.status, 1, refused.screen)
  assert.match(refused.screen, /Nothing was written/)
  for (const name of ['config.json', 'secrets.json']) assert.equal(existsSync(join(command.home, name)), false)
  const agreed = await answering('y')
  assert.equal(agreed.status, 0, agreed.screen)
  assert.deepEqual(secrets(command), { openbrain: { key: 'word9' } })
  assert.doesNotMatch(refused.screen + agreed.screen, /word9/)
})

test("a project's file overrides the user's store, and needs an approval unless it names the same one", (t) => {
  const command = freshCommand(t)
  use(command, 'postgres://me:word9@db.example.org/memory')
  const same = another(command, 'same', { openbrain: { url: 'postgres://you@db.example.org/memory', efSearch: 200 } })
  const own = another(command, 'own', { openbrain: { url: 'postgres://db.elsewhere.example/memory' } })
  const local = another(command, 'local', { openbrain: { url: 'file' } })
  const ofSame = settingsOf(same)
  assert.deepEqual([untrusted(ofSame), ofSame.target.password, ofSame.efSearch], [[], 'word9', undefined])
  const ofOwn = settingsOf(own)
  assert.deepEqual(untrusted(ofOwn), ['postgres://db.elsewhere.example/memory'])
  assert.equal(ofOwn.target.password, undefined, 'a password of the user goes to the store of the user only')
  assert.equal(settingsOf(local).target.backend, 'embedded')
})

test('a broken or foreign file of the user is refused, and a clone cannot say who captures are from', (t) => {
  const command = freshCommand(t)
  use(command, 'postgres://me:word9@db.example.org/memory')
  const path = join(command.home, 'config.json')
  if (process.platform !== 'win32') {
    chmodSync(join(command.home, 'secrets.json'), 0o644)
    assert.throws(() => settingsOf(command), /~\/\.forge\/secrets\.json can be read by others: chmod 600/)
    chmodSync(join(command.home, 'secrets.json'), 0o600)
    chmodSync(path, 0o666)
    assert.throws(() => settingsOf(command), /~\/\.forge\/config\.json can be changed by others: chmod 600/)
    chmodSync(path, 0o600)
  }
  for (const text of ['{', '[]', 'null', '"x"']) {
    writeFileSync(path, text)
    assert.throws(() => settingsOf(command), /~\/\.forge\/config\.json is not a JSON object/, text)
  }
  const { status, stderr } = command.run(['status'])
  assert.equal(status, 0, stderr)
  const linked = freshCommand(t)
  mkdirSync(linked.home, { recursive: true })
  writeFileSync(join(linked.folder, 'elsewhere.json'), '{}')
  symlinkSync(join(linked.folder, 'elsewhere.json'), join(linked.home, 'config.json'))
  assert.throws(() => settingsOf(linked), /~\/\.forge\/config\.json cannot be read: it has to be a regular file/)
})
