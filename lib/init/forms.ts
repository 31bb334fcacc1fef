import { isObject } from '../shared/json.js'
import { argumentsToOurs, type Launch } from './launch.js'

/** The format in which a host stores the command of a server. */
export interface Form {
  /** The key of the program; with `words`, of the program and its arguments in one list. */
  command: 'command' | 'cmd' | 'words'
  /** Keys that an entry must have; they come first. */
  always?: Record<string, unknown>
  /** Keys that only a new entry gets, so that users can change them. */
  fresh?: Record<string, unknown>
}

/** Returns the keys and values of an entry that starts a server. */
export function entryOf({ command, always = {} }: Form, launch: Launch): Record<string, unknown> {
  if (command === 'words') return { ...always, command: [launch.command, ...launch.args] }
  return { ...always, [command]: launch.command, args: launch.args }
}

/** Returns the words of an entry's command, in any format that hosts have used. */
export function wordsIn(entry: unknown): string[] {
  if (!isObject(entry)) return []
  const { transport, command, cmd, args } = entry
  if (isObject(transport)) return wordsIn(transport)
  if (isObject(command)) return wordsIn({ command: command.path, args: command.args })
  const words = Array.isArray(command) ? command : [command ?? cmd, ...(Array.isArray(args) ? args : [])]
  return typeof words[0] === 'string' ? words.map(String) : []
}

/** Returns true if an entry is in an older format that its host still reads. */
export function isNested(entry: unknown): boolean {
  return isObject(entry) && (isObject(entry.transport) || isObject(entry.command))
}

/** Returns true if an entry starts our server. Its name does not prove that, because another tool may use the same one. */
export function startsOurs(entry: unknown): boolean {
  return optionsOf(entry) !== undefined
}

/** Returns the options that users added to our command; undefined when it is not ours. */
export function optionsOf(entry: unknown): string[] | undefined {
  const [program, ...others] = wordsIn(entry)
  if (program === undefined) return undefined
  const [verb, ...options] = argumentsToOurs([program, ...others]) ?? []
  if (verb !== 'mcp') return undefined
  for (let at = 0; at < options.length; at++) {
    const option = options[at] ?? ''
    if (option === '--tools' || option === '--project') at++
    else if (!/^(--structured|--(tools|project)=.*)$/.test(option)) return undefined
    if (at >= options.length) return undefined
  }
  return options
}

/** The variables that an entry of a project may set: they name no place, load no code and lower no guard. */
const HARMLESS = ['FORGE_PLAN']
/** Keys of an entry, in any format of hosts, that decide what is started beside its command: the environment, the folder, an address. */
const STARTING = /^env|^cwd$|directory$|^url$|^httpurl$|^headers$/i

/**
 * Returns the parts that an entry of ours passes on beside the command, in words for people: options that name a project, variables, a folder. In a
 * file of a project it may come from whoever wrote the clone.
 */
export function foreignParts(entry: unknown): string[] {
  if (!isObject(entry)) return []
  const { transport, command } = entry
  const inner = [transport, command].filter(isObject).flatMap(foreignParts)
  const options = optionsOf(entry) ?? []
  const projects = options.filter(
    (option, at) => !withoutProject(options).includes(option) || options[at - 1] === '--project',
  )
  const others = Object.entries(entry).flatMap(([key, value]) => {
    if (!STARTING.test(key)) return []
    if (!isObject(value)) return [`${key}: ${JSON.stringify(value)}`]
    const names = Object.keys(value).filter((name) => !HARMLESS.includes(name))
    return names.map((name) => `${key}.${name}: ${JSON.stringify(value[name])}`)
  })
  return [...inner, ...(projects.length === 0 ? [] : [projects.join(' ')]), ...others]
}

/** Returns the options without those that name a project. */
export function withoutProject(options: string[]): string[] {
  return options.filter(
    (option, at) => option !== '--project' && !option.startsWith('--project=') && options[at - 1] !== '--project',
  )
}
