// Tool calls as agents report them to an editor, in the form in which hooks read them.

import { type Fields, fieldsIn, listIn, textIn } from '../fields.js'

/** The most of an output that a hook gets: its end says how a command ended. */
const OUTPUT_MAX = 20_000

/** What is known of a tool call. Agents report it in pieces. */
export interface ToolCall {
  known: Fields
  /** True when the end of its command was seen in a terminal of the editor. */
  isDone: boolean
}

/** Adds what an update says to what is known. */
export function learnOf(call: ToolCall, update: Fields): void {
  for (const [name, value] of Object.entries(update)) if (value !== null) call.known[name] = value
}

/** Returns the tool and its arguments, once the agent has named what it changes, reads or runs. */
export function toolOf({ known }: ToolCall): Fields | undefined {
  const input = fieldsIn(known.rawInput)
  // Some agents name a command in the title alone.
  const line = known.rawInput === undefined ? textIn(known.title)?.replace(/^`(.*)`$/s, '$1') : commandIn(input)
  const command = known.kind === 'execute' ? line : undefined
  if (command !== undefined) return { tool_name: 'Bash', tool_input: { command } }
  if (!/^(edit|delete|move|read)$/.test(textIn(known.kind) ?? '')) return undefined
  const diffs = listIn(known.content).filter(({ type }) => type === 'diff')
  const edits = diffs.map(({ path, oldText, newText }) => ({ path, old_str: oldText, new_str: newText }))
  const paths = listIn(known.locations).flatMap(({ path }) => textIn(path) ?? [])
  if (edits.length + paths.length + Object.keys(input).length === 0) return undefined
  return { tool_name: known.kind === 'read' ? 'Read' : 'Edit', tool_input: { ...input, edits, paths } }
}

/** Some agents pass the words of a shell: `["bash", "-lc", "npm test"]`. */
function commandIn({ command }: Fields): string | undefined {
  if (!Array.isArray(command)) return textIn(command) || undefined
  return /^-\w*c$/.test(String(command[1])) ? textIn(command[2]) : command.join(' ') || undefined
}

/** The terminals of the editor that a tool call shows. */
export const terminalsOf = ({ known }: ToolCall): string[] =>
  listIn(known.content).flatMap(({ type, terminalId }) => (type === 'terminal' && textIn(terminalId)) || [])

/**
 * Returns what became of a command for the hook; undefined where that is not known. Agents call one completed that has failed, so only its exit code
 * counts; that a call has failed is no mistake.
 */
export function outcomeOf({ known: { status, rawOutput, content, _meta } }: ToolCall): Fields | undefined {
  const output = fieldsIn(rawOutput)
  const ends = [output, fieldsIn(output.metadata), fieldsIn(fieldsIn(_meta).terminal_exit)]
  const codes = ends.flatMap(({ exitCode, exit_code, exit }) => [exitCode, exit_code, exit])
  const code = codes.find((each) => Number.isInteger(each))
  const exitCode = status === 'failed' ? code || 1 : code
  if (exitCode === undefined) return undefined
  const whole = [rawOutput, output.output, output.stdout, output.stderr, output.error].filter((text) => textIn(text))
  const shown = [...listIn(rawOutput), ...listIn(content).map((each) => fieldsIn(each.content))]
  const texts = whole.length > 0 ? whole : shown.flatMap(({ text }) => textIn(text) ?? [])
  return { output: tailOf(texts.join('\n')), exitCode }
}

export const tailOf = (output: string): string => output.slice(-OUTPUT_MAX)
