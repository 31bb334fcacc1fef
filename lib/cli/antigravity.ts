// The hooks of Antigravity, as the documentation in its harness says (google-antigravity 0.1.22): a payload names the transcript in place of what was said,
// and a note is a step that is put into the conversation before the model is called. What there is to say about a tool call waits for the next one.
import { closeSync, fstatSync, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type HookOutcome, runHook } from '../native.js'
import { sha256 } from '../shared/digest.js'
import { forgeHome } from '../shared/home.js'
import { OTHERS_WRITE, readPrivateFile, writePrivateFile } from '../shared/private-file.js'
import { attempt } from '../shared/problem.js'
import { fieldsIn, noteIn, parsedFields } from './fields.js'

/** The name of the host on the command line. */
export const ANTIGRAVITY = 'antigravity'
/** The most that is read of a transcript, at its end. */
const BYTES_MAX = 4 * 1024 * 1024

/** Answers one of its events; with no note when anything is missing or damaged. */
export function answerAntigravity(event: string, input: string): HookOutcome {
  const { conversationId: session_id, workspacePaths, transcriptPath, toolCall, error } = parsedFields(input)
  const cwd = Array.isArray(workspacePaths) ? workspacePaths[0] : undefined
  const { prompt, said } = lastTurn(transcriptPath)
  const ask = (name: string, more: object) =>
    runHook(name, JSON.stringify({ session_id, cwd, ...more }), { host: ANTIGRAVITY })
  if (event === 'Stop') return { ...ask('Stop', { last_assistant_message: said }), answer: '{"decision":"allow"}' }
  const owed = new Owed(session_id)
  if (event === 'PostToolUse') {
    const { answer, ...rest } = ask(event, { ...toolOf(toolCall), ...outcomeOf(error) })
    owed.add(noteIn(answer))
    return { ...rest, answer: '{}' }
  }
  // It is called before each request to the model; what was told about a prompt is not told again.
  const { answer, ...rest } = event === 'SessionStart' ? ask(event, {}) : ask('UserPromptSubmit', { prompt })
  const notes = [owed.take(), noteIn(answer)].filter((note) => note !== undefined)
  const injectSteps = notes.map((note) => ({ systemMessage: { systemMessage: note } }))
  return { ...rest, answer: JSON.stringify({ injectSteps }) }
}

/** A tool call in the form in which hooks read it. */
function toolOf(call: unknown): object {
  const { CommandLine, TargetFile, AbsolutePath } = fieldsIn(fieldsIn(call).args)
  if (typeof CommandLine === 'string') return { tool_name: 'Bash', tool_input: { command: CommandLine } }
  if (typeof TargetFile === 'string') return { tool_name: 'Edit', tool_input: { file_path: TargetFile } }
  if (typeof AbsolutePath === 'string') return { tool_name: 'Read', tool_input: { file_path: AbsolutePath } }
  return {}
}

/** It says how a tool failed, and nothing of one that did not. */
function outcomeOf(error: unknown): object {
  if (typeof error !== 'string') return {}
  return { tool_response: { stderr: error, exit_code: Number(/\d+$/.exec(error)?.[0] ?? 1) } }
}

/** The notes about tool calls that the next call of the model is owed, beside the state of the sessions, which is cleared by its age. */
class Owed {
  readonly #path: string

  constructor(session: unknown) {
    const name = sha256(String(session)).slice(0, 32)
    this.#path = join(forgeHome(), 'sessions', `${name}.owed`)
  }

  add(note: string | undefined): void {
    if (note !== undefined) writePrivateFile(this.#path, [this.#read(), note].filter(Boolean).join('\n'))
  }

  take(): string | undefined {
    const notes = this.#read()
    if (notes !== undefined) rmSync(this.#path, { force: true })
    return notes
  }

  /** What others could have written is not told. */
  #read(): string | undefined {
    return attempt(() => readPrivateFile(this.#path, OTHERS_WRITE) || undefined)
  }
}

/** The last words of the person, and what the agent said after them. */
function lastTurn(path: unknown): { prompt: string; said: string } {
  const lines = typeof path === 'string' ? endOf(path).split('\n').map(parsedFields) : []
  const at = lines.findLastIndex(({ source }) => source === 'USER_EXPLICIT')
  const asked = String(lines[at]?.content ?? '')
  const texts = lines.slice(at + 1).filter(({ source, content }) => source === 'MODEL' && typeof content === 'string')
  return {
    prompt: /<USER_REQUEST>([\s\S]*?)<\/USER_REQUEST>/.exec(asked)?.[1]?.trim() ?? asked,
    said: texts.map(({ content }) => content).join('\n'),
  }
}

function endOf(path: string): string {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const state = fstatSync(file)
    if (!state.isFile()) return ''
    const bytes = Buffer.alloc(Math.min(state.size, BYTES_MAX))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, state.size - bytes.length))
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
