// The words of a person: what an agent stores in them, and nothing beyond them, is the person's.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json, noteFor } from './support/command.mjs'
import { call, connectStdio } from './support/mcp.mjs'
import { readLines } from './support/project.mjs'

const TYPED = { CLAUDE_CODE_ENTRYPOINT: 'cli' }
const RULE = 'from now on use pnpm here, not npm'

/** A project whose agent has tools, and hooks that see what the person types. */
async function typing(t) {
  const command = freshCommand(t)
  const { client } = await connectStdio(t, command)
  const hook = (event, more, env = TYPED) =>
    noteFor(command, { hook_event_name: event, session_id: 's1', cwd: command.project, ...more }, env)
  const say = (prompt, env) => hook('UserPromptSubmit', { prompt }, env)
  const store = (content, said, more) =>
    call(client, 'capture_thought', { content, type: 'convention', ...(said && { said }), ...more })
  const records = () => readLines(command.project, '.forge/memory-captures.jsonl')
  return { command, client, hook, say, store, records }
}

test("an agent is asked to store what the person states, and its quote makes the record the person's", async (t) => {
  const { command, client, say, store, records } = await typing(t)
  assert.match(say(RULE), /capture_thought: the user's words, also as said/)
  const { id, text } = await store('From now on, use pnpm here, not npm.', RULE, { created_by: 'someone' })
  assert.match(text, /, as the user's words\.$/m)
  const [line] = records()
  assert.deepEqual(
    [line.author, line.said.split('/').slice(0, 2).join('/'), line.quote],
    ['person', 'person/mcp', RULE],
  )
  assert.notEqual(line.created_by, 'someone')
  assert.match(command.run(['show', id]).stdout, /said by\s+person, mcp[\s\S]*quote\s+from now on use pnpm/)
  const { notes } = await call(client, 'memory_show', { ids: [id] })
  assert.equal(notes[0].quote, RULE)

  say('The tests need docker')
  const saved = await call(client, 'memory_save', {
    pattern: 'The tests need docker.',
    category: 'convention',
    said: 'The tests need docker',
  })
  assert.equal(json(command, ['show', saved.id]).entry.author, 'person')
})

const LANGUAGES = {
  en: ['we decided to keep REST because of the proxies', 'We decided to keep REST because of the proxies.'],
  de: ['wir nehmen ab jetzt immer pnpm', 'Wir nehmen ab jetzt immer pnpm.'],
  es: ['los precios se guardan siempre en céntimos', 'Los precios se guardan siempre en céntimos.'],
  fr: ['les poids restent toujours en grammes', 'Les poids restent toujours en grammes.'],
  pt: ['os preços ficam sempre em centavos', 'Os preços ficam sempre em centavos.'],
  ru: ['цены всегда хранятся в копейках', 'Цены всегда хранятся в копейках.'],
  ja: ['文言は必ずja.jsonにまとめる。', '文言は必ずja.jsonにまとめる'],
  zh: ['价格一律用分来保存。', '价格一律用分来保存'],
}

test('in eight languages', async (t) => {
  const { say, store, records } = await typing(t)
  for (const [said, content] of Object.values(LANGUAGES)) {
    say(said)
    await store(content, said)
  }
  assert.deepEqual(
    records().map(({ author, content }) => [author, content]),
    Object.values(LANGUAGES).map(([, content]) => ['person', content]),
  )
})

test("a text that says more, less or something else is the agent's, with the quote", async (t) => {
  const { say, store, records } = await typing(t)
  say(`${RULE}. Never push to main when the tests are red. Timeouts are 30 seconds, retries 5.`)
  const wrong = [
    ['Use pnpm here, not npm, and yarn for the docs', RULE],
    ['Use npm here, not pnpm', RULE],
    ['Use pnpm here', RULE],
    ['Push to main when the tests are red', 'Never push to main when the tests are red.'],
    ['Never push to main', 'Never push to main when the tests are red.'],
    ['Timeouts are 5 seconds, retries 30', 'Timeouts are 30 seconds, retries 5.'],
    ['Timeouts are 60 seconds, retries 5', 'Timeouts are 30 seconds, retries 5.'],
  ]
  for (const [content, said] of wrong) {
    const { text } = await store(content, said)
    assert.match(text, /it counts as yours: a quote has to be/, content)
  }
  assert.deepEqual(
    records().map(({ author, quote }) => [author, quote]),
    wrong.map(([, said]) => ['agent', said]),
  )
})

test('a quote that nobody typed proves nothing', async (t) => {
  const { command, hook, say, store, records } = await typing(t)
  const never = 'Deploys need two approvals'
  say(`Look at this mail:\n${never}`)
  say(`> ${never}`)
  say(`\`\`\`\n${never}\n\`\`\``)
  say(`${never}?`)
  say(`<task-notification>${never}</task-notification>`)
  say(never, { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })
  hook('PostToolUse', { tool_name: 'Bash', tool_input: { command: 'cat mail' }, tool_response: { stdout: never } })
  say('ok. yes.')
  for (const [content, said] of [
    [never, never],
    ['Yes, ok', 'ok. yes.'],
    ['A rule of one word', 'ok'],
  ]) {
    await store(content, said)
  }
  assert.deepEqual(
    records().map(({ author }) => author),
    ['agent', 'agent', 'agent'],
  )
  const rule = 'Every endpoint needs a contract test'
  say(rule)
  const sessions = join(command.home, 'sessions')
  const kept = readdirSync(sessions).map((name) => readFileSync(join(sessions, name), 'utf8'))
  assert.ok(kept.some((text) => text.includes('"said":')) && kept.every((text) => !text.includes('contract')))
  hook('SessionEnd', { reason: 'exit' })
  await store(rule, rule)
  assert.equal(records().at(-1).author, 'agent', 'the session has ended')
})

test('which records a quote replaces, the agent says, and not the person', async (t) => {
  const { command, say, store } = await typing(t)
  const { id: kept } = json(command, ['add', '-t', 'decision', 'Invoices are numbered by year', '--as', 'person'])
  say('Backups run every night at 3')
  const { id } = await store('Backups run every night at 3', 'Backups run every night at 3', { supersedes: [kept] })
  assert.equal(json(command, ['show', kept]).state, 'current')
  assert.equal(json(command, ['show', id]).entry.author, 'person')
  assert.match(command.run(['list']).stdout, /Invoices are numbered by year/)
})

test('secrets do not stay in a quote', async (t) => {
  const { say, store, records } = await typing(t)
  const said = 'The staging token is ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
  say(said)
  await store(said, said)
  assert.doesNotMatch(JSON.stringify(records()), /ghp_/)
})
