// What a session is given at its start: at most 600 tokens, the branch first, then changed files, rules, what the last days left.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { encode } from 'gpt-tokenizer'
import { captureMemory } from '../index.js'
import { freshCommand, json } from './support/command.mjs'

const TOKENS_MAX = 600

function start(command, session_id = 's') {
  const payload = { session_id, cwd: command.project, hook_event_name: 'SessionStart', source: 'startup' }
  const { status, stdout, stderr } = command.run(['hook', 'SessionStart'], {
    input: JSON.stringify(payload),
    env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' },
  })
  assert.deepEqual([status, stderr], [0, ''])
  return stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput.additionalContext
}

const words = (seed, count) => Array.from({ length: count }, (_, at) => `${seed}${(at * 7919) % 997}`).join(' ')

/** Texts for which estimates of tokens are off in different ways. */
const TEXTS = {
  prose: (at) =>
    `Note ${at}: the worker keeps its connection open while the queue has rows, because a new one costs a second.`,
  code: (at) =>
    `In f${at}() use \`arr.map(x=>x?.y??[0]).filter(Boolean)\`; {a:{b:[1,2,3]}} => $${at}_z!=null&&!q||w[${at}]`,
  hex: (at) =>
    `Digest ${at}: ${(BigInt(at + 1) * 0x9e3779b97f4a7c15f39cc0605cedc834n).toString(16).padStart(40, 'd3')}`,
  numbers: (at) => `Table ${at}: ${words('', 12)}`,
  german: (at) => `Hinweis ${at}: Größenänderungen müssen über die Übergabeschnittstelle für Verträge geprüft werden.`,
  chinese: (at) => `注意 ${at}：部署之前必须先备份数据库，否则迁移无法回滚，并且缓存会被清空。`,
  emoji: (at) => `Rocket ${at} 🚀🔥🧵🪡 means that it is live 🇩🇪👩‍👩‍👧‍👦; ${'🧨'.repeat(8)}`,
}

for (const [kind, text] of Object.entries(TEXTS)) {
  test(`the start of a session takes 600 tokens at most: ${kind}`, (t) => {
    const command = freshCommand(t)
    process.env.FORGE_HOME = command.home
    for (let at = 0; at < 60; at += 1) {
      captureMemory({ type: at % 2 ? 'gotcha' : 'decision', body: text(at) }, { projectDir: command.project })
    }
    const given = start(command)
    const tokens = encode(given).length
    t.diagnostic(`${tokens} tokens, ${given.match(/^ {2}\[/gm).length} notes`)
    assert.ok(tokens <= TOKENS_MAX, String(tokens))
    assert.ok(given.match(/^ {2}\[/gm).length >= 3)
  })
}

test('the branch comes first, then changed files, rules of persons, the last days, and general records', (t) => {
  const command = freshCommand(t)
  const git = (...args) => execFileSync('git', args, { cwd: command.project, env: command.env() })
  git('init', '-q')
  git('config', 'user.email', 'a@example.org')
  git('config', 'user.name', 'a')
  mkdirSync(join(command.project, 'src'))
  writeFileSync(join(command.project, 'src/pool.ts'), 'a\n')
  git('add', '.')
  git('commit', '-qm', 'first')
  git('checkout', '-qb', 'feature/invoice-rounding')
  assert.equal(start(command), undefined, 'nothing is said where nothing is known')
  const old = (text, type) => {
    const { id } = json(command, ['capture', '--type', type, text])
    return id
  }
  old('Tests run with pnpm vitest.', 'convention')
  old('src/pool.ts must be closed last.', 'gotcha')
  old('Invoice rounding is done per line.', 'decision')
  old('The office has a wrench.', 'gotcha')
  // Only records older than three days do not count as recent.
  const journal = join(command.project, '.forge/memory-captures.jsonl')
  const older = readFileSync(journal, 'utf8').replace(
    /"captured_at":"[^"]*"/g,
    `"captured_at":"2025-01-02T03:04:05.678Z"`,
  )
  writeFileSync(journal, older.replace(/"expiresAt":"[^"]*"/g, '"expiresAt":"2999-01-02T03:04:05.678Z"'))
  old('The deploy key was changed.', 'lesson')
  writeFileSync(join(command.project, 'src/pool.ts'), 'b\n')
  const lines = start(command)
    .split('\n')
    .filter((line) => line.startsWith('  ['))
  const at = (text) => lines.findIndex((line) => line.includes(text))
  const order = ['Invoice rounding', 'closed last', 'pnpm vitest', 'deploy key', 'a wrench'].map(at)
  assert.deepEqual(order, [0, 1, 2, 3, 4], lines.join('\n'))
})
