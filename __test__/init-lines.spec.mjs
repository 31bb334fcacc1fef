// The command lines of hooks are committed: where the program is missing or cannot run, no host may notice it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import test from 'node:test'
import { anyLine } from '../dist/init/launch.js'
import { committedFiles } from '../scripts/packages/trees.mjs'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { filesUnder, freshFolder, root } from './support/project.mjs'

const OWN = 'node_modules/forge-memory/dist/cli/main.js'
const find = (name) =>
  process.env.PATH.split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** The shells of this machine, and the fields of hooks that hosts start in each. */
const SHELLS = [
  { name: 'dash', args: ['-c'], fields: ['command', 'bash'] },
  { name: 'bash', args: ['--norc', '-c'], fields: ['command', 'bash'] },
  { name: 'sh', args: ['-c'], fields: ['command', 'bash'] },
  { name: 'pwsh', args: ['-NoProfile', '-Command'], fields: ['command', 'powershell'] },
  { name: 'powershell.exe', args: ['-NoProfile', '-Command'], fields: ['command', 'powershell', 'commandWindows'] },
].filter(({ name }) => find(name) !== undefined)

/** Every command of a hook in an object, with the name of its field. */
function linesIn(value) {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, inner]) =>
    /^(command|bash|powershell|commandWindows)$/.test(field) && / hook /.test(inner)
      ? // Antigravity starts it in the folder of its file.
        [{ field, line: inner.replace('node ../', 'node ./'), args: value.args }]
      : linesIn(inner),
  )
}

/** The lines that `init` writes into the files of a project for a program that was found in this way. */
function linesOf(t, program) {
  const command = freshCommand(t)
  const bin = join(command.folder, 'bin')
  mkdirSync(bin)
  for (const name of ['git', 'node', 'sh']) symlinkSync(find(name) ?? process.execPath, join(bin, name))
  if (program === 'installed') writeFileSync(join(bin, 'forge-memory'), '', { mode: 0o755 })
  if (program === 'project') {
    mkdirSync(join(command.project, 'node_modules'))
    symlinkSync(root, join(command.project, 'node_modules/forge-memory'), 'junction')
  }
  json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'], { env: { PATH: bin } })
  const files = filesUnder(command.project).filter((path) => !path.startsWith('node_modules/'))
  const read = (path) => readFileSync(join(command.project, path), 'utf8')
  const lines = files.filter((path) => path.endsWith('.json')).flatMap((path) => linesIn(JSON.parse(read(path))))
  const scripts = files.filter((path) => path.startsWith('.clinerules/hooks/'))
  return [...lines, ...scripts.map((path) => ({ field: 'bash', line: read(path) }))]
}

const NOISE = 'console.error("broken"); '
/** What may be in the place of the program: a script of Node, or nothing. */
const PROGRAMS = {
  missing: undefined,
  killed: `${NOISE}process.kill(process.pid, 'SIGKILL')`,
  failing: `${NOISE}process.exit(1)`,
  refusing: `${NOISE}process.exit(2)`,
  'of another version': `${NOISE}throw new Error("unknown command")`,
}

/** A folder in which lines run: the program is there as a command of the PATH, as a package, and at the path of this checkout. */
function placeWith(t, source) {
  const folder = freshFolder(t)
  const script = join(folder, OWN)
  const bin = join(folder, 'bin')
  mkdirSync(dirname(script), { recursive: true })
  mkdirSync(bin)
  if (source !== undefined) {
    writeFileSync(script, `#!${process.execPath}\n${source}`, { mode: 0o755 })
    symlinkSync(script, join(bin, 'forge-memory'))
  }
  symlinkSync(process.execPath, join(bin, 'node'))
  const env = { PATH: isWindows ? `${bin};${process.env.PATH}` : bin, CLAUDE_PROJECT_DIR: folder, HOME: folder }
  const real = join(root, 'dist/cli/main.js').replaceAll('\\', '/')
  return ({ name, args }, line, input = '{}') => {
    const own = line.replaceAll(real, script.replaceAll('\\', '/'))
    return spawnSync(find(name), [...args, own], { cwd: folder, env, input, encoding: 'utf8' })
  }
}

/** One line of each form, because all events of a host have the same. */
function formsOf(t, program) {
  const forms = linesOf(t, program).map((each) => [`${each.field}: ${each.line.replace(/(hook"?) \w+/g, '$1')}`, each])
  return [...new Map(forms).values()]
}

for (const program of ['installed', 'project', 'running']) {
  test(`a line that starts the ${program} program ends with 0 and says nothing where it cannot run`, (t) => {
    const forms = formsOf(t, program)
    assert.ok(forms.length >= 5)
    for (const [kind, source] of Object.entries(PROGRAMS)) {
      const run = placeWith(t, source)
      for (const shell of SHELLS) {
        for (const { line } of forms.filter(({ field }) => shell.fields.includes(field))) {
          const { status, stdout, stderr } = run(shell, line)
          // Bash tells that a program was killed even if the program's own words go nowhere.
          const said = kind === 'killed' ? stderr.replace(/^.*Killed.*\n/, '') : stderr
          assert.deepEqual([status, stdout, said], [0, '', ''], `${shell.name}, ${kind}: ${line}`)
        }
      }
    }
  })

  test(`a line that starts the ${program} program hands it the event and its answer on`, (t) => {
    const source =
      'process.stdin.on("data", (text) => console.log(JSON.stringify([process.argv.slice(2), String(text)])))'
    const run = placeWith(t, source)
    for (const shell of SHELLS) {
      for (const { field, line } of formsOf(t, program).filter(({ field }) => shell.fields.includes(field))) {
        const { status, stdout, stderr } = run(shell, line, '{"a":1}')
        assert.deepEqual([status, stderr], [0, ''], line)
        const [[verb, event, ...flags], input] = JSON.parse(stdout)
        assert.deepEqual([verb, input], ['hook', '{"a":1}'], `${shell.name}, ${field}: ${line}`)
        assert.match(event, /^[a-zA-Z_]+$/)
        assert.ok(
          flags.every((flag) => /^--host=\w+$/.test(flag)),
          line,
        )
      }
    }
  })
}

test('a line of a shared file starts the native program where it is there, and hands its answer on', (t) => {
  const folder = freshFolder(t)
  const program = join(folder, '.forge/bin/forge-memory-hook')
  mkdirSync(dirname(program), { recursive: true })
  const source = 'process.stdin.on("data", (text) => console.log(process.argv[2], String(text)))'
  writeFileSync(program, `#!${process.execPath}\n${source}`, { mode: 0o755 })
  const shells = SHELLS.filter(({ args }) => args.at(-1) === '-c')
  for (const kind of ['installed', 'project', 'running']) {
    for (const { field, line } of formsOf(t, kind)) {
      // Its events are the command's alone.
      if (line.includes('--host=antigravity')) continue
      for (const shell of shells.filter(({ fields }) => fields.includes(field))) {
        const env = { PATH: '/nowhere', HOME: folder }
        const { stdout, stderr } = spawnSync(find(shell.name), [...shell.args, line], {
          env,
          input: '{}',
          encoding: 'utf8',
        })
        assert.match(stdout, /^[a-zA-Z_]+ \{\}\n$/, `${shell.name}: ${line}`)
        assert.equal(stderr, '', line)
      }
    }
  }
})

test('a file that is blocked, such as in quarantine, is as silent', (t) => {
  const folder = freshFolder(t)
  writeFileSync(join(folder, 'forge-memory'), '#!/nowhere/node\n', { mode: isWindows ? 0o755 : 0o644 })
  for (const shell of SHELLS) {
    for (const { line } of formsOf(t, 'installed').filter(({ field }) => shell.fields.includes(field))) {
      const { status, stdout, stderr } = spawnSync(find(shell.name), [...shell.args, line], {
        env: { PATH: folder },
        encoding: 'utf8',
      })
      assert.deepEqual([status, stdout, stderr], [0, '', ''], `${shell.name}: ${line}`)
    }
  }
})

test('every line of init and of the packages is guarded, without arguments beside it, and none calls a tool of MCP', (t) => {
  const packaged = Object.entries(committedFiles()).filter(([path]) => path.endsWith('hooks.json'))
  const lines = [
    ...['installed', 'project', 'running'].flatMap((program) => linesOf(t, program)),
    ...packaged.flatMap(([, text]) => linesIn(JSON.parse(text))),
  ]
  assert.ok(lines.length > 100)
  for (const { field, line, args } of lines) {
    assert.match(line, field === 'commandWindows' ? /& exit \/b 0"$/ : /; exit 0\n?$/)
    // Copilot CLI runs the command alone, and without a shell there is no guard.
    assert.equal(args, undefined)
  }
  for (const [path, text] of packaged) assert.doesNotMatch(text, /mcp_tool/, path)
})

test('the line of every release is recognised, replaced by init and removed by --remove', (t) => {
  for (const line of [
    'forge-memory hook Stop',
    'forge-memory hook Stop || true',
    'forge-memory hook Stop; exit 0',
    '{ forge-memory hook Stop; } 2>/dev/null; exit 0',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of the shell
    '/home/a/.forge/bin/forge-memory-hook Stop 2>${null-/dev/null}; exit 0',
    '/home/a/.forge/bin/forge-memory-hook',
    anyLine('forge-memory hook Stop'),
    anyLine('node node_modules/forge-memory/dist/cli/main.js hook Stop --host=qwen'),
    'try { forge-memory hook Stop 2>$null } catch { }; exit 0',
    'npx forge-memory hook Stop',
  ]) {
    const command = freshCommand(t)
    const path = join(command.project, '.claude/settings.json')
    mkdirSync(dirname(path))
    const foreign = { type: 'command', command: 'say done; exit 0' }
    writeFileSync(path, JSON.stringify({ hooks: { Stop: [{ hooks: [foreign, { type: 'command', command: line }] }] } }))
    const hooks = () => JSON.parse(readFileSync(path, 'utf8')).hooks.Stop.flatMap((group) => group.hooks)
    json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
    assert.equal(hooks().length, 2, line)
    assert.match(hooks()[1].command, /hook Stop 2>(\$null|\/dev\/null); exit 0$/)
    writeFileSync(path, `${readFileSync(path, 'utf8')} `)
    json(command, ['init', '--remove', '--yes'])
    assert.deepEqual(hooks(), [foreign], line)
  }
})
