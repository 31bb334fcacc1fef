import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { readResults, tableOf, withTable } from '../eval/agents/table.mjs'
import { freshFolder, root } from './support/project.mjs'

const run = (t, ...args) => {
  const folder = freshFolder(t)
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder }
  const program = join(root, 'eval', 'agents', 'run.mjs')
  return { folder, ...spawnSync(process.execPath, [program, ...args], { env, encoding: 'utf8' }) }
}

test('rules told in one session are followed in the next with the memory, and not without it', (t) => {
  const scripted = `'${process.execPath}' '${join(root, 'eval', 'agents', 'scripted.mjs')}'`
  const { status, stdout, stderr, folder } = run(t, '--command', scripted, '--rounds', '1', '--json')
  assert.equal(status, 0, stderr)
  const results = JSON.parse(stdout)
  const [round] = results.command.with
  const { tokens, ...counted } = round
  assert.deepEqual(counted, { followed: 3, calls: 3, hangs: 0, stored: 3, records: 3 })
  assert.ok(tokens > 60 && tokens < 900, `${tokens} tokens of notes`)
  assert.deepEqual(results.command.without, [{ followed: 0, calls: 3, hangs: 1, tokens: 0, stored: 0, records: 0 }])
  assert.match(tableOf(results), /^\| another command +\| with +\| 1 +\| 3 of 3 /m)
  assert.deepEqual(readdirSync(folder), [])
})

test('an agent that is not known, or that fails, is an error and no result', (t) => {
  assert.equal(run(t, '--agent', 'nobody').status, 2)
  const failed = run(t, '--command', 'echo "no account" >&2; false', '--rounds', '1')
  assert.equal(failed.status, 1)
  assert.match(failed.stderr, /^error: sh ended with 1: no account$/m)
  assert.equal(failed.stdout, '')
})

test('the document has the stored results, and says of agents that were not run that they were not', () => {
  const page = readFileSync(join(root, 'docs', 'agents.md'), 'utf8')
  assert.equal(page, withTable(page, readResults()))
  assert.match(tableOf({}), /^\| Claude Code +\| with +\| not run /m)
})
