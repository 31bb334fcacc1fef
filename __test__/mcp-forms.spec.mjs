// The forms in which hosts send arguments, over every tool and every argument that it publishes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { call, connectHttp, connectStdio, connectWithin, startHttp } from './support/mcp.mjs'

const PROFILES = ['full', 'plan-forge']

/** A value that the schema of an argument takes. */
function sampleOf({ type, enum: names, anyOf, items, properties = {}, required = [], minimum = 1 }) {
  if (names !== undefined) return names[0]
  if (anyOf !== undefined) return sampleOf(anyOf[0])
  if (type === 'array') return [sampleOf(items)]
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name])]))
  return { string: 'sample', number: minimum, integer: minimum, boolean: false }[type]
}

/** Every tool of a client, with its arguments and values for those that it requires. */
async function toolsOf(client) {
  const { tools } = await client.listTools()
  assert.ok(tools.length >= 15, `${tools.length} tools`)
  return tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => ({
    name,
    fields: Object.entries(properties),
    optional: Object.keys(properties).filter((each) => !required.includes(each)),
    base: Object.fromEntries(required.map((each) => [each, sampleOf(properties[each])])),
  }))
}

/** Whether a call went through, or the code of its error; and what it said. */
async function outcomeOf(client, name, args) {
  const { isError = false, content } = await client.callTool({ name, arguments: args })
  const [{ text }] = content
  return { text, outcome: isError ? /\(([A-Z_]+)\)$/.exec(text)?.[1] : 'done' }
}

async function requireSame(client, name, plain, other) {
  const expected = await outcomeOf(client, name, plain)
  const found = await outcomeOf(client, name, other)
  assert.equal(found.outcome, expected.outcome, `${name} ${JSON.stringify(other)}: ${found.text}`)
}

/** Every tool over stdio, those of the profile for Plan Forge too, and over HTTP. */
async function connections(t) {
  const command = freshCommand(t)
  const stdio = PROFILES.map((profile) =>
    connectStdio(t, command, { args: ['--tools', profile, '--project', command.project] }),
  )
  const opened = await Promise.all(stdio)
  return [...opened.map(({ client }) => client), await connectHttp(t, await startHttp(t, command))]
}

test('an argument that is null is one that is not given, of every tool', async (t) => {
  for (const client of await connections(t)) {
    for (const { name, optional, base } of await toolsOf(client)) {
      const nothing = Object.fromEntries(optional.map((each) => [each, null]))
      await requireSame(client, name, base, { ...base, ...nothing })
      for (const required of Object.keys(base)) {
        const { text, outcome } = await outcomeOf(client, name, { ...base, [required]: null })
        assert.equal(outcome, 'INVALID_INPUT', text)
        assert.ok(text.includes(required), text)
      }
    }
  }
})

test('arguments that are null are none, of every tool', async (t) => {
  for (const client of await connections(t)) {
    for (const { name } of await toolsOf(client)) {
      const result = await client.request({ method: 'tools/call', params: { name, arguments: null } })
      const expected = await outcomeOf(client, name, {})
      assert.equal(result.isError ? /\(([A-Z_]+)\)$/.exec(result.content[0].text)?.[1] : 'done', expected.outcome)
    }
  }
})

test('a list of one is a text, and words between commas are a list, in every argument that takes one', async (t) => {
  let lists = 0
  for (const client of await connections(t)) {
    for (const { name, fields, base } of await toolsOf(client)) {
      for (const [field, { type, items }] of fields) {
        if (type !== 'array' || items.type !== 'string') continue
        lists += 1
        const [one] = sampleOf({ type, items })
        const other = items.enum?.at(-1) ?? 'other'
        await requireSame(client, name, { ...base, [field]: [one] }, { ...base, [field]: one })
        await requireSame(client, name, { ...base, [field]: [one, other] }, { ...base, [field]: `${one}, ${other}` })
      }
    }
  }
  assert.ok(lists > 10, `${lists}`)
})

test('names out of a list are in any case, and a wrong one is answered with all of them', async (t) => {
  let choices = 0
  for (const client of await connections(t)) {
    for (const { name, fields, base } of await toolsOf(client)) {
      for (const [field, schema] of fields) {
        const names = schema.enum ?? schema.items?.enum
        if (names === undefined) continue
        choices += 1
        const as = (value) => ({ ...base, [field]: schema.enum === undefined ? [value] : value })
        await requireSame(client, name, as(names.at(-1)), as(` ${names.at(-1).toUpperCase()}`))
        const { text, outcome } = await outcomeOf(client, name, as('no-such-name'))
        assert.equal(outcome, 'INVALID_INPUT', text)
        for (const each of names) assert.ok(text.includes(`"${each}"`), `${name} ${field}: ${text}`)
      }
    }
  }
  assert.ok(choices > 10, `${choices}`)
})

test('a text for tags is stored as the list that it means', async (t) => {
  const command = freshCommand(t)
  const client = await connectWithin(t, command)
  const captures = [
    ['The tokenizer keeps offsets', 'parser', ['parser']],
    ['Releases are signed in the morning', 'parser,lexer', ['parser', 'lexer']],
    ['The cache is emptied at night', '["parser", "lexer"]', ['parser', 'lexer']],
    ['Ports are taken from the settings', null, []],
  ]
  for (const [content, tags, expected] of captures) {
    await call(client, 'capture_thought', { content, type: 'lesson', tags, created_by: null, confidence: null })
    const lines = readFileSync(join(command.project, '.forge', 'memory-captures.jsonl'), 'utf8')
      .trim()
      .split('\n')
    const stored = JSON.parse(lines.at(-1))
    assert.deepEqual([stored.content, stored.tags], [content, expected])
  }
})
