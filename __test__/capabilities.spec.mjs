// The table of what reaches which agent: complete, as the hooks are, and the same in the documents, in `init` and in `doctor --agents`.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { AGENTS, CAPABILITIES, HOSTS, MOMENTS } from '../dist/init/index.js'
import { freshCommand, json } from './support/command.mjs'
import { freshFolder, root } from './support/project.mjs'

const measured = JSON.parse(readFileSync(join(root, 'lib/init/measured.json'), 'utf8'))
const HOOKED = MOMENTS.slice(0, MOMENTS.indexOf('store'))

function freshUser(t, more = {}) {
  const home = freshFolder(t)
  return freshCommand(t, { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: '', PATH: '/usr/bin:/bin', ...more })
}

test('every agent that init offers has a cell for every moment, and what was measured is about agents and moments', () => {
  assert.deepEqual(
    CAPABILITIES.map(({ agent }) => agent),
    AGENTS,
  )
  for (const { agent, reach } of CAPABILITIES) {
    assert.deepEqual(Object.keys(reach), MOMENTS, agent)
    for (const cell of Object.values(reach)) assert.match(cell, /^(delivered|emitted|documented|none)$/)
  }
  for (const [agent, { version, date, delivered }] of Object.entries(measured)) {
    const found = CAPABILITIES.find((each) => each.agent === agent)
    assert.deepEqual([found.version, found.date], [version, date])
    assert.match(`${version} ${date}`, /^\d+\.\d+\.\d+\S* \d{4}-\d\d-\d\d$/)
    for (const moment of delivered) assert.equal(found.reach[moment], 'delivered', `${agent}: ${moment}`)
  }
})

/** The events of an agent's hooks that serve a moment, by their names in lists. */
const EVENTS = {
  start: /^sessionStart$/i,
  prompt: /^(UserPromptSubmit|userPromptSubmitted|BeforeAgent|PreInvocation)$/,
  file: /^(pre|post)ToolUse$|^AfterTool$/i,
  command: /^(pre|post)ToolUse$|^AfterTool$/i,
  failure: /^postToolUse$|^AfterTool$/i,
  marks: /^(stop|AfterAgent|agentStop|post_cascade_response)$/i,
  end: /^sessionEnd$/i,
}

test('a moment has a channel where the hooks that init writes have its event, and none elsewhere', () => {
  for (const { agent, reach } of CAPABILITIES) {
    const hooks = Object.values(HOSTS[agent].hooks).flat()
    const events = hooks.flatMap((each) => each.events ?? [])
    // The events of modules are in their code, which other tests start.
    if (hooks.some(({ text }) => text !== undefined)) continue
    for (const moment of HOOKED)
      assert.equal(
        reach[moment] !== 'none',
        events.some((event) => EVENTS[moment].test(event)),
        `${agent}: ${moment}`,
      )
  }
})

test('a store is read of the agents whose sessions are read, and of no other', () => {
  const page = readFileSync(join(root, 'docs/backfill.md'), 'utf8')
  const read = [...page.matchAll(/^\| [^|]+ \| `(\w+)` \|/gm)].map(([, name]) => name)
  const nameOf = { copilot: 'vscode', 'copilot-cli': 'copilot' }
  for (const { agent, reach } of CAPABILITIES)
    assert.equal(reach.store !== 'none', read.includes(nameOf[agent] ?? agent), agent)
})

test('the page has a row for every agent, with the words for its cells', () => {
  const words = { '**yes**': 'delivered', emitted: 'emitted', documented: 'documented', '-': 'none' }
  const page = readFileSync(join(root, 'docs/agents.md'), 'utf8')
  for (const { title, version = '-', date = '-', reach } of CAPABILITIES) {
    const row = page.split('\n').find((line) => line.startsWith(`| ${title} | `)) ?? ''
    const [, known, day, ...cells] = row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
    assert.deepEqual([known, day], [version, date], title)
    assert.deepEqual(
      cells.map((cell) => words[cell]),
      Object.values(reach),
      title,
    )
  }
})

test('init says of each chosen agent in one line what is not known to reach it, and of one without channels why', (t) => {
  const user = freshUser(t)
  for (const scope of ['project', 'user']) {
    const { lacks } = json(user, ['init', '--agent', 'all', '--scope', scope, '--dry-run'])
    for (const { agent, reach } of CAPABILITIES) {
      const said = lacks.filter((each) => each.agent === agent).map(({ text }) => text)
      const open = HOOKED.filter((moment) => reach[moment] !== 'delivered')
      const lines = said.filter((text) => /no channel for|not seen to work in/.test(text))
      if (HOOKED.every((moment) => reach[moment] === 'none'))
        assert.deepEqual([lines.length, said.length > 0], [0, true])
      else assert.equal(lines.length, Math.min(open.length, 1), `${agent}: ${said}`)
      for (const moment of open) if (lines.length > 0) assert.match(lines[0], new RegExp(`\\b${moment}\\b`))
    }
  }
  const { stdout } = user.run(['init', '--scope', 'project', '--agent', 'cursor', '--dry-run'])
  assert.match(
    stdout.replace(/\s+/g, ' '),
    /Cursor: has no channel for prompt; not seen to work in the real agent: start, file, command, failure, marks, end\./,
  )
})

test('doctor --agents says what reaches the agents that are set up, and calls no file ok that no agent of today reads', (t) => {
  const user = freshUser(t)
  json(user, [
    'init',
    '--scope',
    'project',
    '--agent',
    'codex',
    '--agent',
    'continue',
    '--agent',
    'zed',
    '--agent',
    'pi',
    '--yes',
  ])
  const { stdout } = user.run(['--json', 'doctor', '--agents'])
  const findings = JSON.parse(stdout)
  const of = (title) =>
    findings.filter(({ subject }) => subject.startsWith(title)).map(({ code, message }) => [code, message])
  assert.deepEqual(of('Codex').at(-1), [
    'AGENT_REACH',
    `seen to work in ${measured.codex.version} (${measured.codex.date}): ${HOOKED.filter((moment) => measured.codex.delivered.includes(moment)).join(', ')}; has no channel for end`,
  ])
  assert.deepEqual(of('Continue'), [['AGENT_UNREAD', 'has the entry, which no release of today is known to read']])
  assert.match(
    findings.find(({ code }) => code === 'AGENT_UNREAD').hint,
    /^forge-memory init --agent continue --scope user writes/,
  )
  assert.deepEqual(of('Zed').at(-1), ['AGENT_REACH', 'takes no notes: MCP and instructions only'])
  assert.match(of('pi').at(-1)[1], /^seen to work in \d[^:]*: start, prompt, failure, marks, end/)
})
