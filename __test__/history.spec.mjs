// Past sessions, found by words: what the command and the tool tell, what stays out, and what is forgotten for good.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshAgentHome } from './support/agent-home.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { installedModel } from './support/model.mjs'

function freshHistory(t) {
  const { command, user, env, write, run } = freshAgentHome(t)
  const search = (...args) => {
    const { stdout, stderr } = run(['--json', 'history', 'search', ...args])
    assert.equal(stderr, '')
    return JSON.parse(stdout)
  }
  const index = () => {
    const folder = join(command.home, 'history')
    const names = existsSync(folder) ? readdirSync(folder) : []
    return join(folder, names.find((name) => /^index\.\d+\.db$/.test(name)) ?? 'none')
  }
  return { ...command, user, write, run, search, index, command: () => command.env(env) }
}

let count = 0
function claude(session, cwd, role, content, extra = {}) {
  count += 1
  const base = { type: role, uuid: `u${count}`, sessionId: session, timestamp: '2026-08-01T09:00:00.000Z', cwd }
  return `${JSON.stringify({ ...base, ...extra, message: { role, content } })}\n`
}

const conversation = (session, cwd) =>
  claude(session, cwd, 'user', 'good morning') +
  claude(session, cwd, 'assistant', [{ type: 'text', text: 'Hello.' }]) +
  claude(session, cwd, 'user', 'why does the checkout webhook time out? password=hunter2hunter2') +
  claude(session, cwd, 'assistant', [
    { type: 'text', text: 'The webhook waits for the ledger.' },
    { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'npm test -- ledger' } },
  ]) +
  claude(session, cwd, 'user', 'thanks, that was it')

const ids = (report) => report.hits.map(({ session }) => session)

test('a session is found by its words, with context and the command that resumes it', (t) => {
  const history = freshHistory(t)
  history.write('.claude/projects/p/s1.jsonl', conversation('s1', history.project))
  history.write('.claude/projects/p/s2.jsonl', claude('s2', history.project, 'user', 'paint the fence green'))
  const report = history.search('webhook', 'timeout')
  assert.deepEqual(ids(report), ['s1'])
  const [hit] = report.hits
  assert.equal(hit.resume, 'claude --resume s1')
  assert.deepEqual([hit.agent, hit.project, hit.at], ['claude', history.project, '2026-08-01T09:00:00.000Z'])
  const told = hit.turns.map(({ role, text, matched }) => `${matched ? '*' : ' '}${role}: ${text}`)
  assert.equal(told[0], ' user: good morning')
  assert.match(told[2], /^\*user: why does the checkout webhook time out\? password=/)
  assert.ok(!JSON.stringify(report).includes('hunter2'), 'secrets are taken out')
  assert.ok(told.includes('*agent: The webhook waits for the ledger.'))
  assert.ok(told.includes(' user: thanks, that was it'))
  const { status, stdout } = history.run(['history', 'search', 'ledger'])
  assert.equal(status, 0)
  assert.match(stdout, /1\. Claude Code {2}2026-08-01/)
  assert.match(stdout, /resume: claude --resume s1/)
  assert.match(stdout, /^ +\* agent: The webhook waits for the ledger\.$/m, 'the matching turn has a mark')
  assert.match(stdout, /^ +user: thanks, that was it$/m)
  assert.equal(history.run(['history', 'search', 'xylophone']).status, 1)
  assert.equal(history.run(['history', 'search', '...']).status, 2)
})

test('without words the newest sessions are listed, with the command that resumes each', (t) => {
  const history = freshHistory(t)
  history.write('.claude/projects/p/s1.jsonl', conversation('s1', history.project))
  const later = claude('s2', history.project, 'user', 'paint the fence green', {
    timestamp: '2026-08-03T09:00:00.000Z',
  })
  history.write('.claude/projects/p/s2.jsonl', later)
  assert.deepEqual(
    history.search().hits.map(({ session, turnCount, resume }) => [session, turnCount, resume]),
    [
      ['s2', 1, 'claude --resume s2'],
      ['s1', 3, 'claude --resume s1'],
    ],
  )
  const { status, stdout } = history.run(['history', 'search'])
  assert.equal(status, 0)
  assert.match(stdout, /1\. Claude Code {2}2026-08-03[\s\S]*paint the fence green[\s\S]*2\. Claude Code {2}2026-08-01/)
  assert.doesNotMatch(stdout, /There are more/)
  assert.match(history.run(['history', 'search', '-n', '1']).stdout, /s2[\s\S]*There are more: add --offset 1\./)
  const second = history.run(['history', 'search', '-n', '1', '--offset', '1']).stdout
  assert.match(second, /^2\. Claude Code {2}2026-08-01/)
  assert.doesNotMatch(second, /s2|There are more/)
  assert.match(history.run(['history', 'search', '--offset', '2']).stdout, /^No past session is left\.$/m)
  for (const wrong of ['-1', '1.5', 'many'])
    assert.equal(history.run(['history', 'search', '--offset', wrong]).status, 2)
})

/** The bytes of all files below the folder of the index. */
function indexBytes(home) {
  const folder = join(home, 'history')
  return readdirSync(folder).map((name) => readFileSync(join(folder, name)).toString('latin1'))
}

test('the index holds no text, is for its owner only, and nothing is written into the project or the stores', (t) => {
  const history = freshHistory(t)
  history.write('.claude/projects/p/s1.jsonl', conversation('s1', history.project))
  history.search('webhook')
  for (const bytes of indexBytes(history.home)) {
    for (const word of ['webhook', 'ledger', 'checkout', 'morning', 'hunter2']) assert.ok(!bytes.includes(word), word)
  }
  if (process.platform !== 'win32') {
    for (const name of readdirSync(join(history.home, 'history')))
      assert.equal(statSync(join(history.home, 'history', name)).mode & 0o077, 0, name)
    assert.equal(statSync(join(history.home, 'history')).mode & 0o077, 0)
  }
  assert.deepEqual(readdirSync(history.project), [])
  assert.deepEqual(readdirSync(join(history.user, '.claude/projects/p')), ['s1.jsonl'])
})

test('filters by agent, time and project apply, and sessions of other projects are shown only on request', (t) => {
  const history = freshHistory(t)
  const other = join(history.folder, 'other')
  mkdirSync(other)
  history.write('.claude/projects/p/s1.jsonl', conversation('s1', join(history.project, 'packages', 'app')))
  history.write('.claude/projects/q/s2.jsonl', conversation('s2', other))
  const line = (type, payload) => `${JSON.stringify({ timestamp: '2026-09-02T09:00:00.000Z', type, payload })}\n`
  const asked = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'the webhook again' }] }
  history.write(
    '.codex/sessions/2026/09/02/rollout-1.jsonl',
    line('session_meta', { id: 'c1', cwd: history.project, source: 'cli' }) + line('response_item', asked),
  )
  assert.deepEqual(ids(history.search('webhook')).sort(), ['c1', 's1'])
  assert.deepEqual(ids(history.search('webhook', '--agent', 'codex')), ['c1'])
  assert.deepEqual(ids(history.search('webhook', '--since', '2026-09-01')), ['c1'])
  assert.deepEqual(ids(history.search('webhook', '--all-projects')).sort(), ['c1', 's1', 's2'])
  assert.deepEqual(ids(history.search('webhook', '--project', other)), ['s2'])
  assert.equal(history.search('webhook', '--all-projects', '--limit', '1').hits.length, 1)
  assert.equal(history.run(['history', 'search', 'x', '--limit', '99']).status, 2)
  assert.equal(history.run(['history', 'search', 'x', '--agent', 'nobody']).status, 2)
})

test('grown, rewritten and removed files are followed, and a damaged index is rebuilt', (t) => {
  const history = freshHistory(t)
  const path = '.claude/projects/p/s1.jsonl'
  history.write(path, conversation('s1', history.project))
  assert.equal(history.search('ledger').read, 1)
  assert.equal(history.search('ledger').read, 0)
  appendFileSync(join(history.user, path), claude('s1', history.project, 'user', 'now the giraffe'))
  assert.deepEqual(ids(history.search('giraffe')), ['s1'])
  assert.deepEqual(ids(history.search('ledger')), ['s1'], 'what was read before is still there')
  history.write(path, claude('s1', history.project, 'user', 'only an elephant'))
  assert.deepEqual([ids(history.search('giraffe')), ids(history.search('elephant'))], [[], ['s1']])
  for (const damage of ['no database', '']) {
    writeFileSync(history.index(), damage)
    assert.deepEqual(ids(history.search('elephant')), ['s1'])
  }
  rmSync(join(history.user, path))
  assert.deepEqual(ids(history.search('elephant')), [])
})

test('a dry run counts the sessions that would be forgotten, and forgets none', (t) => {
  const history = freshHistory(t)
  for (const id of ['s1', 's2']) history.write(`.claude/projects/p/${id}.jsonl`, conversation(id, history.project))
  assert.equal(history.search('webhook').hits.length, 2)
  const { stdout, status } = history.run(['history', 'forget', '--this-project', '--dry-run'])
  assert.deepEqual([status, stdout], [0, '2 sessions would be forgotten. Nothing was written.\n'])
  const one = JSON.parse(history.run(['history', 'forget', 's1', '--dry-run', '--json']).stdout)
  assert.deepEqual(one, { forgotten: 1, dryRun: true })
  assert.equal(history.run(['history', 'forget', 'unknown', '--dry-run']).status, 1)
  assert.equal(history.search('webhook').hits.length, 2)
  assert.ok(!existsSync(join(history.home, 'history', 'forgotten.json')))
})

test('forgotten sessions stay forgotten: without the index, in another place, and for backfill', (t) => {
  const history = freshHistory(t)
  const path = '.claude/projects/p/s1.jsonl'
  const content =
    conversation('s1', history.project) +
    claude('s1', history.project, 'user', 'from now on run make lint before you commit')
  history.write(path, content)
  history.write('.claude/projects/p/s2.jsonl', conversation('s2', history.project))
  assert.deepEqual(ids(history.search('webhook')).sort(), ['s1', 's2'])
  assert.equal(history.run(['history', 'forget']).status, 2)
  assert.equal(history.run(['history', 'forget', 'nobody', '--yes']).status, 1)
  assert.equal(history.run(['history', 'forget', 's1', '--yes']).status, 0)
  assert.deepEqual(ids(history.search('webhook')), ['s2'])
  appendFileSync(join(history.user, path), claude('s1', history.project, 'user', 'and the webhook goes on'))
  rmSync(history.index())
  history.write('.claude/projects/elsewhere/s1.jsonl', content)
  assert.deepEqual(ids(history.search('webhook')), ['s2'])
  const found = JSON.parse(history.run(['--json', 'backfill', '--dry-run']).stdout)
  assert.deepEqual(found.findings, [])
  assert.ok(!readFileSync(join(history.home, 'history', 'forgotten.json'), 'utf8').includes('s1'))
  assert.equal(history.run(['history', 'forget', '--this-project', '--yes']).status, 0)
  assert.deepEqual(ids(history.search('webhook')), [])
  history.write('.claude/projects/q/s3.jsonl', conversation('s3', join(history.folder, 'other')))
  assert.deepEqual(ids(history.search('webhook', '--all-projects')), ['s3'])
  assert.equal(history.run(['history', 'forget', '--all', '--yes']).status, 0)
  rmSync(history.index())
  assert.deepEqual(ids(history.search('webhook', '--all-projects')), [])
  writeFileSync(join(history.home, 'history', 'forgotten.json'), '{')
  const { status, stderr } = history.run(['history', 'search', 'webhook'])
  assert.equal(status, 2, 'nobody knows what was forgotten')
  assert.match(stderr, /forgotten\.json cannot be read/)
})

test('the index of another version is left alone, and has nothing that was to be forgotten', (t) => {
  const history = freshHistory(t)
  history.write('.claude/projects/p/s1.jsonl', conversation('s1', history.project))
  const folder = join(history.home, 'history')
  const theirs = ['index.db', 'index.1002.db', 'index.999013.db'].map((name) => join(folder, name))
  mkdirSync(folder, { recursive: true })
  for (const path of theirs) writeFileSync(path, 'of another version')
  writeFileSync(join(folder, 'index.db-wal'), 'its log')
  assert.deepEqual(ids(history.search('webhook')), ['s1'])
  assert.deepEqual(
    theirs.map((path) => readFileSync(path, 'utf8')),
    theirs.map(() => 'of another version'),
  )
  assert.equal(history.run(['history', 'forget', 's1', '--yes']).status, 0)
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('index.') && !name.startsWith('index.2')),
    [],
  )
  assert.deepEqual(ids(history.search('webhook')), [])
})

test('sessions in excluded folders are not indexed, and an invalid setting is an error', (t) => {
  const history = freshHistory(t)
  const settings = join(history.home, 'settings.json')
  const hidden = join(history.user, 'private', 'diary')
  history.write('.claude/projects/p/s1.jsonl', conversation('s1', history.project))
  history.write('.claude/projects/q/s2.jsonl', conversation('s2', hidden))
  const all = () => ids(history.search('webhook', '--all-projects')).sort()
  assert.deepEqual(all(), ['s1', 's2'])
  writeFileSync(settings, JSON.stringify({ history: { exclude: ['~/private'] } }))
  assert.deepEqual(all(), ['s1'])
  const { excluded, agents } = JSON.parse(history.run(['--json', 'history', 'status']).stdout)
  assert.deepEqual([excluded, agents], [['~/private'], [{ agent: 'claude', sessions: 1 }]])
  writeFileSync(settings, '{}')
  assert.deepEqual(all(), ['s1', 's2'])
  writeFileSync(settings, JSON.stringify({ history: { enabled: false } }))
  assert.match(history.run(['history', 'search', 'webhook']).stderr, /history\.enabled is false/)
  for (const wrong of [
    '{',
    '{"history":{"exclude":"~/private"}}',
    '{"history":{"exclude":[1]}}',
    '{"history":{"enabled":1}}',
  ]) {
    writeFileSync(settings, wrong)
    const { status, stderr } = history.run(['history', 'search', 'webhook'])
    assert.equal(status, 2, wrong)
    assert.match(stderr, /settings\.json/)
  }
  assert.ok(existsSync(join(history.home, 'history')))
})

test('killed in the middle and run again, the same sessions are found', { timeout: 300_000 }, async (t) => {
  const history = freshHistory(t)
  const letters = (number) => [...String(number)].map((digit) => 'bcdfghjklm'[Number(digit)]).join('a')
  const words = Array.from({ length: 120 }, (_, at) => `x${letters(1000 + at)}`)
  for (const [at, word] of words.entries()) {
    const filler = Array.from({ length: 150 }, (_, line) =>
      claude(`k${at}`, history.project, 'user', `${word} part ${line}`),
    )
    history.write(`.claude/projects/p/k${at}.jsonl`, filler.join(''))
  }
  const log = () => `${history.index()}-wal`
  const size = () => (existsSync(log()) ? statSync(log()).size : 0)
  let killed = 0
  for (const bytes of [0, 200_000, 1_000_000]) {
    const args = [history.program, 'history', 'search', 'part']
    const options = { cwd: history.project, env: history.command(), stdio: 'ignore' }
    const child = spawn(process.execPath, args, options)
    let isOver = false
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    ended.then(() => (isOver = true))
    while (!isOver && size() <= bytes) await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGKILL')
    if ((await ended) === 'SIGKILL') killed += 1
  }
  assert.ok(killed > 0, 'at least one run was killed')
  for (const at of [0, 59, 119]) assert.deepEqual(ids(history.search(words[at])), [`k${at}`])
  const status = () => JSON.parse(history.run(['--json', 'history', 'status']).stdout)
  const { turns, agents } = status()
  assert.deepEqual([turns, agents], [120 * 150, [{ agent: 'claude', sessions: 120 }]])
  rmSync(join(history.home, 'history'), { recursive: true })
  history.search(words[0])
  assert.equal(status().turns, turns, 'as if nothing had been killed')
})

test('with the model a session is found by meaning', { timeout: 300_000 }, (t) => {
  const history = freshHistory(t)
  history.write(
    '.claude/projects/p/s1.jsonl',
    claude('s1', history.project, 'user', 'customers were charged twice because the payment was retried'),
  )
  history.write(
    '.claude/projects/p/s2.jsonl',
    claude('s2', history.project, 'user', 'rotate the signing key of the Android app'),
  )
  const question = 'why did people pay two times for one order'
  assert.equal(history.search(question).semantic, false)
  mkdirSync(join(history.home, 'models'), { recursive: true })
  cpSync(installedModel(), join(history.home, 'models', 'all-MiniLM-L6-v2'), { recursive: true })
  const report = history.search(question)
  assert.equal(report.semantic, true)
  assert.deepEqual([report.read, ids(report)], [2, ['s1']], 'what was read without the model is read again')
  assert.equal(history.search(question).read, 0)
})

test('an agent gets excerpts of its own project, framed as notes', async (t) => {
  const history = freshHistory(t)
  const other = join(history.folder, 'other')
  mkdirSync(other)
  history.write('.claude/projects/p/s1.jsonl', conversation('s1', history.project))
  history.write('.claude/projects/q/s2.jsonl', conversation('s2', other))
  const { client } = await connectStdio(t, { ...history, env: () => history.command() })
  const answer = await call(client, 'memory_history', { query: 'webhook ledger' })
  assert.deepEqual(
    answer.sessions.map(({ agent, session, resume }) => [agent, session, resume]),
    [['claude', 's1', 'claude --resume s1']],
  )
  assert.match(answer.text, /^\[recorded notes\]/)
  assert.match(answer.text, /The webhook waits for the ledger/)
  assert.ok(!JSON.stringify(answer).includes('hunter2'))
  assert.equal((await call(client, 'memory_history', { query: 'xylophone' })).total, 0)
})
