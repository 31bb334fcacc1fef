// The modules that run inside of a host, called as the host calls them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { pathToFileURL } from 'node:url'
import { freshCommand, json } from './support/command.mjs'

const KNOWN = /must be closed last/
const ASKED = 'Why must the pool be closed last?'

/** Runs lines in a process that has loaded the module as `plugin`; returns what they leave in `said`. */
function within(t, agent, path, lines) {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'gotcha', 'src/pool.ts must be closed last, or `pnpm db:push` hangs.'])
  json(command, ['capture', '--type', 'gotcha', 'ERR_POOL_OPEN: run pnpm pool:close first.'])
  json(command, ['init', '--scope', 'project', '--agent', agent, '--yes'])
  const file = pathToFileURL(join(command.project, path)).href
  const driver = `const { default: plugin } = await import(${JSON.stringify(file)})
    const cwd = ${JSON.stringify(command.project)}
    const said = []
    ${lines}
    console.log(JSON.stringify(said))`
  const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000', FORGE_AS: '' })
  const options = { encoding: 'utf8', env, cwd: command.project }
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', driver], options)
  assert.equal(stderr, '')
  return { command, said: JSON.parse(stdout) }
}

const PI = ['pi', '.pi/extensions/forge-memory.js']
// As the documentation of its extensions says (1.6.0).
const PI_CALLS = `const on = {}
  plugin({ on: (event, handler) => (on[event] = handler) })
  const ctx = (id) => Object.freeze({ cwd, sessionManager: { getSessionId: () => id } })
  const ask = async (id, prompt) => said.push((await on.before_agent_start({ messageType: 'user', prompt }, ctx(id))) ?? null)`

test('the extension of pi hands notes over, takes marks, ends its session, and never fails', (t) => {
  const { command, said } = within(
    t,
    ...PI,
    `${PI_CALLS}
    await ask('p', ${JSON.stringify(ASKED)})
    await ask('p', 'Thanks')
    await on.session_compact({}, ctx('p'))
    await ask('p', 'Go on')
    const content = Object.freeze([{ type: 'text', text: 'ERR_POOL_OPEN the pool is open' }])
    const failed = { toolName: 'bash', toolCallId: '1', input: { command: 'pnpm x' }, content, structuredContent: { a: 1 }, isError: true }
    said.push(await on.tool_result(Object.freeze(failed), ctx('p')))
    const message = (role, text) => ({ message: { role, content: [{ type: 'thinking', thinking: '' }, { type: 'text', text }] } })
    await on.message_end(message('user', '[remember:gotcha] Nobody said this.'), ctx('p'))
    await on.message_end(message('assistant', 'Done.\\n[remember:gotcha] Test data comes before the migration.'), ctx('p'))
    await on.session_shutdown({ reason: 'quit' }, ctx('p'))
    for (const handler of Object.values(on)) said.push((await handler({}, {})) ?? null)`,
  )
  const [first, thanks, compacted, result, ...nothing] = said
  assert.deepEqual([first.message.customType, first.message.display, thanks], ['forge-memory', false, null])
  assert.match(first.message.content, KNOWN)
  assert.match(compacted.message.content, KNOWN)
  assert.match(result.content[1].text, /pool:close first/)
  assert.deepEqual([result.content[0].text, result.structuredContent], ['ERR_POOL_OPEN the pool is open', { a: 1 }])
  assert.ok(nothing.every((each) => each === null))
  const texts = json(command, ['list']).entries.map(({ text }) => text)
  assert.ok(texts.includes('Test data comes before the migration.'), String(texts))
  assert.ok(!texts.some((text) => text.includes('Nobody')))
  assert.deepEqual(readdirSync(join(command.home, 'sessions')), [])
})

const opencode = `const hooks = await plugin.server({ directory: cwd })
  const ask = async (sessionID, text) => {
    const parts = [{ type: 'text', text }]
    await hooks['chat.message']({ sessionID }, { parts })
    said.push(parts[0].text.slice(text.length))
  }`
const MODULES = {
  opencode: ['.opencode/plugins/forge-memory.js', opencode],
  kilo: ['.kilo/plugins/forge-memory.js', opencode],
  cline: [
    '.cline/plugins/forge-memory.js',
    `plugin.setup({}, { workspaceInfo: { rootPath: cwd } })
    const ask = async (conversationId, text) => {
      const messages = [{ id: conversationId, role: 'user', content: [{ type: 'text', text }] }]
      const answer = await plugin.hooks.beforeModel({ snapshot: { conversationId }, request: { messages } })
      said.push(answer?.messages[0].content[1].text ?? '')
    }`,
  ],
  pi: [
    PI[1],
    `${PI_CALLS}\n    Object.assign(said, { push: (answer) => Array.prototype.push.call(said, answer?.message.content ?? '') })`,
  ],
}

for (const [agent, [path, calls]] of Object.entries(MODULES)) {
  test(`${agent}: a first prompt that switches the memory off gets no notes, also none of the session's start`, (t) => {
    const { said } = within(
      t,
      agent,
      path,
      `${calls}
      await ask('off', '[memory:off]\\n${ASKED}')
      await ask('on', ${JSON.stringify(ASKED)})`,
    )
    assert.equal(said[0], '')
    // Of the start as well, and no note twice.
    assert.match(said[1], /pool:close first/)
    assert.equal(said[1].split('must be closed last').length, 2, said[1])
  })
}

test('Antigravity: notes are steps before the model, prompt and marks come from its transcript, and nothing makes it fail', (t) => {
  const { command } = within(t, ...PI, '')
  const transcriptPath = join(command.project, 'transcript.jsonl')
  const say = (source, content) => appendFileSync(transcriptPath, `${JSON.stringify({ source, content })}\n`)
  const hook = (event, input) => {
    // Not the native program, which does not know these events.
    const args = [command.program, 'hook', event, '--host=antigravity']
    const env = command.env({ FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' })
    const { status, stdout } = spawnSync(process.execPath, args, { input, env, encoding: 'utf8', cwd: command.project })
    assert.equal(status, 0)
    return JSON.parse(stdout)
  }
  const call = (event, more) =>
    hook(
      event,
      JSON.stringify({
        conversationId: 'c',
        workspacePaths: [command.project],
        transcriptPath,
        invocationNum: 1,
        ...more,
      }),
    )
  say('USER_EXPLICIT', `<USER_REQUEST>\n${ASKED}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>{}</ADDITIONAL_METADATA>`)
  const [{ systemMessage }, ...more] = call('PreInvocation').injectSteps
  assert.match(systemMessage.systemMessage, KNOWN)
  assert.deepEqual([more, call('PreInvocation')], [[], { injectSteps: [] }])
  const tool = (args) => call('PostToolUse', { toolCall: { name: 'any', args } })
  const told = () => call('PreInvocation').injectSteps.map((step) => step.systemMessage.systemMessage)
  json(command, ['capture', '--type', 'gotcha', 'src/pool.ts must be closed last.'])
  json(command, ['capture', '--type', 'gotcha', 'Before `node seed.mjs --all` the tables must be locked.'])
  assert.deepEqual(tool({ TargetFile: join(command.project, 'src/pool.ts'), CodeContent: 'a' }), {})
  tool({ CommandLine: 'node seed.mjs --all' })
  tool({ Query: 'anything' })
  assert.match(told().join(''), /closed last[\s\S]+tables must be locked/)
  assert.deepEqual(told(), [])
  say('MODEL', 'Done.\n[remember:gotcha] Test data comes before the migration.')
  assert.deepEqual(call('Stop'), { decision: 'allow' })
  assert.ok(json(command, ['list']).entries.some(({ text }) => /^Test data comes before/.test(text)))
  for (const input of [
    '',
    '{"conv',
    '[]',
    '{"transcriptPath":"/nowhere"}',
    JSON.stringify({ transcriptPath: command.project }),
  ])
    for (const event of ['PreInvocation', 'PostToolUse', 'Stop']) hook(event, input)
  assert.match(
    hook('SessionStart', JSON.stringify({ conversationId: 'd', workspacePaths: [command.project] })).injectSteps[0]
      .systemMessage.systemMessage,
    KNOWN,
  )
})

/** How a host with a place for it shows a line, and what the agent does before. */
const RECEIPTS = {
  opencode: `let show
    const shown = new Promise((resolve) => (show = resolve))
    const client = { tui: { showToast: async ({ body }) => show(body.message) } }
    const hooks = await plugin.server({ directory: cwd, client })
    await hooks['experimental.text.complete']({ sessionID: 's' }, { text: MARKED })
    said.push(await shown)`,
  pi: `let show
    const shown = new Promise((resolve) => (show = resolve))
    const on = {}
    plugin({ on: (event, handler) => (on[event] = handler) })
    const ui = { setStatus: (_key, line) => show(line) }
    const message = { role: 'assistant', content: [{ type: 'text', text: MARKED }] }
    await on.message_end({ message }, { cwd, hasUI: true, ui, sessionManager: { getSessionId: () => 's' } })
    said.push(await shown)`,
}

for (const [agent, lines] of Object.entries(RECEIPTS)) {
  test(`${agent} shows what was stored, and the command that takes it back`, (t) => {
    const marked = JSON.stringify('Done.\n[remember:gotcha] Test data comes before the migration.')
    const { said } = within(t, agent, MODULES[agent][0], lines.replace('MARKED', marked))
    assert.match(said[0], /^memory: 1 stored by agents in a day, the last by: forge-memory forget [0-9a-f]{8}; /)
  })
}
