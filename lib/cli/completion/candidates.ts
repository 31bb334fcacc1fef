import type { ArgumentDescription, CommandDescription, OptionDescription } from '../description.js'
import { type Position, positionAfter } from './position.js'
import { type Candidate, storedValues } from './stored.js'

/** The candidates that a shell offers: words, or files and folders that it knows itself. */
export interface Completion {
  kind: 'words' | 'files' | 'folders'
  candidates: Candidate[]
}

const FILES = new Set(['file', 'path', 'paths', 'base', 'ours', 'theirs'])
const FOLDERS = new Set(['dir', 'folder'])

/** Returns the candidates for the last word, which is empty or has been begun. */
export function complete(words: string[], program: CommandDescription): Completion {
  const isHelp = words.length > 1 && words[0] === 'help'
  const typed = isHelp ? words.slice(1) : words
  const current = typed.at(-1) ?? ''
  const position = positionAfter(typed.slice(0, -1), program)
  const { kind, candidates } = isHelp ? helpAt(position) : at(current, typed, position)
  return { kind, candidates: candidates.filter(({ value }) => value.startsWith(current)) }
}

function at(current: string, words: string[], position: Position): Completion {
  const { option, options, argument, isPastOptions } = position
  const assigned = isPastOptions ? null : /^(--[a-z-]+)=/.exec(current)
  if (assigned !== null) {
    const named = options.find(({ long, value }) => long === assigned[1] && value !== undefined)
    if (named === undefined) return none()
    // The shells complete files after an equals sign themselves, when they can.
    const { kind, candidates } = valuesOf(named, position, current.slice(assigned[0].length))
    return { kind, candidates: candidates.map(({ value, about }) => ({ value: `${assigned[0]}${value}`, about })) }
  }
  if (!isPastOptions && current.startsWith('-')) return listed(optionsLeft(position, words))
  if (option !== undefined) return valuesOf(option, position, current)
  if (position.isCommandDue) return listed(namesOf(position.command))
  return argument === undefined ? none() : valuesOf(argument, position, current)
}

/** After `help` only names of commands come. */
const helpAt = ({ command, isCommandDue }: Position) => listed(isCommandDue ? namesOf(command) : [])

const none = (): Completion => listed([])
const listed = (candidates: Candidate[]): Completion => ({ kind: 'words', candidates })

function namesOf({ path, commands }: CommandDescription): Candidate[] {
  const names = commands.map((each) => ({ value: each.path.at(-1) ?? '', about: each.summary }))
  return path.length > 0 ? names : [...names, { value: 'help', about: 'show help for a command' }]
}

/** Options that were not given yet, and those that may be repeated. */
function optionsLeft({ options }: Position, words: string[]): Candidate[] {
  const given = new Set(words.slice(0, -1).map((word) => word.split('=')[0]))
  return options
    .filter(({ long, short, isRepeatable }) => isRepeatable || !(given.has(long) || given.has(short)))
    .map(({ long, description }) => ({ value: long, about: description }))
}

function valuesOf(what: OptionDescription | ArgumentDescription, position: Position, current: string): Completion {
  if (what.choices !== undefined) return listed(what.choices.map((value) => ({ value, about: '' })))
  const name = ('long' in what ? what.value : what.name) ?? ''
  if (FILES.has(name)) return { kind: 'files', candidates: [] }
  if (FOLDERS.has(name)) return { kind: 'folders', candidates: [] }
  const { command, project } = position
  const group = command.path.join(' ')
  return listed(storedValues({ name, group, current, ...(project === undefined ? {} : { project }) }))
}
