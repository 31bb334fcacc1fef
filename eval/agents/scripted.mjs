// node eval/agents/scripted.mjs PROMPT: a program in the place of an agent, to try the rest of the evaluation. It does what Claude Code does with
// the files of `init` (it runs the hooks, and asks the MCP server), and knows nothing but its prompt and what these tell it.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

const [prompt] = process.argv.slice(2)
const settings = readJson('.claude/settings.json')
const session = { session_id: `scripted-${process.pid}`, cwd: process.cwd() }
let known = ''

hook('SessionStart', { source: 'startup' })
hook('UserPromptSubmit', { prompt })
if (/capture_thought/.test(known)) await store(prompt.split('\n').slice(0, -1))
if (/secnods/.test(prompt)) change('README.md', (text) => text.replace('secnods', 'seconds'))
if (/retries/.test(prompt)) await work()
hook('Stop', {})
hook('SessionEnd', { reason: 'other' })

/** The task, as the repository suggests it, or as notes say. */
async function work() {
  change('src/options.mjs', (text, notes) => {
    const prefix = /prefix (\S+)/.exec(notes)?.[1] ?? ''
    return text.replace('  delay:', `  ${prefix}retries: [0, 9],\n  delay:`)
  })
  change('NEWS.txt', (text, notes) => {
    const sign = /NEWS\.txt that begins with the sign (\S)/.exec(notes)?.[1] ?? '*'
    return `${text}${sign} retries: how often a feed is tried again\n`
  })
  const tool = { tool_name: 'Bash', tool_input: { command: 'node scripts/check.mjs' } }
  hook('PreToolUse', tool)
  const command = /`(\S+=\S+ node scripts\/check\.mjs)`/.exec(known)?.[1] ?? tool.tool_input.command
  said('Bash')
  const output = await run(command)
  hook('PostToolUse', { ...tool, tool_input: { command }, tool_response: { stdout: output, stderr: '' } })
}

function change(path, edit) {
  const tool = { tool_name: 'Edit', tool_input: { file_path: `${process.cwd()}/${path}` } }
  hook('PreToolUse', tool)
  said('Edit')
  writeFileSync(path, edit(readFileSync(path, 'utf8'), known))
  hook('PostToolUse', tool)
}

/** Runs a command until it ends, or says that it waits. */
function run(command) {
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
    if (/waiting/.test(output)) process.kill(-child.pid, 'SIGKILL')
  })
  return new Promise((resolve) => child.once('close', () => resolve(output)))
}

/** Runs the hooks of an event, and reads what they tell. */
function hook(event, payload) {
  const input = JSON.stringify({ ...session, hook_event_name: event, ...payload })
  for (const { matcher = '', hooks } of settings?.hooks?.[event] ?? []) {
    if (!new RegExp(`^(${matcher || '.*'})$`).test(payload.tool_name ?? '')) continue
    for (const { command } of hooks) {
      const { stdout } = spawnSync(command, { shell: true, input, encoding: 'utf8' })
      if (stdout.trim() !== '') known += `\n${JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? ''}`
    }
  }
}

async function store(lines) {
  const client = new Client({ name: 'scripted', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({ ...readJson('.mcp.json').mcpServers['forge-memory'], env: process.env }),
  )
  for (const line of lines) {
    said('capture_thought')
    await client.callTool({ name: 'capture_thought', arguments: { content: line, type: 'convention' } })
  }
  await client.close()
}

function said(name) {
  process.stdout.write(`${JSON.stringify({ type: 'tool_use', name })}\n`)
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined
}
