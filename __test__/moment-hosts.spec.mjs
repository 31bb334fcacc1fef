// What each host hands to a hook before and after a tool, and the very JSON that it is answered with.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'
import { freshFolder } from './support/project.mjs'

const NOTE = 'src/pool.ts must be closed last, or `pnpm db:push` hangs.'
const KNOWN = /must be closed last/

function filled(t) {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'gotcha', NOTE])
  json(command, ['capture', '--type', 'gotcha', 'ERR_POOL_OPEN: run pnpm pool:close first.'])
  return command
}

function hook(command, event, payload, { host, env = {} } = {}) {
  const args = ['hook', event, ...(host === undefined ? [] : [`--host=${host}`])]
  const input = typeof payload === 'string' || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)
  const { status, stdout, stderr } = command.run(args, {
    input,
    env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000', ...env },
  })
  assert.equal(status, 0, stderr)
  return { stdout, stderr, answer: stdout === '' ? undefined : JSON.parse(stdout) }
}

const nested = (hookEventName) => (additionalContext) => ({ hookSpecificOutput: { hookEventName, additionalContext } })
const PATCH = '*** Begin Patch\n*** Update File: src/pool.ts\n@@\n-a\n+b\n*** End Patch'
const ISO = '2026-11-20T10:00:00Z'

/** Event, host as the command line names it, payload, and the answer around the note; nothing where the host takes none. */
const CALLS = {
  'Factory droid': [
    'PostToolUse',
    'droid',
    { tool_name: 'Edit', tool_input: { file_path: '<project>/src/pool.ts', old_str: 'a', new_str: 'b' } },
    nested('PostToolUse'),
  ],
  pi: [
    'PostToolUse',
    'pi',
    { tool_name: 'edit', tool_input: { path: '<project>/src/pool.ts', edits: [{ oldText: 'a', newText: 'b' }] } },
    nested('PostToolUse'),
  ],
  'Claude Code, edit': [
    'PreToolUse',
    undefined,
    { tool_name: 'Edit', tool_input: { file_path: '<project>/src/pool.ts', old_string: 'a', new_string: 'b' } },
    nested('PreToolUse'),
  ],
  'Claude Code, notebook': [
    'PreToolUse',
    undefined,
    {
      tool_name: 'MultiEdit',
      tool_input: { file_path: '<project>/src/pool.ts', edits: [{ old_string: 'a', new_string: 'b' }] },
    },
    nested('PreToolUse'),
  ],
  'Claude Code, command': [
    'PreToolUse',
    undefined,
    { tool_name: 'Bash', tool_input: { command: 'pnpm db:push' } },
    nested('PreToolUse'),
  ],
  'Claude Code, a look': [
    'PreToolUse',
    undefined,
    { tool_name: 'Read', tool_input: { file_path: '<project>/src/other.ts' } },
    undefined,
  ],
  'Codex, patch': [
    'PreToolUse',
    'codex',
    { turn_id: '1', tool_name: 'apply_patch', tool_input: { command: PATCH } },
    nested('PreToolUse'),
  ],
  'Codex, patch in a shell call': [
    'PreToolUse',
    'codex',
    { turn_id: '1', tool_name: 'Bash', tool_input: { command: `apply_patch <<'EOF'\n${PATCH}\nEOF` } },
    nested('PreToolUse'),
  ],
  'Codex, command': [
    'PreToolUse',
    'codex',
    { turn_id: '1', tool_name: 'Bash', tool_input: { command: 'pnpm db:push' } },
    nested('PreToolUse'),
  ],
  'Copilot CLI': [
    'preToolUse',
    undefined,
    {
      sessionId: 's',
      session_id: undefined,
      timestamp: 1,
      toolName: 'edit',
      toolArgs: '{"path":"src/pool.ts","old_str":"a","new_str":"b"}',
    },
    (note) => ({ additionalContext: note, ...nested('preToolUse')(note) }),
  ],
  'Visual Studio Code': [
    'preToolUse',
    undefined,
    {
      sessionId: 's',
      session_id: undefined,
      timestamp: ISO,
      hookEventName: 'PreToolUse',
      tool_name: 'replace_string_in_file',
      tool_input: { filePath: '<project>/src/pool.ts', oldString: 'a', newString: 'b' },
    },
    (note) => ({ additionalContext: note, ...nested('PreToolUse')(note) }),
  ],
  'Visual Studio Code, files': [
    'PreToolUse',
    undefined,
    {
      sessionId: 's',
      timestamp: ISO,
      hookEventName: 'PreToolUse',
      tool_name: 'editFiles',
      tool_input: { files: ['src/pool.ts'] },
    },
    (note) => ({ additionalContext: note, ...nested('PreToolUse')(note) }),
  ],
  Cline: [
    'PreToolUse',
    'cline',
    {
      cwd: undefined,
      session_id: undefined,
      clineVersion: '4',
      hookName: 'PreToolUse',
      taskId: 's',
      workspaceRoots: ['<project>'],
      preToolUse: { toolName: 'replace_in_file', parameters: { path: 'src/pool.ts', diff: 'x' } },
    },
    (note) => ({ cancel: false, contextModification: note }),
  ],
  'Cline, command line': [
    'PreToolUse',
    'cline',
    {
      cwd: undefined,
      hookName: 'tool_call',
      taskId: 's',
      workspaceRoots: ['<project>'],
      tool_call: { id: '1', name: 'execute_command', input: { command: 'pnpm db:push' } },
    },
    (note) => ({ cancel: false, contextModification: note }),
  ],
  Junie: [
    'PreToolUse',
    'junie',
    { session_id: undefined, tool_name: 'Edit', tool_input: { file_path: 'src/pool.ts', new_string: 'b' } },
    (note) => ({ additionalContext: note }),
  ],
  'Cursor before': [
    'preToolUse',
    undefined,
    {
      session_id: undefined,
      conversation_id: 's',
      tool_name: 'Write',
      tool_input: { file_path: '<project>/src/pool.ts', content: 'b' },
    },
    undefined,
  ],
  'Cursor after': [
    'postToolUse',
    undefined,
    {
      session_id: undefined,
      conversation_id: 's',
      tool_name: 'Read',
      tool_input: { file_path: '<project>/src/pool.ts' },
    },
    (note) => ({ additional_context: note }),
  ],
  'Gemini CLI': [
    'AfterTool',
    'gemini',
    {
      timestamp: ISO,
      tool_name: 'read_file',
      tool_input: { absolute_path: '<project>/src/pool.ts' },
      tool_response: { llmContent: 'x' },
    },
    nested('AfterTool'),
  ],
  'Qwen Code': [
    'PostToolUse',
    'qwen',
    {
      timestamp: ISO,
      tool_name: 'edit',
      tool_input: { file_path: '<project>/src/pool.ts', old_string: 'a', new_string: 'b' },
    },
    nested('PostToolUse'),
  ],
  Devin: [
    'PostToolUse',
    'devin',
    { tool_name: 'exec', tool_input: { command: 'pnpm db:push' }, tool_response: { success: true, output: '' } },
    nested('PostToolUse'),
  ],
  'Devin before': [
    'PreToolUse',
    'devin',
    { tool_name: 'edit', tool_input: { file_path: 'src/pool.ts', new_string: 'b' } },
    undefined,
  ],
  opencode: [
    'PostToolUse',
    'opencode',
    { tool_name: 'edit', tool_input: { filePath: '<project>/src/pool.ts', newString: 'b' } },
    (note) => ({ additionalContext: note }),
  ],
  Amp: [
    'PostToolUse',
    'amp',
    { tool_name: 'edit_file', tool_input: { path: '<project>/src/pool.ts', new_str: 'b' } },
    (note) => ({ additionalContext: note }),
  ],
  'a tool never heard of': [
    'PreToolUse',
    undefined,
    { tool_name: 'mcp__files__splice', tool_input: { path: 'src/pool.ts', content: 'b' } },
    nested('PreToolUse'),
  ],
}

for (const [name, [event, host, fields, wrapped]] of Object.entries(CALLS)) {
  test(`${name}: the answer is the host's own JSON, and no decision`, (t) => {
    const command = filled(t)
    const payload = { session_id: 's', cwd: '<project>', ...fields }
    const input = JSON.stringify(payload).replaceAll('<project>', JSON.stringify(command.project).slice(1, -1))
    const { answer, stderr } = hook(command, event, input, { host })
    assert.equal(stderr, '')
    if (wrapped === undefined) assert.equal(answer, undefined)
    else {
      const [note] = JSON.stringify(answer).match(/"\[recorded notes\].*?\[end of recorded notes: 1\]\\n"/) ?? []
      assert.match(note ?? '', KNOWN, JSON.stringify(answer))
      assert.deepEqual(answer, wrapped(JSON.parse(note)))
    }
  })
}

test('after a failure, every host that accepts notes gets the earlier fix', (t) => {
  const command = filled(t)
  const failed = 'Error: ERR_POOL_OPEN the pool is open'
  const input = { tool_name: 'Bash', tool_input: { command: 'pnpm x' } }
  for (const [event, host, fields] of [
    ['PostToolUseFailure', 'claude', { ...input, error: failed }],
    ['PostToolUse', 'codex', { ...input, tool_response: { exit_code: 1, output: failed } }],
    ['PostToolUse', 'codex', { ...input, tool_response: failed }],
    ['postToolUseFailure', 'copilot', { toolName: 'bash', toolArgs: '{"command":"pnpm x"}', error: failed }],
    [
      'postToolUse',
      'copilot',
      {
        toolName: 'bash',
        toolArgs: { command: 'pnpm x' },
        toolResult: { resultType: 'failure', textResultForLlm: failed },
      },
    ],
    [
      'postToolUse',
      'cursor',
      {
        tool_name: 'Shell',
        tool_input: { command: 'pnpm x' },
        tool_output: JSON.stringify({ exitCode: 1, output: failed }),
      },
    ],
    [
      'AfterTool',
      'gemini',
      {
        tool_name: 'run_shell_command',
        tool_input: { command: 'pnpm x' },
        tool_response: { llmContent: failed, error: { message: 'exit 1' } },
      },
    ],
    // Payloads of these hosts, recorded with `node eval/hosts/run.mjs --payloads`: no field says that the command failed.
    [
      'AfterTool',
      'gemini',
      {
        tool_name: 'run_shell_command',
        tool_input: { command: 'pnpm x', description: 'x' },
        tool_response: {
          llmContent: `<untrusted_context>\nOutput: ${failed}\nExit Code: 1\nProcess Group PGID: 29255\n</untrusted_context>`,
          returnDisplay: failed,
        },
      },
    ],
    [
      'PostToolUse',
      'qwen',
      {
        tool_name: 'run_shell_command',
        tool_input: { command: 'pnpm x', description: 'x', is_background: false },
        tool_response: {
          llmContent: `Command: pnpm x\nDirectory: (root)\nOutput: ${failed}\nError: (none)\nExit Code: 1\nSignal: 0\nProcess Group PGID: 30814`,
          returnDisplay: failed,
        },
      },
    ],
    [
      'postToolUse',
      'copilot',
      {
        toolName: 'bash',
        toolArgs: { command: 'pnpm x', description: 'x' },
        toolResult: {
          resultType: 'success',
          textResultForLlm: `${failed}\n<shellId: 1 completed with exit code 1>`,
        },
      },
    ],
    [
      'PostToolUseFailure',
      'qwen',
      { tool_name: 'run_shell_command', tool_input: { command: 'pnpm x' }, error: failed },
    ],
    [
      'PostToolUse',
      'devin',
      { tool_name: 'exec', tool_input: { command: 'pnpm x' }, tool_response: { success: false, output: failed } },
    ],
    [
      'PostToolUse',
      'opencode',
      { tool_name: 'bash', tool_input: { command: 'pnpm x' }, tool_response: { exitCode: 1, output: failed } },
    ],
    // Read from the program of Factory droid 0.225.
    ['PostToolUse', 'droid', { tool_name: 'Execute', tool_input: { command: 'pnpm x' }, tool_response: failed }],
  ]) {
    const { stdout } = hook(
      command,
      event,
      { session_id: JSON.stringify(fields), cwd: command.project, ...fields },
      { host },
    )
    assert.match(stdout, /pool:close first/, `${event} of ${host}`)
  }
})

test('a command that succeeded is not a failure, whatever it prints', (t) => {
  const command = filled(t)
  const printed = 'Error: ERR_POOL_OPEN the pool is open\nExit Code: 1\nand on'
  for (const [event, host, llmContent] of [
    ['AfterTool', 'gemini', `Output: ${printed}\nProcess Group PGID: 7`],
    ['AfterTool', 'gemini', `<untrusted_context>\nOutput: ${printed}\nProcess Group PGID: 7\n</untrusted_context>`],
    ['PostToolUse', 'qwen', `Command: x\nOutput: ${printed}\nError: (none)\nExit Code: (none)\nSignal: (none)`],
    ['PostToolUse', 'qwen', `Command: x\nOutput: ${printed}\nError: (none)\nExit Code: 0\nSignal: 0`],
  ]) {
    const fields = { tool_name: 'run_shell_command', tool_input: { command: 'pnpm x' }, tool_response: { llmContent } }
    assert.equal(hook(command, event, { session_id: llmContent, cwd: command.project, ...fields }, { host }).stdout, '')
  }
  const textResultForLlm = `${printed}\n<shellId: 1 completed with exit code 1>\n<shellId: 0 completed with exit code 0>`
  const fields = {
    toolName: 'bash',
    toolArgs: { command: 'pnpm x' },
    toolResult: { resultType: 'success', textResultForLlm },
  }
  const payload = { sessionId: 'c', cwd: command.project, ...fields }
  assert.equal(hook(command, 'postToolUse', payload, { host: 'copilot' }).stdout, '')
})

test('an event that two hosts report is answered once', (t) => {
  const command = filled(t)
  const payload = {
    session_id: 's',
    cwd: command.project,
    tool_use_id: 't1',
    tool_name: 'Edit',
    tool_input: { file_path: 'src/pool.ts', new_string: 'b' },
  }
  assert.match(hook(command, 'PreToolUse', payload).stdout, KNOWN)
  assert.equal(hook(command, 'preToolUse', payload).stdout, '')
})

const HOSTILE = {
  'cut off': '{"session_id":"s","tool_name":"Edit","tool_input":{"file_path":"src/po',
  empty: '',
  'no object': '[1,2]',
  'only a number': '7',
  'bytes that are no text': Buffer.from([0xff, 0xfe, 0x00, 0x01, 0x80]),
  'nested without end': '{"a":'.repeat(50_000),
}

for (const [name, input] of Object.entries(HOSTILE)) {
  test(`a payload that is ${name}: the host continues, and doctor reports it`, (t) => {
    const command = filled(t)
    const { stdout, stderr } = hook(command, 'PreToolUse', input)
    assert.equal(stdout, '')
    assert.match(stderr, /^warning: PreToolUse: not a known event, or standard input is not a JSON object\n$/)
    const told = json(command, ['doctor']).find(({ code }) => code === 'HOOK_FAULTS')
    assert.match(told.message, /^1 hook call did nothing in the last 7 days; the last one: PreToolUse: /)
  })
}

test('a payload of megabytes is answered with nothing', (t) => {
  const command = filled(t)
  const tool_input = { file_path: 'src/pool.ts', content: 'x'.repeat(12 * 1024 * 1024) }
  const { stdout } = hook(command, 'PreToolUse', {
    session_id: 's',
    cwd: command.project,
    tool_name: 'Write',
    tool_input,
  })
  assert.equal(stdout, '')
  assert.equal(json(command, ['doctor']).filter(({ code }) => code === 'HOOK_FAULTS').length, 1)
})

test('fields of wrong types, future versions and unknown tools give no answer and no failure', (t) => {
  const command = filled(t)
  const deep = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
  for (const fields of [
    { tool_name: 7, tool_input: 'src/pool.ts' },
    { tool_name: 'Edit', tool_input: { file_path: { path: 'src/pool.ts' } } },
    { tool_name: 'Edit', tool_input: { file_path: ['src/pool.ts'], edits: 'all' } },
    { tool_name: 'Edit', tool_input: null },
    { tool_name: 'quantum_fold', tool_input: { qubits: [1, 2], deep } },
    { tool_name: 'Bash', tool_input: { command: ['pnpm', 'db:push'] } },
    { tool_calls: [{ tool_name: 'Edit' }], schema_version: 99 },
    { workspace_roots: [{}, 7], tool_name: 'Read', tool_input: { paths: [{}, 7] } },
    { tool_name: '__proto__', tool_input: JSON.parse('{"__proto__":{"file_path":"x"},"constructor":1}') },
  ]) {
    const { stdout, stderr } = hook(command, 'PreToolUse', { session_id: 's', cwd: command.project, ...fields })
    assert.deepEqual([stdout, stderr], ['', ''], JSON.stringify(fields).slice(0, 200))
  }
  const future = {
    tool_name: 'Edit',
    tool_input: { file_path: 'src/pool.ts', new_string: 'b', v9: { deep } },
    hook_event_version: 99,
  }
  assert.match(hook(command, 'PreToolUse', { session_id: 's', cwd: command.project, ...future }).stdout, KNOWN)
})

test('paths outside of the project or with control characters, and commands of a megabyte', (t) => {
  const command = filled(t)
  const said = (tool_name, tool_input) => {
    const { stdout, stderr } = hook(command, 'PreToolUse', {
      session_id: 's',
      cwd: command.project,
      tool_name,
      tool_input,
    })
    assert.equal(stderr, '')
    return stdout
  }
  const out = join(command.folder, 'src/pool.ts')
  for (const file_path of [
    out,
    '../src/pool.ts',
    '/etc/passwd',
    'src/pool.ts\u0000',
    'src/\u001bpool.ts',
    '',
    'x/'.repeat(4000),
    '~/src/pool.ts',
    '\\\\host\\src\\pool.ts',
  ]) {
    assert.equal(said('Edit', { file_path, new_string: 'b' }), '', JSON.stringify(file_path).slice(0, 60))
  }
  const long = `echo ${'"'.repeat(3)}${'x '.repeat(500_000)}`
  for (const line of [
    long,
    `${'a;'.repeat(500_000)}`,
    `${'$('.repeat(500_000)}`,
    `${"'".repeat(1_000_001)}`,
    `${'\\'.repeat(1_000_000)}`,
    `cat <<EOF\n${'pnpm db:push\n'.repeat(80_000)}EOF`,
  ]) {
    assert.equal(said('Bash', { command: line }), '', line.slice(0, 40))
  }
  assert.match(said('Bash', { command: `pnpm db:push # ${'x'.repeat(1_000_000)}` }), KNOWN)
})

test('a store that is damaged, locked or not a store: the host continues', (t) => {
  // It needs FIFOs.
  if (isWindows) return
  const command = filled(t)
  const payload = (session) => ({
    session_id: session,
    cwd: command.project,
    tool_name: 'Edit',
    tool_input: { file_path: 'src/pool.ts', new_string: 'b' },
  })
  const journal = join(command.project, '.forge/memory-captures.jsonl')
  const text = readFileSync(journal, 'utf8')
  for (const damaged of [`${text}{"torn`, `\u0000\u0000${text}`, 'no json at all\n'.repeat(1000), '']) {
    writeFileSync(journal, damaged)
    hook(command, 'PreToolUse', payload(`d${damaged.length}`))
  }
  rmSync(journal)
  mkdirSync(journal)
  hook(command, 'PreToolUse', payload('folder'))
  rmSync(journal, { recursive: true })
  execFileSync('mkfifo', [journal])
  hook(command, 'PreToolUse', payload('fifo'))
  rmSync(journal)
  symlinkSync('/dev/zero', journal)
  hook(command, 'PreToolUse', payload('link'))
  rmSync(journal)
  writeFileSync(journal, text)
  assert.match(hook(command, 'PreToolUse', payload('again')).stdout, KNOWN)
  // Its own files must not make it fail either.
  for (const folder of ['sessions', 'moments', 'hook-calls']) {
    rmSync(join(command.home, folder), { recursive: true, force: true })
    writeFileSync(join(command.home, folder), 'a file')
  }
  assert.match(hook(command, 'PreToolUse', payload('unwritable')).stdout, KNOWN)
})

test('a deadline ends the process: with 0, without a word to the host, and doctor knows', (t) => {
  const command = filled(t)
  const payload = {
    session_id: 's',
    cwd: command.project,
    tool_name: 'Edit',
    tool_input: { file_path: 'src/pool.ts', new_string: 'b' },
  }
  // So many records in one line each that no look at them is done within a millisecond.
  const line = readFileSync(join(command.project, '.forge/memory-captures.jsonl'), 'utf8').split('\n')[0]
  const many = Array.from({ length: 60_000 }, (_, n) =>
    line.replace(/"id":"mem_.{8}/, `"id":"mem_${String(n).padStart(8, '0')}`),
  )
  // What was captured stays, or it would be missed.
  appendFileSync(join(command.project, '.forge/memory-captures.jsonl'), `${many.join('\n')}\n`)
  const { stdout, stderr } = hook(command, 'PreToolUse', payload, { env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '1' } })
  assert.equal(stdout, '')
  assert.equal(stderr, 'warning: did not finish within 1 ms; nothing was said about the tool call\n')
  const told = json(command, ['doctor']).find(({ code }) => code === 'HOOK_FAULTS')
  assert.match(told.message, /did not finish within 1 ms/)
  assert.match(told.subject, /PreToolUse of claude/)
})

test('init writes the hooks of ten hosts, keeps existing ones, and removes its own', (t) => {
  const command = freshCommand(t, { HOME: freshFolder(t), XDG_CONFIG_HOME: '', PATH: '/usr/bin:/bin' })
  const write = (path, text) => {
    mkdirSync(join(command.project, path, '..'), { recursive: true })
    writeFileSync(join(command.project, path), text)
  }
  const theirs = {
    '.codex/hooks.json':
      '{\n  "hooks": {\n    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "gate"}]}]\n  }\n}\n',
    '.gemini/settings.json':
      '{\n  // mine\n  "hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "log", "timeout": 10}]}]},\n  "mcpServers": {"a": {"httpUrl": "http://localhost:1"}}\n}\n',
    '.qwen/settings.json': '{ "disableAllHooks": false }',
    '.devin/hooks.v1.json':
      '{\n\t"PostToolUse": [{"matcher": "exec", "hooks": [{"type": "command", "command": "x"}]}]\n}\n',
    '.clinerules/hooks/PostToolUse': '#!/bin/sh\necho mine\n',
    '.opencode/plugins/other.ts': 'export const Other = async () => ({})\n',
    '.amp/settings.json': '{}',
  }
  for (const [path, text] of Object.entries(theirs)) write(path, text)
  const { agents, written } = json(command, ['init', '--scope', 'project', '--yes'])
  assert.deepEqual(agents, ['codex', 'gemini', 'qwen', 'devin', 'cline', 'opencode', 'amp'])
  assert.equal(written, true)
  const read = (path) => readFileSync(join(command.project, path), 'utf8')
  assert.equal(json(command, ['init', '--scope', 'project', '--yes']).written, false)
  const codex = JSON.parse(read('.codex/hooks.json')).hooks
  assert.equal(codex.PreToolUse[0].hooks[0].command, 'gate')
  assert.match(codex.PreToolUse[1].hooks[0].command, / hook PreToolUse --host=codex 2>/)
  assert.equal(codex.PreToolUse[1].matcher, 'Bash|apply_patch')
  assert.match(
    read('.gemini/settings.json'),
    /\/\/ mine[\s\S]*hook AfterTool --host=gemini [^"]*; exit 0",\s*"timeout": 5000/,
  )
  assert.equal(JSON.parse(read('.devin/hooks.v1.json')).PostToolUse.length, 2)
  assert.equal(read('.clinerules/hooks/PostToolUse'), theirs['.clinerules/hooks/PostToolUse'])
  if (!isWindows) assert.equal(statSync(join(command.project, '.clinerules/hooks/PreToolUse')).mode & 0o111, 0o111)
  json(command, ['init', '--remove', '--yes'])
  for (const [path, text] of Object.entries(theirs)) assert.equal(read(path), text, path)
  assert.deepEqual(readdirSync(join(command.project, '.clinerules/hooks')), ['PostToolUse'])
  assert.ok(!existsSync(join(command.project, '.cline')))
  assert.deepEqual(readdirSync(join(command.project, '.opencode/plugins')), ['other.ts'])
  assert.deepEqual(readdirSync(join(command.project, '.amp')), ['settings.json'])
})

test('goose and Windsurf are told nothing, and what their agents mark is stored', (t) => {
  const command = filled(t)
  const call = (event, host, payload) => {
    const input = JSON.stringify({ session_id: 's', ...payload })
    const { status, stdout, stderr } = command.run(['hook', event, `--host=${host}`], { input })
    assert.deepEqual([status, stdout, stderr], [0, '', ''], `${host} ${event}`)
  }
  const { project } = command
  const edit = { tool_name: 'edit', tool_input: { path: 'src/pool.ts', before: 'a', after: 'b' } }
  for (const event of ['SessionStart', 'PreToolUse', 'PostToolUse'])
    call(event, 'goose', { event, working_dir: project, message: 'Which pool?', ...edit })
  const marked = (text) => `Done.\n[remember:gotcha] ${text}`
  call('Stop', 'goose', { working_dir: project, last_assistant_message: marked('The pool drops idle sockets') })
  call('post_cascade_response', 'windsurf', {
    agent_action_name: 'post_cascade_response',
    trajectory_id: 't1',
    tool_info: { response: marked('The lexer wants a final newline') },
  })
  const marks = json(command, ['list', '-n', '2']).entries.map(({ text, source }) => [text, source])
  assert.deepEqual(marks.sort(), [
    ['The lexer wants a final newline', 'windsurf/hook'],
    ['The pool drops idle sockets', 'goose/hook'],
  ])
})

test('an entry of the MCP server keeps the tools that people chose', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes'])
  const path = join(command.project, '.mcp.json')
  const settings = JSON.parse(readFileSync(path, 'utf8'))
  settings.mcpServers['forge-memory'].args.push('--tools', 'full', '--structured')
  writeFileSync(path, JSON.stringify(settings))
  assert.equal(json(command, ['init', '--scope', 'project', '--agent', 'claude', '--yes']).written, false)
  json(command, ['init', '--remove', '--yes'])
  assert.deepEqual(readdirSync(command.project).includes('.mcp.json'), false)
})

test('the modules of opencode and Amp, and the executable of Cline, hand notes over and never fail', {
  skip: isWindows && 'a shell script',
}, async (t) => {
  const command = filled(t)
  for (const agent of ['opencode', 'amp', 'cline'])
    json(command, ['init', '--scope', 'project', '--agent', agent, '--yes'])
  const file = join(command.project, '.opencode/plugins/forge-memory.js')
  const driver = `
    process.chdir(${JSON.stringify(command.project)})
    const { default: plugin, ...others } = await import(${JSON.stringify(pathToFileURL(file).href)})
    const hooks = await plugin.server({ directory: process.cwd() })
    const output = { output: 'done', metadata: {} }
    await hooks['tool.execute.after'](Object.freeze({ tool: 'edit', sessionID: 's', callID: '1', args: { filePath: 'src/pool.ts', newString: 'b' } }), output)
    const frozen = Object.freeze({ output: 'same' })
    await hooks['tool.execute.after']({ tool: 'edit', sessionID: 't', args: { filePath: 'src/pool.ts', newString: 'b' } }, frozen)
    await hooks['tool.execute.after']({}, {})
    const parts = [{ type: 'text', text: 'Why must the pool be closed last?' }]
    await hooks['chat.message']({ sessionID: 'u' }, { parts })
    await hooks['chat.message']({}, {})
    const next = [{ type: 'text', text: 'Thanks' }]
    await hooks['chat.message']({ sessionID: 'u' }, { parts: next })
    const said = Object.freeze({ text: 'Done.\\n[remember:gotcha] Test data comes before the migration.' })
    await hooks['experimental.text.complete']({ sessionID: 'u', messageID: 'm', partID: 'p' }, said)
    await hooks['experimental.text.complete']({}, {})
    for (const event of [undefined, {}, { type: 'session.deleted' }, { type: 'session.deleted', properties: { info: { id: 'u' } } }])
      await hooks.event({ event })
    await hooks.dispose()
    const shape = [plugin.id, typeof plugin.server, typeof plugin.setup, plugin.setup({}) === undefined, Object.keys(others)]
    console.log(JSON.stringify([output.output, frozen.output, parts[0].text, next[0].text, shape]))`
  const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' })
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', driver], {
    encoding: 'utf8',
    env,
    cwd: command.project,
  })
  assert.equal(ran.stderr, '')
  const [told, same, prompt, second, shape] = JSON.parse(ran.stdout)
  assert.deepEqual(shape, ['forge-memory', 'function', 'function', true, []])
  assert.equal(second, 'Thanks')
  assert.ok(json(command, ['find', 'test data migration']).hits.some(({ text }) => /Test data comes before/.test(text)))
  assert.match(told, /^done\n\n\[recorded notes\][\s\S]*must be closed last/)
  assert.equal(same, 'same')
  assert.match(prompt, /^Why must[\s\S]*must be closed last/)
  const amp = join(command.folder, 'amp.mjs')
  writeFileSync(amp, readFileSync(join(command.project, '.amp/plugins/forge-memory.ts')))
  const harness = `
    const { default: plugin } = await import(${JSON.stringify(pathToFileURL(amp).href)})
    const on = {}
    plugin({ on: (event, handler) => (on[event] = handler) })
    const call = { thread: { id: 'amp' }, tool: 'edit_file', input: { path: 'src/pool.ts', new_str: 'b' }, toolUseID: '1', status: 'done', output: 'ok' }
    console.log(JSON.stringify([await on['tool.result'](call), await on['tool.result']({}), await on['agent.start']({})]))`
  const amped = spawnSync(process.execPath, ['--input-type=module', '-e', harness], {
    encoding: 'utf8',
    env,
    cwd: command.project,
  })
  assert.equal(amped.stderr, '')
  const [result, ...nothing] = JSON.parse(amped.stdout)
  assert.match(result.output, /^ok\n\n\[recorded notes\][\s\S]*must be closed last/)
  assert.deepEqual(nothing, [null, null])
  const cline = JSON.stringify({
    hookName: 'PreToolUse',
    taskId: 'c',
    workspaceRoots: [command.project],
    preToolUse: { toolName: 'write_to_file', parameters: { path: 'src/pool.ts', content: 'b' } },
  })
  const third = spawnSync(join(command.project, '.clinerules/hooks/PreToolUse'), [], {
    input: cline,
    encoding: 'utf8',
    env,
    cwd: command.project,
  })
  assert.deepEqual([third.status, third.stderr], [0, ''])
  assert.match(JSON.parse(third.stdout).contextModification, KNOWN)
})

test('the plug-in of Cline adds its notes to the prompt in every request, takes marks, and never fails; its session ends by an executable', {
  skip: isWindows && 'a shell script',
}, (t) => {
  const command = filled(t)
  json(command, ['init', '--scope', 'project', '--agent', 'cline', '--yes'])
  const file = join(command.project, '.cline/plugins/forge-memory.js')
  // As the types of its SDK say (0.0.86): a prompt is in the messages of the first request, and is wrapped.
  const driver = `
    const { default: plugin, ...others } = await import(${JSON.stringify(pathToFileURL(file).href)})
    plugin.setup({}, undefined)
    plugin.setup({}, { workspaceInfo: { rootPath: ${JSON.stringify(command.project)} } })
    const { beforeModel, afterModel } = plugin.hooks
    const snapshot = Object.freeze({ agentId: 'a', conversationId: 'c', messages: [] })
    const text = (text) => [{ type: 'text', text }]
    const user = (id, words, metadata) => Object.freeze({ id, role: 'user', content: Object.freeze(text(words)), metadata })
    const first = user('1', '<user_input mode="act">Why must the pool be closed last?</user_input>')
    const asked = async (...messages) => (await beforeModel({ snapshot, request: Object.freeze({ messages, tools: [] }) }))?.messages
    const one = await asked(first)
    const two = await asked(first, { id: '2', role: 'assistant', content: text('Let me see.') }, user('3', 'a context', { displayRole: 'system' }))
    const other = await asked(user('4', 'Thanks'))
    await afterModel({ snapshot, assistantMessage: { id: '5', role: 'assistant', content: text('Done.\\n[remember:gotcha] Test data comes before the migration.') } })
    const bad = [await beforeModel({}), await beforeModel({ snapshot, request: { messages: [{}, { role: 'user' }] } }), await afterModel({}), await asked()]
    console.log(JSON.stringify([plugin.name, plugin.manifest, Object.keys(others), one, two, other ?? null, bad.every((each) => each === undefined)]))`
  const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' })
  const ran = spawnSync(process.execPath, ['--input-type=module', '-e', driver], { encoding: 'utf8', env })
  assert.equal(ran.stderr, '')
  const [name, manifest, others, one, two, other, isQuiet] = JSON.parse(ran.stdout)
  assert.deepEqual([name, manifest, others, isQuiet], ['forge-memory', { capabilities: ['hooks'] }, [], true])
  assert.match(one[0].content[1].text, KNOWN)
  assert.deepEqual([two[0], two.slice(1).map(({ content }) => content.length)], [one[0], [1, 1]])
  assert.equal(other, null)
  const log = readFileSync(join(command.project, '.forge/memory-captures.jsonl'), 'utf8')
  assert.match(
    log,
    /Test data comes before the migration[^\n]*"source":"cline\/hook"|"source":"cline\/hook"[^\n]*Test data comes/,
  )
  const sessions = () => readdirSync(join(command.home, 'sessions'))
  assert.equal(sessions().length, 1)
  const input = JSON.stringify({ hookName: 'session_shutdown', taskId: 'c', workspaceRoots: [command.project] })
  const end = spawnSync(join(command.project, '.clinerules/hooks/SessionShutdown'), [], {
    input,
    encoding: 'utf8',
    env,
  })
  assert.deepEqual([end.status, end.stdout, end.stderr, sessions()], [0, '', '', []])
})

test('a mark of the last message of Copilot is kept, which names its transcript only before that is complete', (t) => {
  const command = freshCommand(t)
  const events = join(command.project, 'events.jsonl')
  const said = (content) => `${JSON.stringify({ type: 'assistant.message', data: { content, toolRequests: [] } })}\n`
  const call = (event, fields) =>
    hook(command, event, { sessionId: 'c', cwd: command.project, ...fields }, { host: 'copilot' })
  const found = (words) => json(command, ['find', words]).hits.map(({ text }) => text)
  writeFileSync(events, '{"type":"session.start","data":{}}\n')
  call('agentStop', { transcriptPath: events })
  appendFileSync(events, said('[remember] The pool closes last'))
  call('sessionEnd', { reason: 'complete' })
  assert.deepEqual(found('pool'), ['The pool closes last'])
  // What the host completes only after the end is found by the next session.
  const last = said('[remember] The gate takes twelve seconds')
  appendFileSync(events, last.slice(0, 40))
  call('sessionEnd', { reason: 'complete' })
  appendFileSync(events, last.slice(40))
  call('sessionStart', { sessionId: 'd', source: 'new' })
  assert.deepEqual(found('gate'), ['The gate takes twelve seconds'])
  const sessions = join(command.home, 'sessions')
  assert.ok(!existsSync(sessions) || readdirSync(sessions).every((name) => !/\bc\b/.test(name)))
})
