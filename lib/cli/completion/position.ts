// The position of the cursor in a command line: the command typed so far, and the option or argument that comes next.
import type { ArgumentDescription, CommandDescription, OptionDescription } from '../description.js'

export interface Position {
  command: CommandDescription
  /** The options of the command and those that every command has. */
  options: OptionDescription[]
  /** The option whose value comes next. */
  option?: OptionDescription
  /** The argument that comes next. */
  argument?: ArgumentDescription
  /** True if a name of a command may come next. */
  isCommandDue: boolean
  /** True if everything is an argument from here on. */
  isPastOptions: boolean
  /** The project that the line names. */
  project?: string
}

/** Reads the words before the cursor as the parser would, and never fails: an unknown word counts as an argument. */
export function positionAfter(words: string[], program: CommandDescription): Position {
  const at = { command: program, count: 0, isPastOptions: false } as State
  for (const word of words) step(word, at, program)
  const { command, count, pending, isPastOptions, project } = at
  const argument = command.arguments[count] ?? command.arguments.filter(({ isVariadic }) => isVariadic).at(-1)
  return {
    command,
    options: optionsOf(command, program),
    ...(pending === undefined ? {} : { option: pending }),
    ...(argument === undefined ? {} : { argument }),
    isCommandDue: command.commands.length > 0 && count === 0,
    isPastOptions,
    ...(project === undefined ? {} : { project }),
  }
}

interface State {
  command: CommandDescription
  /** How many arguments came after the name of the command. */
  count: number
  pending?: OptionDescription | undefined
  isPastOptions: boolean
  project?: string
}

function step(word: string, state: State, program: CommandDescription): void {
  const { pending, command, isPastOptions } = state
  const isOption = !isPastOptions && word.startsWith('-') && word !== '-'
  if (pending !== undefined && !isOption) {
    if (pending.long === '--project') state.project = word
    // An option with several values takes all words up to the next option.
    if (!/\.\.\.[>\]]/.test(pending.flags)) state.pending = undefined
    return
  }
  if (word === '--' && !isPastOptions) {
    state.isPastOptions = true
    state.pending = undefined
    return
  }
  if (isOption) {
    const [name = '', ...rest] = word.split('=')
    const option = optionsOf(command, program).find(({ long, short }) => long === name || short === name)
    const value = rest.join('=')
    if (option?.long === '--project' && rest.length > 0) state.project = value
    state.pending = option?.value !== undefined && rest.length === 0 ? option : undefined
    return
  }
  const meant = command === program && state.count === 0 ? program.aliases?.[word] : undefined
  if (meant !== undefined) {
    for (const each of meant.split(' ')) step(each, state, program)
    return
  }
  const next = state.count === 0 ? command.commands.find(({ path }) => path.at(-1) === word) : undefined
  if (next !== undefined) state.command = next
  else state.count += 1
}

function optionsOf(command: CommandDescription, program: CommandDescription): OptionDescription[] {
  return command === program ? command.options : [...command.options, ...program.options.filter(isForAll)]
}

const isForAll = ({ long }: OptionDescription) => long === '--json' || long === '--project' || long === '--no-pager'
