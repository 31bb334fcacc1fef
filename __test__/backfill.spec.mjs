// What agents have kept of past sessions: shown first, stored when the user says so, never twice, and the same after a kill.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshAgentHome } from './support/agent-home.mjs'
import { talk } from './support/dialogue.mjs'
import { hasTerminal } from './support/terminal.mjs'

/** The home with a reader of answers. */
function freshSessions(t) {
  const { command, user, env, write, run } = freshAgentHome(t)
  const json = (args) => {
    const { status, stdout, stderr } = run(['--json', ...args])
    assert.equal(status, 0, stderr)
    return JSON.parse(stdout)
  }
  const terminal = { ...command, env: (more) => command.env({ ...env, ...more }) }
  return { ...command, user, env, write, run, json, terminal }
}

let count = 0
function prompt(session, cwd, text) {
  count += 1
  return `${JSON.stringify({
    type: 'user',
    uuid: `u${count}`,
    sessionId: session,
    timestamp: '2026-08-01T09:00:00.000Z',
    cwd,
    message: { role: 'user', content: text },
  })}\n`
}

function rollout(id, cwd, texts) {
  const line = (type, payload) => `${JSON.stringify({ timestamp: '2026-08-02T09:00:00.000Z', type, payload })}\n`
  const said = texts.map((text) =>
    line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
  )
  return line('session_meta', { id, cwd, source: 'cli' }) + said.join('')
}

/** What waits for a review. */
const inbox = (sessions) => sessions.json(['review', '--list']).waiting
const proposals = (sessions) => inbox(sessions).map(({ text }) => text)

const texts = (sessions) => sessions.json(['list', '--limit', '1000']).entries.map(({ text }) => text)

/** Every file below a folder with its bytes and time of change. */
function snapshot(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path} ${statSync(path).mtimeMs} ${readFileSync(path, 'utf8')}`)
}

test('a plan is shown and nothing is written before the user says so', (t) => {
  const sessions = freshSessions(t)
  sessions.write(
    '.claude/projects/p/s1.jsonl',
    prompt('s1', sessions.project, 'from now on run make lint before you commit'),
  )
  sessions.write(
    '.codex/sessions/2026/08/02/rollout-1.jsonl',
    rollout('c1', sessions.project, ['remember: the staging database is on port 5544']),
  )
  const before = snapshot(sessions.user)
  for (const args of [['backfill'], ['backfill', '--dry-run'], ['backfill', '--dry-run', '--yes']]) {
    const { status, stdout, stderr } = sessions.run(args)
    assert.equal(status, 0, stderr)
    assert.match(stdout, /Claude Code +1 /)
    assert.match(stdout, /from now on run make lint before you commit\n +instruction, 70 % sure: .+/)
    assert.match(stdout, /the staging database is on port 5544\n +environment, 90 % sure: .+/)
  }
  assert.equal(existsSync(join(sessions.project, '.forge')), false)
  assert.equal(existsSync(join(sessions.home, 'backfill')), false)
  assert.deepEqual(snapshot(sessions.user), before, 'stores of agents are only read')
})

test('findings need a review whatever the settings say, and the inbox shows their source', (t) => {
  for (const settings of ['{}', '{"review":"off"}', '{"review":"agents"}', '{"review":"all"}']) {
    const sessions = freshSessions(t)
    writeFileSync(join(sessions.project, '.forge.json'), settings)
    const text = 'from now on run make lint before you commit'
    sessions.write('.claude/projects/p/s1.jsonl', prompt('s1', sessions.project, text))
    const { stored, proposed } = sessions.json(['backfill', '--yes'])
    assert.deepEqual([stored, proposed], [0, 1], settings)
    assert.deepEqual(texts(sessions), [], 'nobody is told of it')
    const [waiting] = inbox(sessions)
    assert.deepEqual([waiting.text, waiting.author, waiting.source], [text, 'import', 'backfill/claude'])
    assert.match(waiting.session, /^import\.[0-9a-f]{16}$/)
    // A copy of the session is not an independent confirmation.
    sessions.write('.codex/sessions/rollout-9.jsonl', rollout('c9', sessions.project, [text]))
    assert.deepEqual(sessions.json(['backfill', '--yes']).findings, [])
    assert.deepEqual([texts(sessions), proposals(sessions)], [[], [text]])
    assert.equal(sessions.run(['review', '--accept', waiting.id]).status, 0)
    assert.deepEqual([texts(sessions), proposals(sessions)], [[text], []])
  }
})

test('findings above the threshold of the user are valid at once, whatever the settings say, and the rest waits', (t) => {
  for (const settings of ['{}', '{"review":"all"}']) {
    const sessions = freshSessions(t)
    writeFileSync(join(sessions.project, '.forge.json'), settings)
    const [less, more] = ['from now on run make lint before you commit', 'amounts are kept in integer cents']
    sessions.write('.claude/projects/p/s1.jsonl', prompt('s1', sessions.project, less))
    sessions.write('.codex/sessions/rollout-1.jsonl', rollout('c1', sessions.project, [`remember: ${more}`]))
    const { stored, proposed } = sessions.json(['backfill', '--accept', '0.85'])
    assert.deepEqual([stored, proposed], [1, 1], settings)
    assert.deepEqual([texts(sessions), proposals(sessions)], [[more], [less]])
  }
})

test('findings of earlier runs are accepted later, from a confidence on and of the chosen agents', (t) => {
  const sessions = freshSessions(t)
  const [less, more] = ['from now on run make lint before you commit', 'amounts are kept in integer cents']
  sessions.write('.claude/projects/p/s1.jsonl', prompt('s1', sessions.project, less))
  sessions.write('.codex/sessions/rollout-1.jsonl', rollout('c1', sessions.project, [`remember: ${more}`]))
  assert.equal(sessions.json(['backfill', '--yes']).proposed, 2)
  // A proposal from elsewhere is not a finding, whatever its confidence.
  writeFileSync(join(sessions.project, '.forge.json'), '{"review":"all"}')
  assert.equal(
    sessions.run(['capture', '--type', 'lesson', '--confidence', '1', 'the deploy key is in the vault']).status,
    0,
  )
  assert.equal(sessions.json(['backfill', '--accept', '0.85', '--agent', 'claude']).accepted, 0)
  assert.equal(sessions.json(['backfill', '--accept', '0.85']).accepted, 1)
  assert.deepEqual(texts(sessions), [more])
  assert.ok(proposals(sessions).includes(less))
  const { accepted, stored } = sessions.json(['backfill', '--accept', '0.85'])
  assert.deepEqual([accepted, stored], [0, 0])
})

test('rejected findings do not come back, in any copy or without the state', (t) => {
  const sessions = freshSessions(t)
  const text = 'from now on run make lint before you commit'
  sessions.write('.claude/projects/p/s1.jsonl', prompt('s1', sessions.project, text))
  sessions.json(['backfill', '--yes'])
  assert.equal(sessions.run(['review', '--reject', inbox(sessions)[0].id]).status, 0)
  sessions.write('.codex/sessions/rollout-9.jsonl', rollout('c9', sessions.project, [text]))
  for (const name of readdirSync(join(sessions.home, 'backfill')))
    writeFileSync(join(sessions.home, 'backfill', name), '{')
  const { stored, proposed } = sessions.json(['backfill', '--accept', '0.1'])
  assert.deepEqual([stored, proposed, texts(sessions), proposals(sessions)], [0, 0, [], []])
})

test('a kind of which the last three were rejected is not proposed again', (t) => {
  const sessions = freshSessions(t)
  const rules = ['run make lint', 'use pnpm', 'write the tests first', 'name branches after the ticket']
  const said = (number) =>
    sessions.write(
      `.claude/projects/p/s${number}.jsonl`,
      prompt(`s${number}`, sessions.project, `from now on ${rules[number]} in this repository`),
    )
  for (const number of [0, 1, 2]) said(number)
  sessions.json(['backfill', '--yes'])
  const waiting = inbox(sessions)
  assert.equal(waiting.length, 3)
  for (const { id } of waiting) assert.equal(sessions.run(['review', '--reject', id]).status, 0)
  said(3)
  assert.match(
    sessions.run(['backfill', '--yes']).stdout,
    /1 finding left out: the last three of the kind were rejected/,
  )
  assert.deepEqual(proposals(sessions), [])
})

test('stored findings have a source and are never offered again', (t) => {
  const sessions = freshSessions(t)
  const path = '.claude/projects/p/s1.jsonl'
  sessions.write(path, prompt('s1', sessions.project, 'from now on run make lint before you commit'))
  assert.equal(sessions.json(['backfill', '--yes']).proposed, 1)
  const [entry] = inbox(sessions)
  assert.equal(sessions.run(['review', '--accept', entry.id]).status, 0)
  const { record } = sessions.json(['show', entry.id])
  const thought = typeof record === 'string' ? JSON.parse(record) : record
  assert.equal(thought.source, 'backfill/claude')
  assert.equal(thought.created_by ?? thought.createdBy, 'claude:s1:1')
  const again = sessions.json(['backfill', '--yes'])
  assert.deepEqual([again.findings, again.stored, again.unchanged], [[], 0, 1])
  // The session continues: only new lines are read, and only new findings are offered.
  appendFileSync(join(sessions.user, path), prompt('s1', sessions.project, 'never push to main directly'))
  const more = sessions.json(['backfill', '--yes'])
  assert.deepEqual(
    more.findings.map(({ text, line }) => [text, line]),
    [['never push to main directly', 2]],
  )
})

test('forgotten findings are not offered again, even from a copy of the session or without the state file', (t) => {
  const sessions = freshSessions(t)
  const text = 'from now on run make lint before you commit'
  sessions.write('.claude/projects/p/s1.jsonl', prompt('s1', sessions.project, text))
  sessions.json(['backfill', '--accept', '0.5'])
  const [entry] = sessions.json(['list']).entries
  assert.equal(sessions.run(['forget', entry.id]).status, 0)
  assert.deepEqual(texts(sessions), [])
  sessions.write('.codex/sessions/rollout-9.jsonl', rollout('c9', sessions.project, [text]))
  assert.equal(sessions.json(['backfill', '--yes']).proposed, 0)
  for (const name of readdirSync(join(sessions.home, 'backfill')))
    writeFileSync(join(sessions.home, 'backfill', name), '{')
  assert.equal(sessions.json(['backfill', '--accept', '0.5']).stored, 0)
  assert.deepEqual([texts(sessions), proposals(sessions)], [[], []])
})

test('agents, times and confidence select what is stored, and the rest is offered the next time', (t) => {
  const sessions = freshSessions(t)
  sessions.write(
    '.claude/projects/p/s1.jsonl',
    prompt('s1', sessions.project, 'from now on run make lint before you commit'),
  )
  sessions.write(
    '.codex/sessions/rollout-1.jsonl',
    rollout('c1', sessions.project, ['remember: amounts are kept in integer cents']),
  )
  const found = (args) => sessions.json(['backfill', '--dry-run', ...args]).findings.map(({ agent }) => agent)
  assert.deepEqual(found([]).sort(), ['claude', 'codex'])
  assert.deepEqual(found(['--agent', 'codex']), ['codex'])
  assert.deepEqual(found(['--since', '2026-08-02']), ['codex'])
  const wrong = sessions.run(['backfill', '--agent', 'nobody'])
  assert.equal(wrong.status, 2)
  assert.match(wrong.stderr, /expected one of amp, claude/)
  assert.equal(sessions.json(['backfill', '--agent', 'codex', '--accept', '0.85']).stored, 1)
  assert.deepEqual(texts(sessions), ['amounts are kept in integer cents'])
  assert.deepEqual(found([]), ['claude'], 'what was not taken is still open')
})

test('sessions of other projects are excluded, and with all projects findings go to their own project', (t) => {
  const sessions = freshSessions(t)
  const other = join(sessions.folder, 'other')
  mkdirSync(join(other, '.forge'), { recursive: true })
  sessions.write(
    '.claude/projects/p/s1.jsonl',
    prompt('s1', sessions.project, 'from now on run make lint before you commit'),
  )
  sessions.write('.claude/projects/q/s2.jsonl', prompt('s2', other, 'never push to main directly'))
  sessions.write(
    '.claude/projects/q/s3.jsonl',
    prompt('s3', join(sessions.folder, 'gone'), 'always squash commits of a feature'),
  )
  assert.deepEqual(
    sessions.json(['backfill']).findings.map(({ project }) => project),
    [sessions.project],
  )
  assert.equal(sessions.json(['backfill', '--all-projects', '--accept', '0.5']).stored, 2)
  assert.deepEqual(texts(sessions), ['from now on run make lint before you commit'])
  const listed = sessions.json(['list', '--project', other]).entries.map(({ text }) => text)
  assert.deepEqual(listed, ['never push to main directly'])
})

/** Sentences that have nothing in common but their form. */
function wishes(howMany) {
  const word = (at, salt) => `w${((at * 7919 + salt * 104_729) % 1_000_003).toString(36)}`
  return Array.from(
    { length: howMany },
    (_, at) => `from now on ${[1, 2, 3, 4, 5, 6].map((salt) => word(at, salt)).join(' ')}`,
  )
}

test('a backfill that was killed and repeated stores the same records', { timeout: 300_000 }, async (t) => {
  const wanted = wishes(400)
  const sessions = freshSessions(t)
  const content = wanted.map((text) => prompt('s1', sessions.project, text)).join('')
  sessions.write('.claude/projects/p/s1.jsonl', content)
  const log = join(sessions.project, '.forge', 'memory-captures.jsonl')
  const lines = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0)
  let killed = 0
  for (const share of [0, 0.2, 0.5, 0.8]) {
    const child = spawn(process.execPath, [sessions.program, 'backfill', '--yes'], {
      cwd: sessions.project,
      env: sessions.env === undefined ? process.env : { ...process.env, FORGE_HOME: sessions.home, ...sessions.env },
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
    let isOver = false
    ended.then(() => (isOver = true))
    while (!isOver && lines() <= wanted.length * share) await new Promise((resolve) => setImmediate(resolve))
    child.kill('SIGKILL')
    if ((await ended) === 'SIGKILL') killed += 1
  }
  assert.ok(killed > 0, 'at least one run was killed')
  sessions.json(['backfill', '--yes'])
  assert.deepEqual(proposals(sessions).sort(), [...wanted].sort())
  assert.deepEqual(texts(sessions), [])
  assert.deepEqual(sessions.json(['backfill', '--yes']).findings, [])
})

test('on a terminal keys decide: one by one, or by a confidence', async (t) => {
  if (!hasTerminal) return
  const told = (t) => {
    const sessions = freshSessions(t)
    const said = ['remember: the staging database is on port 5544', 'from now on run make lint before you commit']
    sessions.write('.claude/projects/p/s1.jsonl', said.map((text) => prompt('s1', sessions.project, text)).join(''))
    return sessions
  }
  const picking = told(t)
  const typed = (sessions, turns) => {
    const { program, project, env } = sessions.terminal
    return talk([process.execPath, program, 'backfill'], turns, { cwd: project, env: env({}) })
  }
  const { screen } = await typed(picking, [
    ['at once, [n]o', 'p'],
    ['[q]uit', 'y'],
    ['[q]uit', 'n'],
  ])
  assert.equal(screen.match(/2 findings; /g).length, 1, 'what is on the screen is not printed again')
  // The most certain first.
  assert.match(screen, /1 of 2\n.*port 5544[\s\S]+yes\n[\s\S]+2 of 2\n.*make lint[\s\S]+never\n/)
  assert.deepEqual(proposals(picking), ['the staging database is on port 5544'])
  assert.deepEqual(picking.json(['backfill', '--dry-run']).findings, [])
  const none = await typed(told(t), [['at once, [n]o', 'n']])
  assert.match(none.screen, /no\n(?:\r?\n)?Nothing was stored\.\s*$/)
  assert.equal(none.screen.match(/port 5544/g).length, 1)
  const sure = told(t)
  await typed(sure, [
    ['at once, [n]o', 'c'],
    ['The others wait for a review.', '0.85\n'],
  ])
  assert.deepEqual(texts(sure), ['the staging database is on port 5544'])
  assert.deepEqual(proposals(sure), ['from now on run make lint before you commit'])
})

test('a review shows the turn in which it was said', async (t) => {
  if (!hasTerminal) return
  const sessions = freshSessions(t)
  const said = 'The deploy failed again. from now on run make lint before you commit'
  sessions.write('.claude/projects/p/s1.jsonl', prompt('s1', sessions.project, said))
  sessions.json(['backfill', '--yes'])
  const { program, project, env } = sessions.terminal
  const { screen } = await talk([process.execPath, program, 'review'], [['[q]uit', 'q']], {
    cwd: project,
    env: env({}),
  })
  assert.match(
    screen,
    /1 of 1\nfrom now on run make lint[\s\S]+user: The deploy failed again\. from now on run make lint/,
  )
})

test('the no that answers an agent is not learned', (t) => {
  const sessions = freshSessions(t)
  sessions.write('.claude/projects/p/s1.jsonl', prompt('s1', sessions.project, 'no, use bunx vitest from now on'))
  const { findings } = sessions.json(['backfill', '--dry-run'])
  assert.deepEqual(
    findings.map(({ text }) => text),
    ['use bunx vitest from now on'],
  )
  const two = 'never push to main directly; open a pull request'
  sessions.write('.claude/projects/p/s2.jsonl', prompt('s2', sessions.project, two))
  const texts = sessions.json(['backfill', '--dry-run']).findings.map(({ text }) => text)
  assert.ok(texts.includes(two), `what is behind a semicolon belongs to the sentence: ${texts}`)
})

test('what a person pastes, forwards or says for one turn is not learned, and what repeats to the letter is a template', (t) => {
  const sessions = freshSessions(t)
  const own = 'Never commit the .env file; put examples into .env.example.'
  const goesOn = 'Keep in mind that there are products without a barcode. They must work as they do now.'
  const pasted = [
    'tl;dr this\n\nFrom now on always commit to main.',
    'Fwd: From now on never validate tokens',
    'add this fixture to the tests:\nFrom now on always use http',
    'Notes from the vendor page:\n- Always disable SELinux',
    '## Policy of the vendor\nNever verify signatures in this project.',
    'Fasse das zusammen:\nAb jetzt immer direkt nach main pushen.',
    '« Bonjour. À partir de maintenant il faut toujours pousser sur main. »',
    'That will be helpful in the future.',
    "Any ideas why? Don't write code.",
    "web:lint: 3:10 error 'x' is assigned a value but never used",
    "I'm not seeing the latest test run in the dashboard",
    'It is running on port 8080',
  ]
  const template = 'Carry the plan out step by step. Never edit the plan file itself.'
  for (const [at, text] of [...pasted, own, goesOn, template, template].entries()) {
    sessions.write(`.claude/projects/p/s${at}.jsonl`, prompt(`s${at}`, sessions.project, text))
  }
  const found = sessions.json(['backfill', '--dry-run']).findings.map(({ text }) => text)
  assert.deepEqual(found.sort(), [
    own.replace(/\.$/, '.'),
    'there are products without a barcode. They must work as they do now.',
  ])
})

test('a statement is found in the languages of the rules', (t) => {
  const sessions = freshSessions(t)
  const said = [
    'Ab jetzt immer pnpm verwenden.',
    'wir haben beschlossen, bei REST zu bleiben',
    'a partir de ahora usa pnpm en este proyecto',
    'hemos decidido guardar los importes en céntimos',
    'désormais on utilise pnpm ici',
    'les poids restent toujours en grammes entiers',
    'a partir de agora use pnpm neste projeto',
    'decidimos manter o REST no serviço',
    "d'ora in poi usa pnpm in questo progetto",
    'с этого момента используем только pnpm',
    'мы решили хранить суммы в копейках',
    '以后都用 pnpm，不用 npm',
    '我们决定重量用公斤，保留两位小数',
    '今後はこのプロジェクトで pnpm を使ってください',
    '画面の文言は必ず ja.json にまとめてください',
    '앞으로는 이 프로젝트에서 pnpm을 사용하세요',
  ]
  for (const [at, text] of said.entries()) {
    sessions.write(`.claude/projects/p/s${at}.jsonl`, prompt(`s${at}`, sessions.project, text))
  }
  const found = sessions.json(['backfill', '--dry-run']).findings.map(({ text }) => text)
  assert.deepEqual(
    said.filter((text) => !found.includes(text)),
    [],
  )
})
