// A feature of the rim is its folder and its line: what is left compiles and works without both.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { roomsNamed } from '../scripts/rooms/named.mjs'
import { importsBelow } from '../scripts/rooms/typescript-imports.mjs'
import { freshCommand } from './support/command.mjs'
import { connectStdio } from './support/mcp.mjs'
import { freshFolder, root } from './support/project.mjs'
import { callerOf, startServe } from './support/served.mjs'

const FEATURES = roomsNamed('feature').map((room) => room.replace('/feature', ''))
const COPIED = [
  'lib',
  'dist',
  'scripts',
  'tsconfig.json',
  'package.json',
  'rolldown.config.mjs',
  'index.js',
  'index.d.ts',
]
const ENGINE = /^forge-memory\.[\w-]+\.node$/
const LINE = /import\('\.\/([\w-]+)\/feature\/feature\.js'\)/

/** A tree with these features alone: the folders and the lines of the others are deleted, and the programs are bundled again. */
async function treeWith(t, kept) {
  const folder = freshFolder(t)
  for (const part of [...COPIED, ...readdirSync(root).filter((name) => ENGINE.test(name))])
    cpSync(join(root, part), join(folder, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  for (const name of FEATURES.filter((each) => !kept.includes(each)))
    for (const top of ['lib', 'dist']) rmSync(join(folder, top, name), { recursive: true })
  for (const list of ['lib/features.ts', 'dist/features.js']) {
    const lines = readFileSync(join(folder, list), 'utf8').split('\n')
    const left = lines.filter((line) => !LINE.test(line) || kept.includes(LINE.exec(line)[1]))
    assert.equal(left.length, lines.length - FEATURES.length + kept.length)
    writeFileSync(join(folder, list), left.join('\n'))
  }
  const { default: configs } = await import(pathToFileURL(join(folder, 'rolldown.config.mjs')))
  for (const config of configs.filter(({ output }) => /[\\/](cli|mcp)$/.test(output.dir))) {
    const bundle = await rolldown(config)
    await bundle.write(config.output)
    await bundle.close()
  }
  return folder
}

/** What the programs of a tree offer: commands, tools of all profiles, and requests. */
async function offeredBy(t, folder) {
  const command = { ...freshCommand(t), program: join(folder, 'dist/cli/main.js') }
  const run = (args) =>
    spawnSync(process.execPath, args, { cwd: command.project, env: command.env(), encoding: 'utf8' })
  const leaves = (each) => (each.commands.length > 0 ? each.commands.flatMap(leaves) : [each.path.join(' ')])
  const commands = JSON.parse(run([command.program, 'help', '--json']).stdout).commands.flatMap(leaves)
  const [, profiles] = /expected one of (.*), or names/.exec(run([command.program, 'mcp', '--tools', 'none']).stderr)
  const tools = []
  for (const profile of profiles.split(', ')) {
    const { client } = await connectStdio(t, command, { args: ['--tools', profile] })
    tools.push(...(await client.listTools()).tools.map(({ name }) => `${name} of ${profile}`))
  }
  const tables = pathToFileURL(join(folder, 'scripts/surface-tables.mjs'))
  const asked = `import('${tables}').then(({ requestsOf }) => console.log(JSON.stringify(requestsOf())))`
  const requests = JSON.parse(run(['-e', asked]).stdout)
  return { command, offered: [commands, tools, requests].flat() }
}

test('nothing but one line of lib/features.ts imports from the folder of a feature', () => {
  const imports = importsBelow(join(root, 'lib'))
  for (const name of FEATURES) {
    const into = imports.filter(({ from, to }) => to.startsWith(`${name}/`) && !from.startsWith(`${name}/`))
    assert.deepEqual(into, [{ from: 'features.ts', to: `${name}/feature/feature.ts` }])
  }
})

test('without its features the package compiles; it offers all else then, and with one of them alone, and that works', async (t) => {
  const bare = await treeWith(t, [])
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const check = promisify(execFile)(process.execPath, [tsc, '--noEmit', '-p', '.'], { cwd: bare })
  const compiled = check.catch((error) => error)
  const [{ offered: whole }, { offered: rest }] = [await offeredBy(t, root), await offeredBy(t, bare)]
  const [one] = FEATURES
  const { command, offered } = await offeredBy(t, await treeWith(t, [one]))
  const ordered = (some) => whole.filter((each) => some.includes(each))
  assert.deepEqual([rest, offered], [ordered(rest), ordered(offered)])
  const own = offered.filter((each) => !rest.includes(each))
  assert.equal(offered.length, rest.length + own.length)
  const kinds = [/^[a-z ]+$/, / of full$/, /^GET /].filter((kind) => own.some((each) => kind.test(each)))
  assert.equal(kinds.length, 3, 'commands, tools and requests')
  const { document, token } = await startServe(t, ['--no-watch', '--no-drain'], command)
  const call = callerOf({ ...document, token })
  for (const request of whole.filter((each) => /^GET [^:]*$/.test(each))) {
    const { status } = await call(...request.split(' '))
    assert.equal(status === 404, !offered.includes(request), `${request} with ${one}`)
  }
  assert.equal((await compiled).stdout, '')
})
