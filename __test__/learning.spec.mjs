// What a session taught is in the review inbox after its end: in the background, and not when the memory was switched off.
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { freshAgentHome } from './support/agent-home.mjs'

function freshSessions(t) {
  const { command, user, env } = freshAgentHome(t)
  // What the program of hooks cannot do alone it hands to the launcher that `init` has noted.
  const { status, stderr } = command.run(['init', '--agent', 'claude', '--scope', 'project', '--yes'], { env })
  assert.equal(status, 0, stderr)
  const write = (session, ...texts) => {
    const path = join(user, '.claude', 'projects', 'p', `${session}.jsonl`)
    mkdirSync(dirname(path), { recursive: true })
    for (const [at, content] of texts.entries()) {
      const base = {
        type: 'user',
        uuid: `${session}-${content.length}-${at}`,
        sessionId: session,
        cwd: command.project,
      }
      const record = { ...base, timestamp: '2026-08-01T09:00:00.000Z', message: { role: 'user', content } }
      appendFileSync(path, `${JSON.stringify(record)}\n`)
    }
    return path
  }
  const hook = (event, fields, extra = {}) => {
    const input = JSON.stringify({ hook_event_name: event, cwd: command.project, ...fields })
    const { status, stderr } = command.run(['hook', event], {
      input,
      env: { ...env, FORGE_MEMORY_HOOK_DEADLINE_MS: '20000', ...extra },
    })
    assert.deepEqual([status, stderr], [0, ''])
  }
  const end = (session, path, extra) => hook('SessionEnd', { session_id: session, transcript_path: path }, extra)
  const inbox = () =>
    JSON.parse(command.run(['--json', 'review', '--list'], { env }).stdout).waiting.map(({ text }) => text)
  return { ...command, env, write, hook, end, inbox }
}

/** Waits until something holds; a test that waits for ever has found that it does not. */
async function until(holds) {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

test('the end of a session puts its findings into the inbox, once', { timeout: 300_000 }, async (t) => {
  const sessions = freshSessions(t)
  const path = sessions.write('s1', 'fix the build', 'from now on run make lint before you commit')
  sessions.end('s1', path)
  await until(() => sessions.inbox().length > 0)
  assert.deepEqual(sessions.inbox(), ['from now on run make lint before you commit'])
  assert.deepEqual(JSON.parse(sessions.run(['--json', 'list'], { env: sessions.env }).stdout).entries, [])
  // It continues and ends again: only new findings are proposed.
  sessions.write('s1', 'never push to main directly')
  sessions.end('s1', path)
  await until(() => sessions.inbox().length > 1)
  assert.deepEqual(sessions.inbox().sort(), [
    'from now on run make lint before you commit',
    'never push to main directly',
  ])
  const again = sessions.run(['--json', 'backfill', '--yes'], { env: sessions.env })
  assert.deepEqual(JSON.parse(again.stdout).findings, [], 'a backfill has nothing to add')
})

test('nothing is learned while the memory is switched off, nor from a session that was', {
  timeout: 300_000,
}, async (t) => {
  const sessions = freshSessions(t)
  sessions.end('off', sessions.write('off', 'from now on use tabs for all makefiles'), { FORGE_MEMORY: 'off' })
  assert.equal(sessions.run(['pause']).status, 0)
  sessions.end('paused', sessions.write('paused', 'always squash commits of a feature'))
  assert.equal(sessions.run(['resume']).status, 0)
  writeFileSync(join(sessions.project, '.forge.json'), JSON.stringify({ hooks: { 'session-end': false } }))
  sessions.end('event', sessions.write('event', 'never use eval in this repository'))
  writeFileSync(join(sessions.project, '.forge.json'), '{}')
  const partly = sessions.write('partly', 'from now on answer in Welsh only')
  const say = (prompt) => sessions.hook('UserPromptSubmit', { session_id: 'partly', prompt, transcript_path: partly })
  say('[memory:off]')
  say('[memory:on]')
  sessions.end('partly', partly)
  const foreign = join(sessions.folder, 'elsewhere.jsonl')
  writeFileSync(foreign, 'no transcript of an agent\n')
  sessions.end('foreign', foreign)
  sessions.end('on', sessions.write('on', 'from now on run make lint before you commit'))
  await until(() => sessions.inbox().length > 0)
  assert.deepEqual(sessions.inbox(), ['from now on run make lint before you commit'])
})

test('sessions that end at the same time are all learned from', { timeout: 300_000 }, async (t) => {
  const sessions = freshSessions(t)
  const said = ['from now on run make lint before you commit', 'never push to main directly']
  const paths = said.map((text, at) => sessions.write(`s${at}`, text))
  paths.forEach((path, at) => {
    sessions.end(`s${at}`, path)
  })
  await until(() => sessions.inbox().length >= said.length)
  assert.deepEqual(sessions.inbox().sort(), said.toSorted())
})
