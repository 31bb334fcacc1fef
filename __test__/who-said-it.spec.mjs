// Every record says who said it: a person is "you" or whom the settings name, an agent is named as its host.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { buildMemoryReport, captureMemory } from '../dist/index.js'
import { serve } from '../dist/server/index.js'
import { freshCommand, json } from './support/command.mjs'
import { useHome } from './support/home.mjs'
import { connectWithin, EVERYTHING } from './support/mcp.mjs'
import { freshMemory } from './support/memory.mjs'
import { callerOf } from './support/served.mjs'

const captured = (command, text, { args = [], env = {} } = {}) => {
  const { thought } = json(command, ['capture', '--type', 'lesson', ...args, text], { env })
  return [thought.source, thought.created_by, thought.author]
}

test('a person is you, an agent that started the command is named, and both may say otherwise', (t) => {
  const command = freshCommand(t)
  assert.deepEqual(captured(command, 'One person types this'), ['you', 'you', 'person'])
  for (const [variable, agent] of [
    ['CLAUDECODE', 'claude'],
    ['CURSOR_AGENT', 'cursor'],
    ['GEMINI_CLI', 'gemini'],
    ['CODEX_SANDBOX', 'codex'],
  ]) {
    const [source, creator, author] = captured(command, `${agent} types this by itself`, { env: { [variable]: '1' } })
    assert.deepEqual([source, creator, author], [agent, 'forge-memory', 'agent'])
  }
  const args = ['--source', 'jest/setup', '--created-by', 'Ann']
  assert.deepEqual(captured(command, 'Named on the line', { args }), ['jest/setup', 'Ann', 'person'])
})

test('a setting names the person, or has the identity of git', (t) => {
  const command = freshCommand(t)
  assert.equal(captured(command, 'Ben types this', { env: { FORGE_CREATED_BY: ' Ben  B. ' } })[1], 'Ben B.')
  execFileSync('git', ['init', '-q'], { cwd: command.project })
  execFileSync('git', ['config', 'user.email', 'cara@example.com'], { cwd: command.project })
  assert.equal(captured(command, 'Cara types this', { env: { FORGE_CREATED_BY: 'git' } })[1], 'cara@example.com')
  const settings = join(command.home, 'config.json')
  writeFileSync(settings, '{"openbrain":{"createdBy":"git"}}', { mode: 0o600 })
  assert.equal(captured(command, 'Cara types something else')[1], 'cara@example.com')
  writeFileSync(settings, 'no JSON at all', { mode: 0o600 })
  assert.equal(captured(command, 'Broken settings keep nobody from capturing')[1], 'you')
})

test('without a name in git, the setting git leaves "you"', (t) => {
  const command = freshCommand(t, { HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' })
  assert.equal(captured(command, 'Nobody is configured', { env: { FORGE_CREATED_BY: 'git' } })[1], 'you')
})

for (const [given, source] of [
  ['claude-code', 'claude/mcp'],
  ['Visual Studio Code', 'visual-studio-code/mcp'],
  ['../../etc', 'etc/mcp'],
  ['名前', 'agent/mcp'],
  ['x'.repeat(500), `${'x'.repeat(64)}/mcp`],
]) {
  test(`an MCP client that calls itself ${given.slice(0, 20)} is the source ${source.slice(0, 20)}`, async (t) => {
    const command = freshCommand(t)
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [command.program, 'mcp', ...EVERYTHING],
      cwd: command.project,
      env: command.env(),
      stderr: 'pipe',
    })
    const client = new Client({ name: given, version: '1' })
    await client.connect(transport)
    t.after(() => client.close())
    const answer = await client.callTool({ name: 'capture_thought', arguments: { content: 'A host learned this' } })
    assert.equal(answer.structuredContent.source, source)
  })
}

test('a rejected source is stored as unknown by every door, and counts by tool are of who captured', async (t) => {
  const memory = freshMemory(t)
  useHome(t, memory.home)
  const authors = [undefined, 'person', 'agent', 'import', 'watcher']
  for (const author of authors) {
    const options = { ...memory.options, ...(author === undefined ? {} : { author }) }
    const outcome = captureMemory(
      { type: 'lesson', body: `${author} brings this along`, source: 'Not A Source' },
      options,
    )
    assert.deepEqual([outcome.source, outcome.thought.author], ['unknown', author])
    assert.match(outcome.sourceRejected, /./)
    const { toolName } = outcome.thought.hallmark
    assert.equal(toolName, author === 'person' ? 'you' : (author ?? 'agent'))
  }
  const server = await serve({ port: 0, drain: false, watch: false, projectDir: memory.project })
  t.after(() => server.close())
  const posted = { type: 'lesson', content: 'Typed on the page', source: 'The Page' }
  const { body } = await callerOf(server)('POST', '/api/memory/capture', posted)
  assert.equal(body.source, 'unknown')
  const client = await connectWithin(t, memory)
  const thought = { type: 'lesson', content: 'A host learned that', source: 'My Tool' }
  const { structuredContent } = await client.callTool({ name: 'capture_thought', arguments: thought })
  assert.equal(structuredContent.source, 'unknown')
  const { byTool } = buildMemoryReport(memory.options).telemetry
  assert.deepEqual(Object.keys(byTool).sort(), ['agent', 'import', 'watcher', 'you'])
})
