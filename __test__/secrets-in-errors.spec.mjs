import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { captureMemory, listMemories, memorySave, recall, redactSecrets, showMemory } from '../dist/index.js'
import { freshCommand } from './support/command.mjs'
import { filesUnder, freshFolder, root } from './support/project.mjs'

/** Made when it is needed: no file of ours holds what a scanner takes for a token. */
const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_')

test('no error of the command line repeats a secret from its arguments', (t) => {
  const command = freshCommand(t)
  for (const args of [
    [`--token=${secret}`],
    [secret],
    ['capture', `--${secret}`, 'x'],
    ['capture', '--type', `no/${secret}`, 'text'],
    ['show', secret],
    ['forget', `${secret}/x`],
    ['recall', 'x', '--since', secret],
    ['export', '--output', `../${secret}`],
    ['import', `/nowhere/${secret}`],
    ['--project', `/nowhere/${secret}`, 'list'],
  ]) {
    for (const more of [[], ['--json']]) {
      const { stdout, stderr } = command.run([...more, ...args])
      assert.ok(!`${stdout}${stderr}`.includes(secret), `${args.join(' ')}: ${stdout}${stderr}`)
    }
  }
})

test('no error of the library repeats a secret from its arguments', (t) => {
  const projectDir = freshFolder(t)
  const calls = [
    () => captureMemory({ type: `no/${secret}`, body: 'x' }, { projectDir }),
    () => captureMemory({ type: 'lesson', body: 'x', supersedes: `${secret}/x` }, { projectDir }),
    () => captureMemory({ type: 'lesson', body: 'x', expiresAt: secret }, { projectDir }),
    () => memorySave({ pattern: 'x', category: secret }, { projectDir }),
    () => recall('x', { projectDir, scope: secret }),
    () => listMemories({ projectDir, since: secret }),
    () => showMemory(secret, { projectDir }),
  ]
  for (const call of calls) {
    assert.throws(call, (error) => error.code !== undefined && !`${error.message}${error.cause}`.includes(secret))
  }
  assert.equal(redactSecrets(`a ${secret} b`), 'a [redacted:github-token] b')
})

test('the session of a hook keeps no secret of the commands that ran', (t) => {
  const command = freshCommand(t)
  const payload = JSON.parse(readFileSync(join(root, '__test__/data/hooks/claude-post-tool-use-failure.json'), 'utf8'))
  const call = {
    ...payload,
    cwd: command.project,
    tool_input: { command: `npm test -- --token=${secret}` },
    error: `Error: token ${secret} was refused`,
  }
  const { status, stderr } = command.run(['hook', 'PostToolUseFailure'], {
    input: JSON.stringify(call),
    env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' },
  })
  assert.equal(status, 0, stderr)
  const files = filesUnder(command.home).filter((file) => file.includes('sessions/'))
  assert.equal(files.length, 1)
  const session = readFileSync(join(command.home, files[0]), 'utf8')
  assert.match(session, /npm test.*redacted:github-token/s)
  assert.doesNotMatch(session, /was refused/, 'what a command printed is not kept')
  for (const folder of [command.home, command.project]) {
    for (const file of filesUnder(folder)) assert.ok(!readFileSync(join(folder, file)).includes(secret), file)
  }
})
