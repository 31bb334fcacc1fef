// When an agent stops: it is asked once what the next session should know, and the person sees what was recalled and stored.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { answerFor, freshCommand, json } from './support/command.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { hasTerminal, onTerminal } from './support/terminal.mjs'

const TYPED = { CLAUDE_CODE_ENTRYPOINT: 'cli' }
const QUESTION = /nothing was stored\. What should the next session know\?/

function session(t, env = TYPED) {
  const command = freshCommand(t)
  const hook = (event, more) =>
    answerFor(command, { hook_event_name: event, session_id: 's1', cwd: command.project, ...more }, env)
  const ran = (line, code) =>
    hook('PostToolUse', {
      tool_name: 'Bash',
      tool_input: { command: line },
      tool_response: { stdout: code === 0 ? '3 passed' : 'boom', exit_code: code },
    })
  const set = (hooks) => writeFileSync(join(command.project, '.forge.json'), JSON.stringify({ hooks }))
  const say = (prompt) => hook('UserPromptSubmit', { prompt })
  const stop = (more) => hook('Stop', more).hookSpecificOutput?.additionalContext
  return { command, hook, ran, set, say, stop }
}

/** A session in which a command fails, and passes. */
function repaired(t, env) {
  const all = session(t, env)
  all.say('Make the build of the front end work')
  all.ran('make front', 2)
  all.ran('make front', 0)
  return all
}

test('after a repair of which nothing was stored the agent is asked, once a session', async (t) => {
  const { stop } = repaired(t)
  assert.match(stop(), QUESTION)
  assert.equal(stop(), undefined)
})

test('an agent that was held is never held again', async (t) => {
  const { stop } = repaired(t)
  assert.equal(stop({ stop_hook_active: true }), undefined)
  assert.match(stop(), QUESTION)
})

test('a test that the rules store is no answer to why', async (t) => {
  const { say, ran, stop } = session(t)
  say('Make the tests pass')
  ran('npm test', 1)
  ran('npm test', 0)
  assert.match(stop(), QUESTION)
})

const CORRECTIONS = {
  en: 'no, that is wrong, the queue lives in the worker',
  de: 'nein, das ist falsch, die Queue ist im Worker',
  es: 'eso está mal, la cola está en el worker',
  fr: "non, c'est faux, la file est dans le worker",
  pt: 'está errado, a fila fica no worker',
  ru: 'это неверно, очередь находится в воркере',
  ja: '違います、キューはワーカーにあります',
  zh: '不对,队列在 worker 里',
}

test('after a correction as well, in eight languages', async (t) => {
  for (const [language, prompt] of Object.entries(CORRECTIONS)) {
    const { say, stop } = session(t)
    say(prompt)
    assert.match(stop() ?? '', QUESTION, language)
  }
})

test('Codex has no terminal for its hooks: its session says whether a person types', async (t) => {
  for (const [source, isAsked] of [
    ['cli', true],
    ['vscode', true],
    ['exec', false],
    [{ subagent: 'review' }, false],
  ]) {
    const { command, hook } = session(t, { CLAUDE_CODE_ENTRYPOINT: '' })
    const transcript = join(command.home, 'rollout.jsonl')
    const meta = { id: 's1', source, base_instructions: { text: `"source":"cli" ${'long '.repeat(20_000)}` } }
    mkdirSync(command.home, { recursive: true })
    writeFileSync(transcript, `${JSON.stringify({ type: 'session_meta', payload: meta })}\n`)
    const codex = (event, more) => hook(event, { turn_id: 't1', transcript_path: transcript, ...more })
    codex('UserPromptSubmit', { prompt: 'no, that is wrong, the queue lives in the worker' })
    const { decision, reason } = codex('Stop')
    assert.deepEqual([decision, QUESTION.test(reason)], isAsked ? ['block', true] : [undefined, false], source)
  }
})

test('nobody is asked without a reason, a person, or leave', async (t) => {
  const quiet = session(t)
  quiet.say('Make the build work')
  quiet.ran('make front', 0)
  quiet.ran('make back', 2)
  assert.equal(quiet.stop(), undefined, 'nothing was repaired')

  for (const [why, env] of [['a program wrote the prompt', { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }]]) {
    assert.equal(repaired(t, env).stop(), undefined, why)
  }
  const off = repaired(t)
  off.set({ ask: false })
  assert.equal(off.stop(), undefined)

  const stored = repaired(t)
  const { client } = await connectStdio(t, stored.command)
  await call(client, 'capture_thought', { content: 'make front needs node 22', type: 'gotcha' })
  assert.equal(stored.stop(), undefined)

  const subagent = repaired(t)
  assert.equal(subagent.stop({ agent_id: 'a1' }), undefined)
})

test('the person sees what was recalled and stored, and the command beside it takes back exactly that', {
  skip: hasTerminal ? false : 'needs a terminal',
}, async (t) => {
  const { command, hook, say, set } = session(t)
  const stop = () => hook('Stop').systemMessage
  const { client } = await connectStdio(t, command)
  const rule = 'The API listens on port 8080'
  say(rule)
  assert.equal(stop(), undefined)
  const { id } = await call(client, 'capture_thought', { content: rule, type: 'decision', said: rule })
  const short = id.slice(-8)
  assert.equal(stop(), `forge-memory: stored decision ${short} (forge-memory forget ${short})`)
  assert.equal(stop(), undefined)

  const later = (event, more) => hook(event, { session_id: 's2', ...more })
  const start = later('SessionStart', { source: 'startup' })
  assert.match(
    start.systemMessage,
    new RegExp(`kept lately from what you said: decision ${short} \\(forge-memory forget ${short}\\)$`),
  )
  later('UserPromptSubmit', { prompt: 'Which port does the API listen on?' })
  assert.equal(later('Stop', {}).systemMessage ?? 'forge-memory: recalled 1 note', 'forge-memory: recalled 1 note')
  take(command, start.systemMessage)
  assert.deepEqual(textsOf(command), [])
  set({ receipts: false })
  assert.equal(hook('SessionStart', { session_id: 's3', source: 'startup' }).systemMessage, undefined)
})

/** Runs the command that a line of the person names, as the person. */
function take(command, line) {
  const [, words] = /\(forge-memory ([^)]+)\)/.exec(line) ?? []
  assert.ok(words, line)
  return onTerminal(command, [...words.split(' '), '--yes'])
}

const textsOf = (command) =>
  json(command, ['list'])
    .entries.map(({ text }) => text)
    .sort()

test('the command behind what was stored takes back what agents stored, by a tool or by a mark, and nothing of the person', {
  skip: hasTerminal ? false : 'needs a terminal',
}, async (t) => {
  const { command, hook, say } = session(t)
  const transcript = join(command.folder, 'transcript.jsonl')
  writeFileSync(transcript, '')
  const stop = () => hook('Stop', { transcript_path: transcript }).systemMessage
  const own = (text) => onTerminal(command, ['add', '-t', 'lesson', text])
  own('Ann waters the plants')
  say('Go on')
  stop()
  const { client } = await connectStdio(t, command)
  await call(client, 'capture_thought', { content: 'The API listens on port 8080', type: 'decision' })
  own('The printer is on the third floor')
  // A decision that retires another one is two lines of the journal.
  await call(client, 'capture_thought', { content: 'The API listens on port 9090', type: 'decision' })
  const content = [{ type: 'text', text: '[remember:gotcha] The build needs Node 20.' }]
  writeFileSync(transcript, `${JSON.stringify({ type: 'assistant', message: { role: 'assistant', content } })}\n`)
  const line = stop()
  assert.match(line, /^forge-memory: stored (gotcha|decision) /)
  assert.deepEqual(textsOf(command), [
    'Ann waters the plants',
    'The API listens on port 9090',
    'The build needs Node 20.',
    'The printer is on the third floor',
  ])
  take(command, line)
  assert.deepEqual(textsOf(command), ['Ann waters the plants', 'The printer is on the third floor'])
})

test('what an agent stored by itself is not what the person said', async (t) => {
  const { command, hook } = session(t)
  const { client } = await connectStdio(t, command)
  await call(client, 'capture_thought', { content: 'The API listens on port 8080', type: 'decision' })
  const start = hook('SessionStart', { session_id: 's2', source: 'startup' })
  assert.doesNotMatch(start.systemMessage ?? '', /you said/)
})
