// What `init` writes, against the schemas of those who read it.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import { freshCommand, json } from './support/command.mjs'

const SCHEMAS = fileURLToPath(new URL('data/schemas/', import.meta.url))
const readJson = (...path) => JSON.parse(readFileSync(join(...path), 'utf8'))

/** Files by schema, with a change that each schema must refuse: one that refuses nothing proves nothing. */
const FILES = {
  'vscode-mcp': ['.vscode/mcp.json', ({ servers }) => (servers['forge-memory'].comand = 'x')],
  'copilot-hooks': ['.github/hooks/forge-memory.json', ({ hooks }) => delete hooks.sessionStart[0].type],
  'claude-mcp': ['.mcp.json', ({ mcpServers }) => delete mcpServers['forge-memory'].command],
  'claude-settings': ['.claude/settings.json', ({ hooks }) => (hooks.sessionStart = hooks.SessionStart)],
  'cursor-mcp': ['.cursor/mcp.json', ({ mcpServers }) => (mcpServers['forge-memory'].args = 'mcp')],
  'cursor-hooks': ['.cursor/hooks.json', (file) => delete file.version],
}

for (const [schema, [path, spoil]] of Object.entries(FILES)) {
  test(`${path} matches its schema`, (t) => {
    const command = freshCommand(t)
    json(command, ['init', '--scope', 'project', '--agent', 'all', '--yes'])
    const validate = new Ajv({ strict: false, formats: { uri: true } }).compile(readJson(SCHEMAS, `${schema}.json`))
    const file = readJson(command.project, path)
    assert.ok(validate(file), JSON.stringify(validate.errors))
    spoil(file)
    assert.equal(validate(file), false)
  })
}

test('every hook for Copilot is on an event that Copilot has', (t) => {
  const command = freshCommand(t)
  json(command, ['init', '--scope', 'project', '--agent', 'copilot', '--yes'])
  const events = readJson(SCHEMAS, 'copilot-hooks.json').then.properties.hooks.properties
  // The schema of the editor lacks it; the `HookType` of Copilot's own SDK has it.
  const known = [...Object.keys(events), 'postToolUseFailure']
  const used = Object.keys(readJson(command.project, '.github/hooks/forge-memory.json').hooks)
  assert.deepEqual(
    used.filter((event) => !known.includes(event)),
    [],
  )
})
