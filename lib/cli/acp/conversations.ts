// The conversations between an editor and an agent, as a proxy between them sees them: when hooks are asked, and where their notes are put.
import { setTimeout as rest } from 'node:timers/promises'
import { type Fields, fieldsIn, listIn, parsedFields, textIn } from '../fields.js'
import { insertedAt } from './lines.js'
import { learnOf, outcomeOf, type ToolCall, tailOf, terminalsOf, toolOf } from './tool-calls.js'

/** Asks the hook about an event; the note that it has, or nothing. */
type Ask = (event: string, payload: { cwd: string }) => Promise<string | undefined>

/** The time a prompt waits for its notes: hooks take two seconds at most. Notes that come later are put to the next prompt. */
const PATIENCE_MS = 3000
/** How many notes wait for the next prompt: no more than a prompt brings along. */
const WAITING_MAX = 3
/** How many questions about tool calls may wait: an agent that calls hundreds of tools is faster than a hook. */
const QUESTIONS_MAX = 32
const TEXT_MAX = 1024 * 1024
/** Only such texts say something to the memory. */
const MARKED = /\[(?:remember|mem:)/

interface Session {
  id: string
  cwd: string
  /** True when the hook knows of it. */
  isBegun: boolean
  /** True while the agent repeats an earlier conversation. */
  isRepeated: boolean
  /** The message of the agent that is being written, and its id where it has one. */
  said: string
  messageId: unknown
  calls: Map<string, ToolCall>
  /** The command of each terminal that is running. */
  terminals: Map<string, string>
  notes: string[]
  /** Notes about tool calls, and how many are not answered yet. */
  late: string[]
  questions: number
  /** Ends when all questions so far are answered. */
  work: Promise<void>
}

/** Requests without an answer yet, by their ids. */
type Requests = Map<string, { method: string; params: Fields }>

const OPENING = /^session\/(?:new|load|resume|fork)$/
const ENDING = /^session\/(?:close|delete)$/

export class Conversations {
  readonly #ask: Ask
  readonly #sessions = new Map<string, Session>()
  readonly #ofEditor: Requests = new Map()
  readonly #ofAgent: Requests = new Map()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  /** Returns what the agent gets in place of a message of the editor. */
  async toAgent(bytes: Buffer): Promise<Buffer> {
    const { id, method, params, result } = messageIn(bytes)
    if (typeof method !== 'string') {
      const asked = taken(this.#ofAgent, id)
      return asked === undefined ? bytes : this.#answered(asked, fieldsIn(result), bytes)
    }
    const fields = fieldsIn(params)
    const sessionId = textIn(fields.sessionId)
    if (id !== undefined && (OPENING.test(method) || method === 'session/prompt')) {
      this.#ofEditor.set(JSON.stringify(id), { method, params: { sessionId: fields.sessionId, cwd: fields.cwd } })
    }
    if (sessionId === undefined) return bytes
    if (method === 'session/load' || method === 'session/resume') {
      this.#open(sessionId, fields).isRepeated = true
    } else if (ENDING.test(method)) this.#close(sessionId)
    else if (method === 'session/prompt') return this.#prompted(this.#open(sessionId, {}), fields, bytes)
    return bytes
  }

  /** Sees a message of the agent, which the editor gets as it is. */
  toEditor(bytes: Buffer): void {
    const { id, method, params, result } = messageIn(bytes)
    const fields = fieldsIn(params)
    const sessionId = textIn(fields.sessionId)
    if (method === 'session/update' && sessionId !== undefined)
      this.#updated(this.#open(sessionId, {}), fieldsIn(fields.update))
    else if (method === 'terminal/create' || method === 'terminal/output')
      this.#ofAgent.set(JSON.stringify(id), { method, params: fields })
    else if (method === undefined) {
      const asked = taken(this.#ofEditor, id)
      if (asked !== undefined) this.#done(asked.method, { ...asked.params, ...fieldsIn(result) }, result)
    }
  }

  /** Ends all sessions, and waits for what is being stored. */
  async end(): Promise<void> {
    const sessions = [...this.#sessions.values()]
    for (const { id } of sessions) this.#close(id)
    await Promise.all(sessions.map(({ work }) => work))
  }

  #open(id: string, { cwd }: Fields): Session {
    const known = this.#sessions.get(id)
    const folder = textIn(cwd)
    if (known !== undefined) {
      known.cwd = folder ?? known.cwd
      return known
    }
    const session: Session = {
      id,
      cwd: folder ?? process.cwd(),
      isBegun: false,
      isRepeated: false,
      said: '',
      messageId: undefined,
      calls: new Map(),
      terminals: new Map(),
      notes: [],
      late: [],
      questions: 0,
      work: Promise.resolve(),
    }
    this.#sessions.set(id, session)
    return session
  }

  #close(id: string): void {
    const session = this.#sessions.get(id)
    if (session === undefined) return
    this.#heard(session)
    if (session.isBegun) this.#question(session, 'SessionEnd', {}, [])
    session.isBegun = false
  }

  /** Asks the hook, after the questions before, and keeps its note in a list. */
  #question(session: Session, event: string, about: Fields, notes: string[]): void {
    const payload = { session_id: session.id, cwd: session.cwd, ...about }
    session.questions += 1
    session.work = session.work
      // A note that has been told is not told again: where no more are taken, none is asked for.
      .then(() => (event === 'PreToolUse' && notes.length >= WAITING_MAX ? undefined : this.#ask(event, payload)))
      .then((note) => note && notes.length < WAITING_MAX && notes.push(note))
      .catch(() => undefined)
      .then(() => {
        session.questions -= 1
      })
  }

  async #prompted(session: Session, { prompt }: Fields, bytes: Buffer): Promise<Buffer> {
    const blocks = listIn(prompt)
    if (blocks.length === 0) return bytes
    const text = blocks.flatMap(({ type, text }) => (type === 'text' && textIn(text)) || []).join('\n')
    this.#question(session, 'UserPromptSubmit', { prompt: text.slice(0, TEXT_MAX) }, session.notes)
    // After the first prompt, which may switch the memory off. `resume`: what the prompt has brought is not told again.
    if (!session.isBegun) this.#question(session, 'SessionStart', { source: 'resume' }, session.notes)
    session.isBegun = true
    session.isRepeated = false
    // A command of the agent takes all that follows for its arguments.
    if (text.startsWith('/')) return bytes
    const block = (note: string) =>
      `,${JSON.stringify({ type: 'text', text: note, annotations: { audience: ['assistant'] } })}`
    return this.#noted(session, ['params', 'prompt'], block, bytes)
  }

  /** Puts the notes that wait for a session into a message. */
  async #noted(session: Session, path: string[], written: (note: string) => string, bytes: Buffer): Promise<Buffer> {
    const timer = new AbortController()
    await Promise.race([session.work, rest(PATIENCE_MS, undefined, { signal: timer.signal }).catch(() => undefined)])
    timer.abort()
    const notes = [...session.late, ...session.notes]
    const noted = notes.length === 0 ? undefined : insertedAt(path, written(notes.join('\n\n')), bytes)
    if (noted === undefined) return bytes
    session.late.length = 0
    session.notes.length = 0
    return noted
  }

  /** The editor has answered a request of the agent: the output of a command is where a note reaches it before the turn ends. */
  async #answered(
    { method, params }: { method: string; params: Fields },
    result: Fields,
    bytes: Buffer,
  ): Promise<Buffer> {
    const session = this.#sessions.get(textIn(params.sessionId) ?? '')
    const terminalId = textIn(result.terminalId) ?? textIn(params.terminalId)
    if (session === undefined || terminalId === undefined) return bytes
    if (method === 'terminal/create') {
      const args = Array.isArray(params.args) ? params.args : []
      session.terminals.set(terminalId, [params.command, ...args].join(' '))
      return bytes
    }
    const command = session.terminals.get(terminalId)
    const call = [...session.calls.values()].find((each) => terminalsOf(each).includes(terminalId))
    const output = textIn(result.output)
    // What an agent runs for itself is no tool call: it may read the output by program.
    if (command === undefined || call === undefined || output === undefined || !result.exitStatus) return bytes
    session.terminals.delete(terminalId)
    call.isDone = true
    const { exitCode } = fieldsIn(result.exitStatus)
    const ended = { output: tailOf(output), exitCode: Number.isInteger(exitCode) ? exitCode : 1 }
    this.#moments(session, { tool_name: 'Bash', tool_input: { command } }, ended)
    return this.#noted(session, ['result', 'output'], (note) => JSON.stringify(`\n\n${note}`).slice(1, -1), bytes)
  }

  /** The agent has answered a request of the editor. */
  #done(method: string, fields: Fields, result: unknown): void {
    const sessionId = textIn(fields.sessionId)
    if (sessionId === undefined) return
    // A fork has a name of its own, and is told all anew.
    if (OPENING.test(method)) this.#open(sessionId, fields).isRepeated = false
    // In version 2 of the protocol the answer to a prompt is no end of the turn.
    else if (textIn(fieldsIn(result).stopReason) !== undefined || result === undefined)
      this.#turnEnded(this.#open(sessionId, {}))
  }

  #turnEnded(session: Session): void {
    this.#heard(session)
    session.calls.clear()
  }

  /** A message of the agent is complete. */
  #heard(session: Session): void {
    const { said } = session
    session.said = ''
    if (MARKED.test(said)) this.#question(session, 'Stop', { last_assistant_message: said }, session.notes)
  }

  #updated(session: Session, update: Fields): void {
    if (session.isRepeated) return
    const { sessionUpdate, content } = update
    const blocks = Array.isArray(content) ? listIn(content) : [fieldsIn(content)]
    const text = blocks.flatMap((block) => textIn(block.text) ?? []).join('')
    if (sessionUpdate === 'agent_message_chunk') this.#says(session, update, text)
    // Version 2 of the protocol: the whole message, in place of what was said of it so far.
    else if (sessionUpdate === 'agent_message' && Array.isArray(content)) {
      if (update.messageId === session.messageId) session.said = ''
      this.#says(session, update, text)
    } else if (sessionUpdate === 'state_update' && update.state === 'idle') this.#turnEnded(session)
    else if (sessionUpdate === 'tool_call' || sessionUpdate === 'agent_thought_chunk') this.#heard(session)
    if (sessionUpdate === 'tool_call' || sessionUpdate === 'tool_call_update') this.#called(session, update)
  }

  #says(session: Session, { messageId }: Fields, text: string): void {
    if (messageId !== session.messageId) this.#heard(session)
    session.messageId = messageId
    if (session.said.length < TEXT_MAX) session.said += text
  }

  #called(session: Session, update: Fields): void {
    const id = textIn(update.toolCallId)
    if (id === undefined) return
    const call = session.calls.get(id) ?? { known: {}, isDone: false }
    session.calls.set(id, call)
    learnOf(call, update)
    const { status } = call.known
    if (status !== 'completed' && status !== 'failed') return
    session.calls.delete(id)
    const tool = toolOf(call)
    if (tool !== undefined && !call.isDone) this.#moments(session, { ...tool, tool_use_id: id }, outcomeOf(call))
  }

  /** Asks about a tool call that has ended. What it has changed is noted first: a note about the file would be called outdated otherwise. */
  #moments(session: Session, tool: Fields, tool_response: Fields | undefined): void {
    if (session.questions >= QUESTIONS_MAX) return
    if (tool.tool_name === 'Edit') this.#question(session, 'PostToolUse', tool, session.late)
    this.#question(session, 'PreToolUse', tool, session.late)
    if (tool.tool_name !== 'Bash' || tool_response === undefined) return
    const event = tool_response.exitCode === 0 ? 'PostToolUse' : 'PostToolUseFailure'
    this.#question(session, event, { ...tool, tool_response }, session.late)
  }
}

const messageIn = (bytes: Buffer): Fields => parsedFields(bytes.toString('utf8'))

function taken(requests: Requests, id: unknown) {
  const key = JSON.stringify(id)
  const asked = requests.get(key)
  requests.delete(key)
  return asked
}
