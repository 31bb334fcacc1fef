// A project whose store changes: what the earlier one took is offered to the new one, counted, found by the doctor, and delivered once.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { freshCommand, json, runBeside } from './support/command.mjs'
import { talk } from './support/dialogue.mjs'
import { connectStdio } from './support/mcp.mjs'
import { execute, startPostgres } from './support/postgres.mjs'
import { hasTerminal } from './support/terminal.mjs'
import { approveStores } from './support/trust.mjs'
import { until } from './support/waiting.mjs'

for (const name of ['OPENBRAIN_KEY', 'FORGE_OPENBRAIN_URL', 'DATABASE_URL']) delete process.env[name]

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

const TEXTS = ['The login test needs a clock in UTC', 'Deploys go out on mondays', 'The cache is warmed by hand']

function capture(command, text) {
  return json(command, ['capture', '-t', 'gotcha', text]).thought.id
}

async function drain(command, ...more) {
  const { stdout, stderr } = await runBeside(command, ['--json', 'drain', ...more])
  return { ...JSON.parse(stdout), stderr }
}

const settings = (command, openbrain) =>
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ openbrain, embedder: { kind: 'none' } }))

const storedIn = async (url) =>
  (await execute(url, 'select id from forge_memory.thoughts order by id').catch(() => [])).map(({ id }) => id)

async function doctor(command) {
  const { stdout } = await runBeside(command, ['--json', 'doctor'])
  return JSON.parse(stdout).filter(({ code }) => code === 'STORE_LACKS_RECORDS')
}

test('what the file of the user took is offered to a database, counted, found, and delivered once', async (t) => {
  const command = freshCommand(t, { FORGE_MEMORY_EMBEDDER: 'none' })
  settings(command, {})
  const ids = TEXTS.map((text) => capture(command, text)).sort()
  assert.deepEqual((await drain(command)).backlog, undefined)
  assert.deepEqual(await doctor(command), [])
  const url = await server.database()
  // The name that Plan Forge's documents use.
  settings(command, { endpoint: url })
  assert.equal((await runBeside(command, ['drain', '--trust'])).status, 0)
  const { stdout } = await runBeside(command, ['--json', 'status'])
  assert.deepEqual(JSON.parse(stdout).openbrain.backlog, { records: 3 })
  assert.match((await runBeside(command, ['status'])).stdout, /3 records of this project that another store has/)
  const [finding] = await doctor(command)
  assert.match(finding.message, /lacks 3 records/)
  const offered = await drain(command)
  assert.deepEqual([offered.backlog, offered.delivered], [{ records: 3 }, 0])
  assert.match(
    offered.stderr,
    /the store lacks 3 records of this project that another store has: forge-memory drain --again/,
  )
  const sent = await drain(command, '--again')
  assert.deepEqual([sent.delivered, sent.again.stores, sent.state], [3, 3, 'done'])
  assert.deepEqual(await storedIn(url), ids)
  assert.deepEqual([await doctor(command), (await drain(command)).backlog], [[], undefined])
  assert.equal((await drain(command)).attempted, 0)
})

test('new captures go to the new store, and do not end the offer', async (t) => {
  const command = freshCommand(t, { FORGE_MEMORY_EMBEDDER: 'none' })
  settings(command, {})
  const [first] = TEXTS.map((text) => capture(command, text))
  await drain(command)
  const [url, other] = [await server.database(), await server.database()]
  settings(command, { url })
  const later = capture(command, 'The queue is emptied at midnight')
  const report = await drain(command, '--trust')
  assert.deepEqual([report.delivered, report.backlog.records], [1, 4])
  assert.deepEqual(await storedIn(url), [later])
  assert.equal((await drain(command, '--again')).state, 'done')
  assert.ok((await storedIn(url)).includes(first))
  // Another one, and back: only what was captured meanwhile is missing there.
  settings(command, { url: other })
  await drain(command, '--trust', '--again')
  capture(command, 'The search index is rebuilt on sundays')
  await drain(command)
  settings(command, { url })
  const back = await drain(command)
  assert.equal(back.backlog.records, 1)
  assert.equal((await drain(command, '--again')).state, 'done')
  assert.deepEqual(await storedIn(url), await storedIn(other))
  assert.deepEqual(await doctor(command), [])
})

test('on a terminal, the drain asks', async (t) => {
  if (!hasTerminal) return void t.diagnostic('there is no terminal here')
  const command = freshCommand(t, { FORGE_MEMORY_EMBEDDER: 'none' })
  settings(command, {})
  for (const text of TEXTS) capture(command, text)
  await drain(command)
  const url = await server.database()
  settings(command, { url })
  await runBeside(command, ['drain', '--trust'])
  const { screen } = await talk([process.execPath, command.program, 'drain'], [['Send them? (y/n)', 'y\r']], {
    cwd: command.project,
    env: command.env(),
  })
  assert.match(screen, /3 records of this project that another store has/)
  assert.equal((await storedIn(url)).length, 3)
})

/** A project whose name only its folder has, with a store, and how its settings are changed. */
function unnamed(t, url) {
  const command = freshCommand(t)
  const settings = (more) =>
    writeFileSync(
      join(command.project, '.forge.json'),
      JSON.stringify({ openbrain: { url }, embedder: { kind: 'none' }, ...more }),
    )
  settings({})
  approveStores(command.project, command.home)
  return { command, settings }
}

test('two people with a folder each are told at the first delivery that the store has two projects, and once one name makes it one', async (t) => {
  const url = await server.database()
  const said = []
  for (const name of ['anna', 'ben']) {
    const { command, settings } = unnamed(t, url)
    const drain = async (text) => {
      json(command, ['capture', '-t', 'lesson', text])
      return (await runBeside(command, ['drain'])).stderr.replace(/\s+/g, ' ')
    }
    said.push(await drain(`a note of ${name}`))
    assert.equal(await drain(`another note of ${name}`), '', 'once')
    settings({ projectName: 'shop' })
    assert.doesNotMatch(await drain(`a third note of ${name}`), /only this folder/)
  }
  const names = said.map(
    (text) => /this project as (local\/\w+\/project), which only this folder is called.*"projectName"/.exec(text)?.[1],
  )
  assert.equal(new Set(names).size, 2, said.join('\n'))
  assert.ok(names.every(Boolean), said.join('\n'))
  const [{ count }] = await execute(url, "select count(*)::int from forge_memory.thoughts where project = 'shop'")
  assert.equal(count, 2)
})

test('where an MCP server delivers, status says that only this folder has the name of the project', async (t) => {
  const url = await server.database()
  const { command, settings } = unnamed(t, url)
  json(command, ['capture', '-t', 'lesson', 'a note of anna'])
  await connectStdio(t, command)
  const stored = () => execute(url, 'select project from forge_memory.thoughts').catch(() => [])
  await until(async () => (await stored()).length === 1, 'it was delivered')
  const [{ project }] = await stored()
  const status = async () => (await runBeside(command, ['status'])).stdout.replace(/\s+/g, ' ')
  assert.match(await status(), new RegExp(`knows this project as ${project}, which only this folder is called`))
  assert.equal(json(command, ['status']).openbrain.ownName, project)
  settings({ projectName: 'shop' })
  assert.doesNotMatch(await status(), /only this folder/)
})
