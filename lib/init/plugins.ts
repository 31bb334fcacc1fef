// Hosts whose hooks are JavaScript modules or executables: each file belongs to this package as a whole and starts the same command as the
// hooks of other hosts.
import { sha256 } from '../shared/digest.js'
import type { Edit } from './edits.js'
import { sharedLine } from './launch.js'

/** The beginning of a file by which any release recognises it as ours. */
const MARK = 'forge-memory: this file was written by `forge-memory init`; `forge-memory init --remove` removes it.'

/**
 * A file that belongs to this package as a whole. A foreign file of the same name is left unchanged; so is, on removal, one of ours that was edited.
 */
export function ownFile(path: string, text: string, isExecutable = false): Edit {
  const isOurs = (found: string) => found.slice(0, 200).includes(MARK)
  return {
    path,
    isWhole: true,
    ...(isExecutable ? { isExecutable } : {}),
    put: (before) => (before === '' || isOurs(before) ? text : before),
    foreign: () => undefined,
    drop: (before, { writtenHash } = {}) =>
      isOurs(before) && (before === text || sha256(before) === writtenHash) ? undefined : before,
  }
}

/**
 * The function with which a module asks: one process per call; it returns the answer or nothing, and never throws. `field` is the one of the answer in
 * which this host gets its notes.
 */
const ASKING = (
  host: string,
  words: string[],
  field = 'additionalContext',
  patience = 2000,
) => `import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const isWindows = process.platform === 'win32'
const NATIVE = join(process.env.FORGE_HOME || join(homedir(), '.forge'), 'bin', isWindows ? 'forge-memory-hook.exe' : 'forge-memory-hook')
const PATIENCE_MS = ${patience}

/** Asks forge-memory, and returns the note that it has; nothing when it has none, or anything goes wrong. */
function ask(event, payload, cwd) {
  return new Promise((resolve) => {
    try {
      const [COMMAND, ...ARGUMENTS] = existsSync(NATIVE) ? [NATIVE] : ${JSON.stringify(words)}
      // On Windows npm installs a script, which only the shell can start. A path with spaces would fall apart there.
      const isScript = isWindows && !/[\\\\/]/.test(COMMAND) && COMMAND !== 'node'
      const child = spawn(COMMAND, [...ARGUMENTS, event, '--host=${host}'], { cwd, shell: isScript, windowsHide: true, stdio: ['pipe', 'pipe', 'ignore'] })
      const timer = setTimeout(() => child.kill(), PATIENCE_MS)
      let said = ''
      const end = () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(said).${field})
        } catch {
          resolve(undefined)
        }
      }
      child.stdout.on('data', (chunk) => (said += chunk))
      child.on('error', end).on('close', end)
      child.stdin.on('error', () => undefined)
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve(undefined)
    }
  })
}
`

/**
 * The notes of a session's start and those about a prompt, once a session the first ones. They are asked for after the prompt, which may switch the memory
 * off for its session, and as a session that goes on: what was told about the prompt is not told again.
 */
const NOTING = `
async function noteAbout(begun, call, prompt) {
  const isFirst = !begun.has(call.session_id)
  begun.add(call.session_id)
  const about = await ask('UserPromptSubmit', { ...call, prompt }, call.cwd)
  const start = isFirst ? await ask('SessionStart', { ...call, source: 'resume' }, call.cwd) : undefined
  return [start, about].filter(Boolean).join('\\n\\n')
}
`

/** The receipt of a host that has a place for one: the line of `status --line`, once something was told or stored. Nobody waits for it. */
const RECEIPT = (words: string[]) => `
import { execFile } from 'node:child_process'

function receipt(cwd, show) {
  const [COMMAND, ...ARGUMENTS] = ${JSON.stringify([...words.slice(0, -1), 'status', '--line'])}
  const options = { cwd, shell: isWindows && COMMAND === 'forge-memory', windowsHide: true, timeout: 5000 }
  execFile(COMMAND, ARGUMENTS, options, async (error, said) => {
    try {
      if (!error && said.trim()) await show(said.trim())
    } catch {}
  })
}
`

/**
 * opencode and Kilo, which is made of it: notes are appended to the output of the tool, or to the prompt, that they are about; those of a session's
 * start to its first prompt. Version 1.18 calls `server`, version 2 `setup`, which by its published types is given neither prompts nor outputs.
 */
export function opencodePlugin(words: string[], host = 'opencode'): string {
  return `// ${MARK}
${ASKING(host, words)}${NOTING}${RECEIPT(words)}
const server = async ({ directory: cwd, client }) => {
  const begun = new Set()
  const show = (message) => client.tui.showToast({ body: { title: 'forge-memory', message, variant: 'info' } })
  const tell = () => client?.tui && receipt(cwd, show)
  const end = (session_id) => begun.delete(session_id) && ask('SessionEnd', { session_id, cwd }, cwd)
  return {
  'chat.message': async (input, output) => {
    try {
      const texts = (output.parts ?? []).filter((part) => part?.type === 'text')
      if (texts.length === 0) return
      const prompt = texts.map(({ text }) => text).join('\\n')
      const note = await noteAbout(begun, { session_id: input.sessionID, cwd }, prompt)
      if (!note) return
      texts[0].text = \`\${texts[0].text}\\n\\n\${note}\`
      tell()
    } catch {}
  },
  'experimental.text.complete': async ({ sessionID }, { text }) => {
    try {
      if (!/\\[(?:remember|mem:)/.test(text)) return
      await ask('Stop', { session_id: sessionID, cwd, last_assistant_message: text }, cwd)
      tell()
    } catch {}
  },
  event: async ({ event }) => {
    try {
      if (event?.type === 'session.deleted') await end(event.properties?.info?.id)
    } catch {}
  },
  dispose: async () => {
    try {
      await Promise.all([...begun].map(end))
    } catch {}
  },
  'tool.execute.after': async (input, output) => {
    try {
      const { tool, sessionID, callID, args } = input
      const { exit, exitCode = exit } = output.metadata ?? {}
      const payload = {
        session_id: sessionID,
        cwd,
        tool_name: tool,
        tool_use_id: callID,
        tool_input: args ?? {},
        tool_response: { output: String(output.output ?? '').slice(-20000), ...(typeof exitCode === 'number' ? { exitCode } : {}) },
      }
      const note = await ask('PostToolUse', payload, cwd)
      if (note) output.output = \`\${output.output}\\n\\n\${note}\`
    } catch {}
  },
  }
}
export default { id: 'forge-memory', server, setup: () => undefined }
`
}

/**
 * pi: notes are a message behind the prompt, or are appended to the result of the tool that they are about. After a compaction a session has those of its
 * start again.
 */
export function piPlugin(words: string[]): string {
  return `// ${MARK}
${ASKING('pi', words, 'hookSpecificOutput.additionalContext')}${NOTING}${RECEIPT(words)}
const textOf = (content) => (typeof content === 'string' ? content : content.map((part) => part?.text ?? '').join('\\n'))
const callOf = (ctx) => ({ session_id: ctx.sessionManager.getSessionId(), cwd: ctx.cwd })

const tell = (ctx) => ctx.hasUI && receipt(ctx.cwd, (line) => ctx.ui.setStatus('forge-memory', line))

export default function (pi) {
  const begun = new Set()
  pi.on('before_agent_start', async ({ prompt }, ctx) => {
    try {
      const content = prompt ? await noteAbout(begun, callOf(ctx), prompt) : ''
      if (content === '') return
      tell(ctx)
      return { message: { customType: 'forge-memory', content, display: false } }
    } catch {}
  })
  pi.on('tool_result', async ({ toolName, toolCallId, input, content, structuredContent, isError }, ctx) => {
    try {
      const payload = {
        ...callOf(ctx),
        tool_name: toolName,
        tool_use_id: toolCallId,
        tool_input: input ?? {},
        tool_response: { output: textOf(content).slice(-20000), exitCode: isError ? 1 : 0 },
      }
      const note = await ask('PostToolUse', payload, ctx.cwd)
      return note ? { content: [...content, { type: 'text', text: note }], structuredContent } : undefined
    } catch {}
  })
  pi.on('message_end', async ({ message }, ctx) => {
    try {
      const said = message.role === 'assistant' ? textOf(message.content) : ''
      if (!/\\[(?:remember|mem:)/.test(said)) return
      await ask('Stop', { ...callOf(ctx), last_assistant_message: said }, ctx.cwd)
      tell(ctx)
    } catch {}
  })
  pi.on('session_compact', async (_event, ctx) => {
    try {
      begun.clear()
      await ask('PreCompact', callOf(ctx), ctx.cwd)
    } catch {}
  })
  pi.on('session_shutdown', async ({ reason }, ctx) => {
    try {
      if (reason !== 'reload') await ask('SessionEnd', callOf(ctx), ctx.cwd)
    } catch {}
  })
}
`
}

/** Amp: notes are appended to the prompt, or to the output of the tool, that they are about. */
export function ampPlugin(words: string[]): string {
  return `// ${MARK}
${ASKING('amp', words)}
export default function (amp) {
  const cwd = process.cwd()
  amp.on('agent.start', async (event) => {
    const note = await ask('UserPromptSubmit', { session_id: event.thread?.id, cwd, prompt: String(event.message ?? '') }, cwd)
    return note ? { message: { content: note } } : undefined
  })
  amp.on('tool.result', async (event) => {
    const { tool, input, toolUseID, status, output } = event
    const text = typeof output === 'string' ? output : JSON.stringify(output ?? '')
    const tool_response = { output: text.slice(-20000), ...(status === 'error' ? { exitCode: 1 } : {}) }
    const payload = { session_id: event.thread?.id, cwd, tool_name: tool, tool_use_id: toolUseID, tool_input: input ?? {}, tool_response }
    const note = await ask('PostToolUse', payload, cwd)
    return note && status === 'done' && typeof output === 'string' ? { status, output: \`\${output}\\n\\n\${note}\` } : undefined
  })
}
`
}

/**
 * Cline's object of hooks: the notes of a session's start and those about a prompt are appended to that prompt in each request to the model, because the
 * prompt is not there yet when a run begins; marks are taken from each text of the agent. Each hook has three seconds there. Its executables do the rest.
 */
export function clinePlugin(words: string[]): string {
  return `// ${MARK}
${ASKING('cline', words, 'contextModification', 1200)}${NOTING}
let folder
const begun = new Set()
const notes = new Map()
const textOf = ({ content }) => content.filter((part) => part?.type === 'text').map(({ text }) => text).join('\\n')
/** The person's own words: Cline wraps them, and adds its notices. */
const promptOf = (message) => /<user_input\\b[^>]*>([\\s\\S]*)<\\/user_input>/.exec(textOf(message))?.[1] ?? textOf(message)
const callOf = ({ conversationId, agentId }) => ({ session_id: conversationId ?? agentId, cwd: folder ?? process.cwd() })

export default {
  name: 'forge-memory',
  manifest: { capabilities: ['hooks'] },
  setup: (_api, context) => {
    folder = context?.workspaceInfo?.rootPath
  },
  hooks: {
    beforeModel: async ({ snapshot, request }) => {
      try {
        const asked = request.messages.findLast(({ role, metadata }) => role === 'user' && metadata?.displayRole !== 'system')
        const prompt = asked?.id === undefined ? '' : promptOf(asked)
        if (prompt !== '' && !notes.has(asked.id)) notes.set(asked.id, await noteAbout(begun, callOf(snapshot), prompt))
        const noted = (message) => {
          const text = notes.get(message.id)
          return text ? { ...message, content: [...message.content, { type: 'text', text }] } : message
        }
        return request.messages.some(({ id }) => notes.get(id)) ? { messages: request.messages.map(noted) } : undefined
      } catch {}
    },
    afterModel: async ({ snapshot, assistantMessage }) => {
      try {
        const said = textOf(assistantMessage)
        if (!/\\[(?:remember|mem:)/.test(said)) return
        const call = callOf(snapshot)
        await ask('Stop', { ...call, last_assistant_message: said }, call.cwd)
      } catch {}
    },
  },
}
`
}

/** Cline: one executable per event, which must write only JSON and exit with 0. */
export function clineHook(command: string, event: string): string {
  return `#!/bin/sh
# ${MARK}
${sharedLine(`${command} ${event} --host=cline`)}
`
}
