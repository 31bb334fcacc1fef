import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'

test('every page fits the width of the terminal, however narrow', (t) => {
  const command = freshCommand(t)
  const tool = 'forge_sweep_with_a_very_long_name_of_a_tool'
  const text = 'Jest needs --runInBand on Windows, or the gate times out before the last suite has ended.'
  json(command, ['capture', '--type', 'gotcha', '--tool', tool, '--tag', 'jest', text])
  json(command, ['save', '--category', 'failure_pattern', 'watch mode hangs in CI'])
  mkdirSync(join(command.project, '.forge/telemetry'), { recursive: true })
  const versions = Array.from({ length: 9 }, (_, at) => JSON.stringify({ _v: at + 1, content: 'x' }))
  writeFileSync(join(command.project, '.forge/lessons.jsonl'), `${versions.join('\n')}\n`)
  writeFileSync(join(command.project, '.forge/a-file-that-nobody-knows-and-nobody-made.txt'), '')
  for (const args of [
    ['report'],
    ['list'],
    ['status'],
    ['doctor'],
    ['doctor', '--audit'],
    ['recall', 'gate'],
    ['compact', '--dry-run'],
  ]) {
    for (const [columns, LANG] of [
      [40, 'C'],
      [64, 'C.UTF-8'],
      [79, 'C'],
    ]) {
      const { stdout } = command.run(args, { env: { COLUMNS: String(columns), LANG } })
      const wide = stdout.split('\n').filter((line) => [...line].length > columns)
      assert.deepEqual(wide, [], `${args.join(' ')} at ${columns} ${LANG}`)
      assert.ok(stdout.length > 20)
    }
  }
  const found = command.run(['recall', 'gate'], { env: { COLUMNS: '40' } }).stdout
  const [, ...more] = found.split('\n').slice(0, 3)
  for (const line of more) assert.match(line, /^ {3}\S/, `a line goes on below its beginning: ${found}`)
  const narrow = command.run(['list'], { env: { COLUMNS: '40' } }).stdout
  assert.match(narrow, /gotcha.*Jest needs/, 'what matters is what stays')
})
