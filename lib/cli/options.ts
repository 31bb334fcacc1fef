import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RecallOptions } from '../native.js'
import { msOfAge } from '../shared/age.js'
import { type Declared, declarationOf, FACTS, type Field } from '../shared/declared.js'
import { given } from '../shared/given.js'

/** Parses a number. The engine validates its range. */
export function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number')
  return value
}

/** Parses an age such as `30d`, into milliseconds. */
export function age(text: string): number {
  const ms = msOfAge(text)
  if (ms === undefined) throw new InvalidArgumentError('expected an age such as 12h, 30d, 12w or 1y')
  return ms
}

export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

/** Returns what makes options of the fields of an argument of the engine: choices, and texts unless a command has its own, are as declared. */
export function optionsOf<T>(argument: Declared) {
  const { properties } = declarationOf(argument)
  return (name: keyof T & string, flags: string, own?: string): Option => {
    const { description = '', type, anyOf, enum: choices } = properties[name] as Field
    const text = own ?? description.replace(/\.$/, '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
    const isList = type === 'array' || anyOf !== undefined
    const option = new Option(flags, isList ? `${text}; may be repeated` : text)
    if (choices !== undefined) return option.choices(choices)
    if (isList) return option.argParser(collect)
    return type === 'number' || type === 'integer' ? option.argParser(number) : option
  }
}

/** Adds an option for every fact of a record. */
export function addFacts(command: Command): void {
  const fact = optionsOf<Record<string, string>>('Facts')
  for (const name of FACTS)
    command.addOption(fact(name, `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} <text>`))
}

export { given }

type Filters = Omit<RecallOptions, 'projectDir' | 'types' | 'tags' | 'includeExpired'>

export interface FilterFlags extends Filters {
  type?: string[]
  tag?: string[]
  expired?: boolean
  dates?: boolean
}

export const filter = optionsOf<RecallOptions>('RecallOptions')

/** Adds the filter options that `recall` and `list` share. */
export function addFilters(command: Command): Command {
  return command
    .addOption(filter('scope', '--scope <scope>'))
    .addOption(filter('types', '-t, --type <type>'))
    .addOption(filter('tags', '--tag <tag>'))
    .addOption(filter('limit', '-n, --limit <count>'))
    .addOption(filter('since', '--since <when>'))
    .addOption(filter('minConfidence', '--min-confidence <number>'))
    .addOption(filter('includeExpired', '--expired'))
    .addOption(filter('includeProposed', '--include-proposed'))
    .addOption(filter('at', '--at <instant>'))
    .option('--dates', 'show dates in place of ages')
}

export function filtersFrom(flags: FilterFlags): RecallOptions {
  const { scope, limit, since, minConfidence, includeProposed, explain, at } = flags
  const named = { types: flags.type, tags: flags.tag, includeExpired: flags.expired }
  return given({ scope, limit, since, minConfidence, includeProposed, explain, at, ...named })
}
