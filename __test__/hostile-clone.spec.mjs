import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startProcess } from '../scripts/one-process/commands.mjs'
import { freshCommand } from './support/command.mjs'
import { FILES, FOLDERS, KIND_NAMES, OUTSIDE_TEXT, outsideState, plant, plantSocket } from './support/hostile.mjs'
import { isWindows } from './support/memory.mjs'
import { childProgram } from './support/processes.mjs'

/** Far longer than any of this takes on a busy machine: only a hang gets there. */
const HANG_MS = 120_000

/** Commands as people, agents and git run them. Those that go on are ended once they have said where they listen. */
const COMMANDS = [
  ['capture', '--type', 'lesson', '--tool', 'forge_sweep', 'The gate needs Node 20'],
  ['save', 'pnpm vitest --run', '--category', 'test_command'],
  ['recall', 'gate'],
  ['list'],
  ['show', 'mem_0000'],
  ['edit', 'mem_0000', 'other'],
  ['forget', 'mem_0000'],
  ['init', '--scope', 'project', '--yes', '--agent', 'claude', '--agent', 'cursor', '--agent', 'copilot'],
  ['init', '--remove', '--yes'],
  ['sync-memories'],
  ['search', 'gate'],
  ['drain'],
  ['dlq', 'list'],
  ['verify'],
  ['verify', '--repair'],
  ['migrate-memory'],
  ['compact'],
  ['export', '--format', 'md', '--output', 'memory.md'],
  ['import', '.forge/memory-captures.jsonl'],
  ['import', '.forge'],
  ['merge-driver', '.forge/lessons.jsonl', '.forge/lessons.jsonl', '.forge/lessons.jsonl'],
  ['ralph', 'list'],
  ['ralph', 'query', '--query', 'gate'],
  ['ralph', 'add', '--type', 'failure_pattern', '--loop-id', 'a', '--iteration', '1', 'Mocks go first'],
  ['ralph', 'clear', '--loop-id', 'a', '--yes'],
  ['lattice', 'index'],
  ['lattice', 'query', 'shop'],
  ['report'],
  ['status'],
  ['doctor'],
  ['doctor', '--audit'],
  ['hook', 'SessionStart'],
  ['hook', 'Stop'],
  ['mcp'],
  ['serve', '--port', '0'],
  ['watch', '--since', '1h', '--no-follow'],
]
const FOLDER_COMMANDS = ['capture', 'save', 'recall', 'init', 'sync-memories', 'ralph', 'doctor', 'status']
const HOOK_INPUT = JSON.stringify({ session_id: 's', cwd: '.', hook_event_name: 'SessionStart', source: 'startup' })
const MCP_INPUT = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'memory_recall', arguments: { query: 'gate' } } })}\n`
const INPUT = { hook: HOOK_INPUT, mcp: MCP_INPUT }
/** Commands that are started in a process of their own: they go on, end it themselves, or serve what comes in over their input. */
const ALONE = ['hook', 'mcp', 'serve', 'watch']
/** Commands that go on until they are ended, with what they print once they run. */
const GOES_ON = { serve: /http:\/\// }

/** Makes a project whose parent has a folder that is none of its business. */
function freshClone(t) {
  const command = freshCommand(t)
  const outside = join(command.folder, 'outside')
  mkdirSync(outside)
  return { ...command, outside }
}

/** Runs a program to its end and says how that came. */
function run(clone, program, args, { input = '', ready } = {}) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: clone.project,
    env: clone.env(),
    timeout: HANG_MS,
    killSignal: 'SIGKILL',
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    if (ready?.test(stdout)) child.kill()
  })
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  return new Promise((resolve) => {
    child.on('close', (status, signal) => resolve({ status, signal, stdout, stderr, hung: signal === 'SIGKILL' }))
  })
}

/** Runs commands, each in a clone that `make` makes for it, and holds them to what every command owes its user. */
async function tryCommands(t, commands, make) {
  const together = startProcess({ timeoutMs: HANG_MS })
  t.after(together.close)
  for (const args of commands) await tryCommand(await make(args), args, together)
}

async function tryCommand(clone, args, together) {
  const name = args[0]
  const before = outsideState(clone)
  const result = ALONE.includes(name)
    ? await run(clone, clone.program, args, { input: INPUT[name], ready: GOES_ON[name] })
    : await together.run({ args, cwd: clone.project, env: clone.env() })
  const said = `${result.stdout}${result.stderr}`
  const shown = `${args.join(' ')}: ${said}`
  assert.ok(!result.hung, `hung: ${shown}`)
  assert.ok(!result.signal || name in GOES_ON, `ended with ${result.signal}: ${shown}`)
  assert.doesNotMatch(said, /INTERNAL|panicked|uncaught/i, shown)
  assert.ok(!said.includes(OUTSIDE_TEXT), `shows what lies outside: ${shown}`)
  assert.deepEqual(outsideState(clone), before, `changed what lies outside: ${shown}`)
  return result
}

for (const kind of KIND_NAMES) {
  test(`no command leaves a clone whose every file is hostile: ${kind}`, async (t) => {
    await tryCommands(t, COMMANDS, () => {
      const clone = freshClone(t)
      plant(clone, FILES, kind)
      return clone
    })
  })
}

test('no command leaves a clone whose folders are links', async (t) => {
  for (const folder of FOLDERS) {
    // The memory itself is opened by all of them; the other folders by fewer.
    const some = COMMANDS.filter(([name]) => folder === '.forge' || FOLDER_COMMANDS.includes(name))
    await tryCommands(t, some, () => {
      const clone = freshClone(t)
      mkdirSync(join(clone.project, folder, '..'), { recursive: true })
      symlinkSync(clone.outside, join(clone.project, folder), 'junction')
      return clone
    })
  }
})

for (const kind of KIND_NAMES.filter((name) => name !== 'huge')) {
  test(`no call of the library leaves a clone with one hostile file: ${kind}`, async (t) => {
    const clones = FILES.map((path) => {
      const clone = freshClone(t)
      plant(clone, [path], kind)
      return { ...clone, path, before: outsideState(clone) }
    })
    const input = JSON.stringify(clones.map(({ project, home }) => ({ project, home })))
    const result = await run(clones[0], childProgram('everything'), [input])
    const printed = result.stdout.split('\n').slice(0, -1)
    const last = `${clones[printed.length - 1]?.path} was the last one`
    assert.equal(result.hung, false, `hangs: ${last}`)
    assert.deepEqual([result.status, printed.length], [0, clones.length], `${last}: ${result.stderr}`)
    for (const [at, { path, before, ...clone }] of clones.entries()) {
      assert.ok(!printed[at].includes(OUTSIDE_TEXT), `${path} is shown: ${printed[at]}`)
      assert.deepEqual(outsideState(clone), before, `${path} changes what lies outside`)
      const codes = Object.values(JSON.parse(printed[at])).map(({ code }) => code)
      assert.ok(!codes.includes('none') && !codes.includes('INTERNAL'), `${path}: ${printed[at]}`)
    }
  })
}

test('sockets in the place of files are refused', async (t) => {
  if (isWindows) return
  for (const path of ['.forge/memory-captures.jsonl', '.forge.json', '.aiwg/ralph/memory.json', '.mcp.json']) {
    const clone = freshClone(t)
    await plantSocket(t, clone, path)
    await tryCommands(t, COMMANDS.slice(0, 12), () => clone)
  }
})

/** A program that a clone brings along leaves a trace where it is started. */
function bringPrograms({ project, outside }, isSubmodule) {
  const trace = join(outside, 'started')
  const put = (path, text, mode) => {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text, { mode })
  }
  const script = `#!${process.execPath}\nrequire('fs').writeFileSync(${JSON.stringify(trace)}, '')`
  const paths = ['node_modules/forge-memory/dist/cli/main.js', 'node_modules/.bin/forge-memory', 'bin/forge-memory']
  for (const path of [...paths, 'forge-memory', 'node_modules/.bin/git', 'git', 'node', 'sh', 'less'])
    put(path, script, 0o755)
  put('node_modules/forge-memory/package.json', '{"name":"forge-memory","version":"1.0.0"}', 0o644)
  const entry = { version: '1.0.0', resolved: 'https://registry.example/a.tgz' }
  put('package-lock.json', JSON.stringify({ packages: { 'node_modules/forge-memory': entry } }), 0o644)
  put('.gitignore', 'node_modules/\n', 0o644)
  const server = { command: 'node', args: ['./node_modules/forge-memory/dist/cli/main.js', 'mcp'] }
  put('.mcp.json', JSON.stringify({ mcpServers: { 'forge-memory': server } }), 0o644)
  put(
    '.cursor/mcp.json',
    JSON.stringify({ mcpServers: { 'forge-memory': { command: './forge-memory', args: ['mcp'] } } }),
    0o644,
  )
  if (!isSubmodule) return
  spawnSync('git', ['init', '-q', project])
  put('node_modules/forge-memory/.git', 'gitdir: ../../.git/modules/forge-memory\n', 0o644)
}

for (const [name, isSubmodule] of [
  ['an archive without a repository', false],
  ['a clone with a submodule', true],
]) {
  test(`no command starts a program that ${name} brings along`, async (t) => {
    const agents = [
      ['doctor', '--agents'],
      ['doctor', '--agents', '--yes'],
    ]
    await tryCommands(t, [...COMMANDS, ...agents], () => {
      const clone = freshClone(t)
      bringPrograms(clone, isSubmodule)
      return clone
    })
  })
}

const REFUSED = { link: /is a link/, dangling: /is a link/, device: /is a link/, fifo: /is a FIFO/, folder: /folder/ }

for (const [kind, reason] of Object.entries(REFUSED).filter(([kind]) => KIND_NAMES.includes(kind))) {
  test(`a raw log that is not a regular file is refused by name: ${kind}`, (t) => {
    const clone = freshClone(t)
    plant(clone, ['.forge/memory-captures.jsonl'], kind)
    const recalled = clone.run(['recall', 'text'])
    assert.match(`${recalled.stdout}${recalled.stderr}`, /Not searched: .*memory-captures\.jsonl/)
    for (const args of [['capture', '--type', 'lesson', 'text'], ['list'], ['verify'], ['compact']]) {
      const { status, stdout } = clone.run(['--json', ...args])
      const { error } = JSON.parse(stdout)
      assert.equal(status, 1, args[0])
      assert.equal(error?.code, 'UNSAFE_PATH', `${args[0]}: ${stdout}`)
      assert.match(error.message, /memory-captures\.jsonl/)
      assert.match(error.message, reason)
      assert.ok(error.hint)
    }
  })
}

test('a linked .forge is used after its approval, and only with the approved target', (t) => {
  const clone = freshClone(t)
  const [other, link] = [join(clone.folder, 'other'), join(clone.project, '.forge')]
  mkdirSync(other)
  symlinkSync(clone.outside, link, 'junction')
  const capture = () => clone.run(['--json', 'capture', '--type', 'lesson', 'Kept on another disk'])
  const unreadable = () => JSON.parse(clone.run(['--json', 'status']).stdout).unreadable.join('\n')
  assert.match(JSON.parse(capture().stdout).error.message, /trust --folder/)
  assert.match(unreadable(), /memory-captures\.jsonl: .* is a link to /)
  assert.match(clone.run(['status']).stderr, /^warning: .* is a link to /)
  const asked = clone.run(['--json', 'trust', '--folder'])
  assert.equal(asked.status, 2, 'nobody was there to answer')
  assert.equal(clone.run(['trust', '--folder', '--yes']).status, 0)
  assert.equal(JSON.parse(capture().stdout).captured, true)
  assert.equal(JSON.parse(clone.run(['--json', 'recall', 'another disk']).stdout).hits.length, 1)
  assert.equal(unreadable(), '')
  rmSync(link)
  symlinkSync(other, link, 'junction')
  assert.equal(JSON.parse(capture().stdout).error.code, 'UNSAFE_PATH')
})

test('links inside of the project work for the configuration files of agents', (t) => {
  const clone = freshClone(t)
  writeFileSync(join(clone.project, 'settings.json'), '{"projectName":"shop"}')
  symlinkSync('settings.json', join(clone.project, '.forge.json'))
  assert.equal(JSON.parse(clone.run(['--json', 'status']).stdout).projectName, 'shop')
})
