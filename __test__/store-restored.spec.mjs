// What a store or a work tree lost is brought back: a store restored from an older backup gets what it took since by the next drain, and a person's
// records come back from the store when their work tree lost them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { freshCommand, runBeside } from './support/command.mjs'
import { configured } from './support/company.mjs'
import { execute, startPostgres } from './support/postgres.mjs'

delete process.env.OPENBRAIN_KEY

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

async function say(command, args, env) {
  const { status, stdout, stderr } = await runBeside(command, ['--json', ...args], env)
  assert.equal(status, 0, `${args.join(' ')}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

const capture = async (command, text, ...more) =>
  (await say(command, ['capture', '-t', 'decision', text, ...more])).thought.id
const drain = async (command, env) => {
  const report = await say(command, ['drain'], env)
  assert.equal(report.state, 'done')
  return report
}
const found = async (command, query) => (await say(command, ['search', query])).thoughts.map(({ content }) => content)
const files = async (command) =>
  Object.fromEntries((await say(command, ['list', '--limit', '100'])).entries.map(({ text, id }) => [text, id]))

const backups = {
  PostgreSQL: async (t) => {
    const url = await server.database()
    const [first, second] = [configured(t, url), configured(t, url)]
    return {
      first,
      second,
      // As `pg_restore` of an older dump: what came since is gone, and no counter tells.
      back: async () => {
        const kept = {}
        for (const table of ['thoughts', 'rulings'])
          kept[table] = JSON.stringify(await execute(url, `select * from forge_memory.${table}`))
        const columns = async (table) =>
          (
            await execute(
              url,
              `select column_name from information_schema.columns where table_schema = 'forge_memory' and table_name = '${table}' and is_generated = 'NEVER'`,
            )
          )
            .map((row) => row.column_name)
            .join(', ')
        return async () => {
          for (const table of ['rulings', 'thoughts']) await execute(url, `truncate forge_memory.${table} cascade`)
          for (const table of ['thoughts', 'rulings']) {
            const names = await columns(table)
            const rows = `select ${names} from jsonb_populate_recordset(null::forge_memory.${table}, $1::jsonb)`
            await execute(url, `insert into forge_memory.${table} (${names}) ${rows}`, [kept[table]])
          }
        }
      },
    }
  },
  'the embedded store': async (t) => {
    const all = [1, 2].map(() => freshCommand(t, { FORGE_MEMORY_EMBEDDER: 'none' }))
    for (const { project } of all) {
      for (const words of [
        ['init', '-q', '.'],
        ['remote', 'add', 'origin', 'https://github.com/acme/shop.git'],
      ])
        assert.equal(spawnSync('git', words, { cwd: project }).status, 0)
      writeFileSync(join(project, '.forge.json'), JSON.stringify({ embedder: { kind: 'none' } }))
    }
    const [first, second] = all.map((one) => ({
      ...one,
      env: (extra) => one.env({ FORGE_HOME: all[0].home, ...extra }),
    }))
    const path = join(all[0].home, 'openbrain.db')
    return {
      first,
      second,
      back: async () => {
        const parts = () => ['', '-wal', '-shm'].filter((end) => existsSync(path + end))
        const kept = parts()
        for (const end of kept) cpSync(path + end, `${path}${end}.kept`)
        return async () => {
          for (const end of parts()) rmSync(path + end)
          for (const end of kept) cpSync(`${path}${end}.kept`, path + end)
        }
      },
    }
  },
}

for (const [name, open] of Object.entries(backups)) {
  test(`${name}: a store that was restored from an older backup gets by the next drain what it took since`, async (t) => {
    const { first, second, back } = await open(t)
    const [port, quay, gone] = [
      await capture(first, 'The harbour API listens on port 8080'),
      await capture(first, 'The quay is lit at night'),
      await capture(first, 'The password of the crane is on the wall'),
    ]
    await drain(first)
    const restore = await back()
    await say(first, ['replace', quay, '--why', 'the lamps are gone'])
    await capture(first, 'The harbour API listens on port 9090')
    await say(first, ['forget', gone])
    await drain(first)
    const now = ['The harbour API listens on port 9090']
    assert.deepEqual(await found(second, 'harbour API quay night crane password'), now)
    await restore()
    assert.equal((await found(second, 'harbour API quay night crane password')).length, 3)
    const report = await drain(first)
    assert.ok(report.resent.rulings >= 2, JSON.stringify(report))
    assert.deepEqual(await found(second, 'harbour API quay night crane password'), now)
    // Said once, and nothing is sent twice.
    const again = await drain(first)
    assert.deepEqual([again.resent, again.attempted], [undefined, 0])
    assert.ok(port)
  })

  test(`${name}: a work tree that lost its memory gets it back from the store, with what was said about it`, async (t) => {
    const { first } = await open(t)
    const [port] = [
      await capture(first, 'The harbour API listens on port 8080'),
      await capture(first, 'The quay is lit'),
    ]
    await capture(first, 'The harbour API listens on port 9090')
    const forgotten = await capture(first, 'The password of the crane is on the wall')
    await say(first, ['forget', forgotten])
    await drain(first)
    const before = await files(first)
    rmSync(join(first.project, '.forge'), { recursive: true })
    const { stdout } = await runBeside(first, ['--json', 'doctor'])
    const [finding] = JSON.parse(stdout).filter(({ code }) => code === 'ABSENT_RECORDS')
    assert.match(finding.hint, /import --shared/)
    assert.equal((await say(first, ['import', '--shared', '--dry-run'])).imported, 3)
    assert.deepEqual(await files(first), {})
    const report = await say(first, ['import', '--shared'])
    assert.deepEqual([report.imported, report.lost], [3, 0])
    assert.deepEqual(await files(first), before)
    const old = await say(first, ['show', port])
    assert.equal(old.state, 'retired')
    assert.equal((await say(first, ['verify'])).edited ?? 0, 0)
    assert.equal((await say(first, ['import', '--shared'])).imported, 0)
  })
}

test("only one's own records come back, unless everybody's are asked for", async (t) => {
  const url = await server.database()
  const [anna, ben] = [configured(t, url), configured(t, url)]
  const [ANNA, BEN] = ['anna', 'ben'].map((name) => ({ FORGE_CREATED_BY: name }))
  await say(anna, ['capture', '-t', 'decision', 'The quay is lit'], ANNA)
  await drain(anna, ANNA)
  await say(ben, ['capture', '-t', 'decision', 'The ferry leaves at nine'], BEN)
  await drain(ben, BEN)
  rmSync(join(ben.project, '.forge'), { recursive: true })
  await say(ben, ['import', '--shared'], BEN)
  assert.deepEqual(Object.keys(await files(ben)), ['The ferry leaves at nine'])
  await say(ben, ['import', '--shared', '--everybody'], BEN)
  assert.deepEqual(Object.keys(await files(ben)).sort(), ['The ferry leaves at nine', 'The quay is lit'])
})
