// Shell completion, in the real shells: what is offered, and that no record can do anything in a shell.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { filesUnder, readLines, root } from './support/project.mjs'

const SHELLS = ['bash', 'zsh', 'fish', 'powershell']
const isThere = (shell) => spawnSync(shell, ['--version']).status === 0
const inShell = (shell) => (isThere(shell) ? test : () => {})

/** Asks as the scripts do. */
function ask(command, words, options) {
  const { status, stdout, stderr } = command.run(['completion', 'bash', '--', ...words], options)
  assert.deepEqual([status, stderr], [0, ''])
  const [kind, ...lines] = stdout.trimEnd().split('\n')
  return { kind, values: lines.map((line) => line.split('\t')[0]), lines }
}

/** A memory with tags, types and sources, and the program on the PATH. */
function filled(t) {
  const command = freshCommand(t)
  const ids = [
    ['lesson', 'jest', 'forge_sweep', 'Jest needs --runInBand on Windows'],
    ['gotcha', 'scope:api', 'forge_run_plan/slice', 'The webhook signs the raw body'],
    ['runbook', 'jest', 'forge_sweep', 'Restart the worker after a deploy'],
  ].map(
    ([type, tag, source, text]) =>
      json(command, ['capture', '--type', type, '--tag', tag, '--source', source, text]).id,
  )
  const bin = join(command.folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'forge-memory'), `#!/bin/sh\nexec '${process.execPath}' '${command.program}' "$@"\n`, {
    mode: 0o755,
  })
  return { ...command, ids, bin, shellEnv: command.env({ PATH: `${bin}:${process.env.PATH}`, HOME: command.folder }) }
}

test('each shell gets its script, and other words are refused', (t) => {
  const command = freshCommand(t)
  for (const shell of SHELLS) {
    const { status, stdout, stderr } = command.run(['completion', shell])
    assert.deepEqual([status, stderr], [0, ''])
    assert.match(stdout, /^#.*\n?.*Completion of forge-memory for/)
    assert.equal(json(command, ['completion', shell]).script, stdout)
  }
  assert.equal(command.run(['completion', 'tcsh']).status, 2)
  assert.equal(command.run(['completion']).status, 2)
})

test('commands, their own commands and options are those that help lists', (t) => {
  const command = freshCommand(t)
  const described = json(command, ['help'])
  const names = ({ commands }) => commands.map(({ path }) => path.at(-1))
  assert.deepEqual(ask(command, ['']).values, [...names(described), 'help'])
  const all = described.commands.flatMap((each) => [each, ...each.commands.filter(({ path }) => path[0] !== 'code')])
  for (const each of all) {
    const words = each.path
    if (each.commands.length > 0) assert.deepEqual(ask(command, [...words, '']).values, names(each))
    const offered = ask(command, [...words, '--']).values
    for (const { long } of each.options) assert.ok(offered.includes(long), `${words} ${long}`)
    assert.ok(offered.includes('--json') && offered.includes('--project'))
  }
  assert.deepEqual(ask(command, ['fi']).values, ['find'])
  assert.deepEqual(ask(command, ['help', 'fi']).values, ['find'])
  for (const code of ['code', 'lattice'])
    assert.deepEqual(ask(command, ['help', code, 'ca']).values, ['callers', 'callees'])
  assert.match(ask(command, ['fi']).lines[0], /^find\tfind what is known/)
})

test('values come from the options themselves, and from the store', (t) => {
  const command = filled(t)
  const offered = (...words) => ask(command, words).values
  assert.deepEqual(offered('init', '--scope', ''), ['user', 'project'])
  assert.deepEqual(offered('init', '--scope=us'), ['--scope=user'])
  assert.deepEqual(offered('recall', '--tag', ''), ['jest', 'scope:api'])
  assert.deepEqual(offered('recall', '--tag=je'), ['--tag=jest'])
  assert.deepEqual(offered('list', '--type', 'ru'), ['runbook'])
  assert.deepEqual(offered('capture', '--type', 'go'), ['gotcha'])
  assert.deepEqual(offered('capture', '--source', 'forge_r'), ['forge_run_plan/slice'])
  const short = command.ids.map((id) => id.slice(-8))
  assert.deepEqual(offered('show', '').sort(), [...short].sort())
  assert.deepEqual(offered('forget', short[0].slice(0, 4)), [short[0]])
  assert.match(ask(command, ['show', short[1].slice(0, 5)]).lines[0], /\tgotcha: The webhook signs/)
  assert.deepEqual(offered('recall', 'some words', ''), [])
  assert.deepEqual(offered('recall', '--limit', ''), [])
  assert.deepEqual(offered('recall', '--', '--t'), [])
  assert.deepEqual(offered('nonsense', ''), [])
})

test('files and folders are left to the shell', (t) => {
  const command = freshCommand(t)
  assert.equal(ask(command, ['import', '']).kind, 'files')
  assert.equal(ask(command, ['export', '--output', '']).kind, 'files')
  assert.equal(ask(command, ['list', '--project', '']).kind, 'folders')
  assert.equal(ask(command, ['list', '']).kind, 'words')
})

test('the project that the line names is the one that is read, and nothing is written', (t) => {
  const command = filled(t)
  const elsewhere = join(command.folder, 'elsewhere')
  mkdirSync(elsewhere)
  const before = filesUnder(command.folder)
  assert.deepEqual(ask(command, ['show', ''], { cwd: elsewhere }).values, [])
  const named = ask(command, ['show', '--project', command.project, ''], { cwd: elsewhere })
  assert.equal(named.values.length, 3)
  assert.equal(ask(command, ['show', `--project=${command.project}`, ''], { cwd: elsewhere }).values.length, 3)
  assert.deepEqual(ask(command, ['show', '--project', '/no/such/folder', '']).values, [])
  assert.deepEqual(filesUnder(command.folder), before)
})

/** What a clone may contain in its tags, types, sources and ids. */
const HOSTILE = [
  '$(touch pwned)',
  '`touch pwned`',
  '; touch pwned',
  "'; touch pwned; '",
  '"; touch pwned; "',
  '| touch pwned',
  '\u001b[31mred',
  'bell\u0007',
  'two words',
  'line\nbreak',
  'tab\tstop',
  '-rf',
  '--json',
  '~root',
  '*',
  '{a,b}',
  '!history',
  '%x',
  '\u202egnp.exe',
  '=ls',
]

function hostileStore(t) {
  const command = filled(t)
  const log = join(command.project, '.forge', 'memory-captures.jsonl')
  const [stored] = readLines(log)
  const lines = HOSTILE.map((text, at) =>
    JSON.stringify({
      ...stored,
      hallmark: undefined,
      content: `${text} number ${at} ${HOSTILE[at]}`,
      type: text,
      source: text,
      tags: [text, `fine${at}`],
      id: at % 2 === 0 ? text : `mem_${String(at).padStart(32, '0')}`,
    }),
  )
  writeFileSync(log, `${lines.join('\n')}\n`, { flag: 'a' })
  return command
}

test('of hostile records only plain words are offered, each with a description without control characters', (t) => {
  const command = hostileStore(t)
  const questions = [
    ['show', ''],
    ['recall', '--tag', ''],
    ['list', '--type', ''],
    ['capture', '--source', ''],
    ['recall', '--tag=', ''],
  ]
  for (const words of questions) {
    const { values, lines } = ask(command, words)
    for (const value of values) assert.match(value, /^[\p{L}\p{N}_][\p{L}\p{N}_.:@/+,=-]*$/u)
    for (const line of lines) assert.doesNotMatch(line, /[\p{Cf}\p{Zl}]|[^\P{Cc}\t]/u)
  }
  assert.ok(ask(command, ['recall', '--tag', 'fine']).values.length === HOSTILE.length)
  assert.ok(!existsSync(join(command.project, 'pwned')))
})

test('nothing that is wrong with a store or a line reaches the shell', (t) => {
  const command = filled(t)
  const log = join(command.project, '.forge', 'memory-captures.jsonl')
  writeFileSync(log, 'not JSON\n\u0000\n{"id":7}\n', { flag: 'a' })
  writeFileSync(join(command.project, '.forge.json'), '{{{')
  for (const words of [
    ['show', ''],
    ['recall', '--tag', ''],
    ['--project'],
    ['--project', ''],
    ['-x', '--=', ''],
    ['$(x', ''],
  ])
    ask(command, words)
})

inShell('bash')('bash completes commands, options, tags with colons, ids and files', (t) => {
  const command = filled(t)
  writeFileSync(join(command.project, 'backup.jsonl'), '')
  const complete = (line) => {
    const script = `source <(forge-memory completion bash)
      COMP_LINE=$1; COMP_POINT=\${#COMP_LINE}; COMP_WORDBREAKS=$' \\t\\n"\\'><=;|&(:'
      compopt() { echo "option $2"; }
      _forge_memory forge-memory '' ''
      [[ \${#COMPREPLY[@]} -gt 0 ]] && printf '%s\\n' "\${COMPREPLY[@]}"; true`
    const options = { cwd: command.project, env: command.shellEnv, encoding: 'utf8' }
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script, 'bash', line], options)
    assert.deepEqual([status, stderr], [0, ''])
    return stdout.trimEnd().split('\n')
  }
  assert.deepEqual(complete('forge-memory fin'), ['find'])
  assert.deepEqual(complete('forge-memory   recall --ta'), ['--tag'])
  assert.deepEqual(complete('forge-memory recall --tag '), ['jest', 'scope:api'])
  assert.deepEqual(complete('forge-memory recall --tag scope:a'), ['api'])
  assert.deepEqual(complete('forge-memory recall --tag=je'), ['jest'])
  assert.deepEqual(complete('forge-memory recall --tag=scope:'), ['api'])
  assert.equal(complete('forge-memory show ').length, 3)
  assert.deepEqual(complete('forge-memory import back'), ['option default'])
  assert.deepEqual(complete('forge-memory recall "an open quote $(touch pwned) '), [''])
  assert.ok(!existsSync(join(command.project, 'pwned')))
})

/** How each shell asks for completions of a line that begins with a program, without a terminal. */
const ASKS = {
  bash: {
    args: ['--norc', '-c'],
    script: (file, program) =>
      `source '${file}'; COMP_LINE='${program} fin'; COMP_POINT=\${#COMP_LINE}; COMP_WORDBREAKS=' '; _forge_memory '${program}' '' ''; printf '%s' "\${COMPREPLY[*]}"`,
  },
  zsh: {
    args: ['-f', '-c'],
    script: (file, program) =>
      `compdef() { }; _describe() { printf '%s' find }; source '${file}'; words=('${program}' fin); CURRENT=2; PREFIX=fin; _forge_memory`,
  },
  fish: {
    args: ['--no-config', '-c'],
    script: (file, program) => `source '${file}'; complete -C '${program} fin' | cut -f1 | string trim`,
  },
}

for (const [shell, { args, script }] of Object.entries(ASKS)) {
  inShell(shell)(`${shell}: completion never runs a program of the current folder`, (t) => {
    const command = filled(t)
    const file = join(root, 'completions', `forge-memory.${shell}`)
    // The paths of the trials do not lead to the shell itself.
    const found = spawnSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).stdout.trim()
    const run = (program, PATH, cwd = command.project) => {
      const env = { ...command.shellEnv, PATH }
      const { stdout } = spawnSync(found, [...args, script(file, program)], { cwd, env, encoding: 'utf8' })
      return stdout.trim()
    }
    for (const path of ['forge-memory', 'bin/forge-memory']) {
      mkdirSync(join(command.project, 'bin'), { recursive: true })
      writeFileSync(join(command.project, path), '#!/bin/sh\ntouch pwned\n', { mode: 0o755 })
    }
    const usual = command.shellEnv.PATH
    assert.equal(run('forge-memory', usual), 'find')
    for (const program of ['./forge-memory', 'bin/forge-memory', join(command.project, 'forge-memory')])
      run(program, usual)
    for (const folder of ['.', '', 'bin', command.project, join(command.project, 'bin')])
      assert.equal(run('forge-memory', `${folder}:/usr/bin:/bin`), '', folder)
    assert.ok(!filesUnder(command.project).includes('pwned'))
  })
}

/** Types a line and Tab into an interactive shell on a terminal, then asks the shell what the line is. */
async function typed(shell, command, line) {
  const { completeIn } = await import('./support/shells.mjs')
  return completeIn(shell, line, { cwd: command.project, env: command.shellEnv, folder: command.folder })
}

for (const shell of ['bash', 'zsh', 'fish']) {
  inShell(shell)(`${shell}: Tab completes the line on a terminal, and runs nothing`, async (t) => {
    const command = hostileStore(t)
    assert.equal(await typed(shell, command, 'forge-memory fin'), 'forge-memory find ')
    assert.equal(
      await typed(shell, command, 'forge-memory recall --tag scope:'),
      'forge-memory recall --tag scope:api ',
    )
    assert.equal(await typed(shell, command, 'forge-memory recall --tag jes'), 'forge-memory recall --tag jest ')
    const [id] = command.ids.map((each) => each.slice(-8))
    assert.equal(await typed(shell, command, `forge-memory show ${id.slice(0, 6)}`), `forge-memory show ${id} `)
    // Several candidates: their texts are shown, and none of them does anything.
    await typed(shell, command, 'forge-memory show ')
    await typed(shell, command, 'forge-memory recall --tag ')
    assert.ok(!readdirSync(command.project).includes('pwned'))
  })
}

test('the script for PowerShell asks the same question, with a sign before the last word', (t) => {
  const command = filled(t)
  const { stdout } = command.run(['completion', 'powershell', '--', 'recall', '--tag', '=je'])
  assert.equal(stdout, 'words\njest\t2 of the newest\n')
  const script = readFileSync(join(root, 'completions', 'forge-memory.ps1'), 'utf8')
  assert.match(script, /Register-ArgumentCompleter -Native -CommandName forge-memory/)
})
