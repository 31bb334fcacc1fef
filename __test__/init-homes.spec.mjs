// Homes and projects as people have them: names with spaces and umlauts, several agents at once, and files that an earlier release wrote.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { HOSTS, SCOPES } from '../dist/init/index.js'
import { freshCommand, hookProgram, json } from './support/command.mjs'
import { CASES, inJson, inToml, inYaml } from './support/host-files.mjs'
import { isWindows } from './support/memory.mjs'
import { filesUnder, freshFolder } from './support/project.mjs'

const NOTE = 'src/pool.ts must be closed last, or `pnpm db:push` hangs.'
const KNOWN = /must be closed last/
const EDIT = {
  tool_name: 'Edit',
  tool_input: { file_path: 'src/pool.ts', filePath: 'src/pool.ts', old_string: 'a', new_string: 'b' },
}
const VARIABLES = ['CODEX_HOME', 'COPILOT_HOME', 'CLAUDE_CONFIG_DIR', 'KIRO_HOME', 'JUNIE_HOME', 'CLINE_DATA_DIR']

/** A user whose home and project have names that no shell takes for one word. */
function oddUser(t, name = 'Jörg Müller') {
  const userHome = join(freshFolder(t), name)
  mkdirSync(join(userHome, 'Meine Projekte', 'Größe & Maß'), { recursive: true })
  const unset = Object.fromEntries([...VARIABLES, 'CONTINUE_GLOBAL_DIR'].map((name) => [name, '']))
  const more = { ...unset, HOME: userHome, USERPROFILE: userHome, XDG_CONFIG_HOME: '', PATH: '/usr/bin:/bin' }
  const forgeHome = join(userHome, '.forge')
  const user = freshCommand(t, { ...more, FORGE_HOME: forgeHome, FORGE_AS: '' })
  const project = join(userHome, 'Meine Projekte', 'Größe & Maß')
  spawnSync('git', ['init', '-q', project])
  const run = (args, options = {}) => user.run(args, { cwd: project, ...options })
  return { ...user, run, project, userHome, forgeHome }
}

/** Every command of hooks in a JSON file, with its event. */
function linesIn(value, event) {
  if (typeof value !== 'object' || value === null) return []
  const line = value.command ?? value.bash
  const isOurs = typeof line === 'string' && /forge-memory-hook| hook /.test(line)
  if (isOurs) return [{ event, line, args: value.args }]
  return Object.entries(value).flatMap(([key, inner]) => linesIn(inner, Array.isArray(inner) ? key : event))
}

for (const name of ['Jörg Müller', "Jörg's $5 (x)"]) {
  test(
    `in the home ${name} every line, module and executable of every agent answers, and goes with --remove`,
    {
      skip: isWindows && 'shells of POSIX',
    },
    (t) => everythingAnswers(oddUser(t, name)),
  )
}

function everythingAnswers(user) {
  json(user, ['add', '-t', 'gotcha', NOTE])
  const before = filesUnder(user.userHome).filter((path) => !path.startsWith('.forge/'))
  for (const scope of SCOPES) {
    const root = scope === 'user' ? user.userHome : user.project
    const { changes } = json(user, ['init', '--agent', 'all', '--scope', scope, '--yes'])
    const paths = changes.map(({ path }) => (path.startsWith('/') ? path : join(root, path)))
    const lines = paths
      .filter((path) => path.endsWith('.json'))
      .flatMap((path) => linesIn(JSON.parse(readFileSync(path, 'utf8'))).map((each) => ({ path, ...each })))
    assert.ok(lines.length > 20, `${scope}: ${lines.length}`)
    const env = user.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000', CLAUDE_PROJECT_DIR: user.project })
    for (const [n, { path, event, line, args }] of lines.entries()) {
      // From a file: a pipe breaks when this process is kept from writing for as long as a hook waits.
      const payload = join(user.folder, 'payload.json')
      writeFileSync(
        payload,
        JSON.stringify({ session_id: `${scope}${n}`, cwd: user.project, hook_event_name: event, ...EDIT }),
      )
      const input = openSync(payload, 'r')
      const [program, words] = args === undefined ? ['sh', ['-c', line]] : [line, args]
      const { status, stdout, stderr, error } = spawnSync(program, words, {
        cwd: user.project,
        env,
        stdio: [input, 'pipe', 'pipe'],
        encoding: 'utf8',
      })
      closeSync(input)
      assert.deepEqual([error, status, stderr], [undefined, 0, ''], `${path}, ${event}: ${line}`)
      if (/^preToolUse$/i.test(event)) assert.match(stdout, KNOWN, `${path}: ${line}`)
    }
    const module = paths.find((path) => path.endsWith('opencode/plugins/forge-memory.js'))
    const driver = `
      const { default: plugin } = await import(${JSON.stringify(pathToFileURL(module).href)})
      const hooks = await plugin.server({ directory: ${JSON.stringify(user.project)} })
      const output = { output: 'done' }
      await hooks['tool.execute.after']({ tool: 'edit', sessionID: '${scope}', args: { filePath: 'src/pool.ts', newString: 'b' } }, output)
      console.log(output.output)`
    const called = spawnSync(process.execPath, ['--input-type=module', '-e', driver], { env, encoding: 'utf8' })
    assert.match(called.stdout, KNOWN, called.stderr)
    const executable = paths.find((path) => path.endsWith('/hooks/PreToolUse'))
    const preToolUse = { toolName: 'write_to_file', parameters: { path: 'src/pool.ts', content: 'b' } }
    const input = JSON.stringify({ taskId: `cline ${scope}`, workspaceRoots: [user.project], preToolUse })
    assert.match(spawnSync(executable, [], { cwd: user.project, env, input, encoding: 'utf8' }).stdout, KNOWN)
  }
  for (const scope of SCOPES) json(user, ['init', '--remove', '--scope', scope, '--yes'])
  const left = filesUnder(user.userHome).filter((path) => !path.startsWith('.forge/'))
  assert.deepEqual(left, before)
}

/** What others have in the file of hooks that an agent reads: a hook of theirs at one event, in the form of that file. */
function foreignHooks({ style, events, under = ['hooks'], head }) {
  const [event] = events
  const theirs = { type: 'command', command: 'their gate', bash: 'their gate' }
  const lists = { [event]: [style === 'groups' ? { matcher: '.*', hooks: [theirs] } : theirs] }
  const nested = under.reduceRight((inner, key) => ({ [key]: inner }), lists)
  return `${JSON.stringify({ ...head, ...nested }, null, '\t')}\n`
}

test('an upgrade writes what an earlier installation wrote again, and keeps what others have, in every file of every agent', (t) => {
  const user = oddUser(t)
  const rootOf = (scope) => (scope === 'user' ? user.userHome : user.project)
  const write = (scope, path, text) => {
    const file = join(rootOf(scope), path)
    mkdirSync(dirname(file), { recursive: true })
    if (!existsSync(file)) writeFileSync(file, text)
  }
  // What is empty goes with our entry, once the file was written by another hand.
  const seeds = CASES.filter(({ others }) => !/^\{("\w+":\s?\{\})?\}$/.test(others))
  for (const { scope, path, others } of seeds) write(scope, path, others)
  for (const { hooks } of Object.values(HOSTS))
    for (const scope of SCOPES)
      for (const each of hooks[scope] ?? []) {
        const path = each.path
          .replace(/^<(home>\/)?/, '<')
          .replace(/^<(\w+)>\//, '.$1/')
          .replace(/^</, '')
        if (each.events !== undefined) write(scope, path, foreignHooks(each))
      }
  const read = () => {
    const files = filesUnder(user.userHome).filter((path) => !/(^|\/)(\.forge|\.git)\//.test(path))
    return Object.fromEntries(files.map((path) => [path, readFileSync(join(user.userHome, path), 'latin1')]))
  }
  const before = read()
  const set = () => SCOPES.map((scope) => json(user, ['init', '--agent', 'all', '--scope', scope, '--yes']).written)
  assert.deepEqual(set(), [true, true])
  const today = read()
  const older = (text) =>
    text
      .replaceAll(program(user), '/old/lib/node_modules/forge-memory/dist/cli/main.js')
      .replaceAll(native(user), '/old home/bin/forge-memory-hook')
  let olderFiles = 0
  for (const [path, text] of Object.entries(today)) {
    if (older(text) === text) continue
    olderFiles++
    writeFileSync(join(user.userHome, path), older(text), 'latin1')
  }
  assert.ok(olderFiles > 50, `${olderFiles}`)
  assert.deepEqual(set(), [true, true])
  assert.deepEqual(parsed(read()), parsed(today))
  assert.deepEqual(set(), [false, false])
  for (const scope of SCOPES) json(user, ['init', '--remove', '--scope', scope, '--yes'])
  assert.deepEqual(read(), before)
})

/** The contents of files, whose layout within an entry of ours may change. */
const parsed = (files) =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => {
      const read = /\.jsonc?$/.test(path)
        ? inJson
        : path.endsWith('.toml')
          ? inToml
          : path.endsWith('.yaml')
            ? inYaml
            : String
      return [path, read(text)]
    }),
  )

/** The paths of the programs as files hold them, byte for byte. */
const bytesOf = (text) => Buffer.from(text, 'utf8').toString('latin1')
const program = (user) => bytesOf(user.program)
const native = (user) => bytesOf(join(user.forgeHome, 'bin', isWindows ? 'forge-memory-hook.exe' : 'forge-memory-hook'))

test('two agents in one project at once: each session gets its notes, and a mark of both is stored once', async (t) => {
  const command = freshCommand(t)
  json(command, ['add', '-t', 'gotcha', NOTE])
  json(command, ['init', '--scope', 'project', '--agent', 'claude', '--agent', 'codex', '--yes'])
  const mark = '[remember:gotcha] The queue drains before the deploy.'
  const called = (event, host, fields) =>
    new Promise((end) => {
      const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' })
      const child = spawn(hookProgram, [event, `--host=${host}`], { cwd: command.project, env })
      let said = ''
      child.stdout.on('data', (chunk) => (said += chunk))
      child.on('close', () => end(said))
      child.stdin.end(JSON.stringify({ session_id: host, cwd: command.project, ...fields }))
    })
  const hosts = ['claude', 'codex']
  const told = await Promise.all(hosts.map((host) => called('PreToolUse', host, { tool_use_id: host, ...EDIT })))
  for (const text of told) assert.match(text, KNOWN)
  await Promise.all(hosts.map((host) => called('Stop', host, { last_assistant_message: mark })))
  const { hits } = json(command, ['find', 'queue drains deploy'])
  assert.equal(hits.filter(({ text }) => text.startsWith('The queue drains')).length, 1)
})
