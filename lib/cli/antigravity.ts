// The hooks of Antigravity, as the documentation in its harness says (google-antigravity 0.1.22): a payload names the transcript in place of what was said,
// and a note is a step that is put into the conversation before the model is called.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { type HookOutcome, runHook } from '../native.js'
import { noteIn, parsedFields } from './fields.js'

/** The name of the host on the command line. */
export const ANTIGRAVITY = 'antigravity'
/** The most that is read of a transcript, at its end. */
const BYTES_MAX = 4 * 1024 * 1024

/** Answers one of its events; with no note when anything is missing or damaged. */
export function answerAntigravity(event: string, input: string): HookOutcome {
  const { conversationId: session_id, workspacePaths, transcriptPath } = parsedFields(input)
  const cwd = Array.isArray(workspacePaths) ? workspacePaths[0] : undefined
  const { prompt, said } = lastTurn(transcriptPath)
  const ask = (name: string, more: object) =>
    runHook(name, JSON.stringify({ session_id, cwd, ...more }), { host: ANTIGRAVITY })
  if (event === 'Stop') return { ...ask('Stop', { last_assistant_message: said }), answer: '{"decision":"allow"}' }
  // It is called before each request to the model; what was told about a prompt is not told again.
  const { answer, ...rest } = event === 'SessionStart' ? ask(event, {}) : ask('UserPromptSubmit', { prompt })
  const note = noteIn(answer)
  const injectSteps = note === undefined ? [] : [{ systemMessage: { systemMessage: note } }]
  return { ...rest, answer: JSON.stringify({ injectSteps }) }
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
