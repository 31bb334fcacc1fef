import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RecallOptions } from '../native.js'
import { given } from '../shared/given.js'

/** Reads a number; whether it is a sensible one is for the engine to say. */
export function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number')
  return value
}

/** For options that may be given several times. */
export function collect(value: string, before: string[] | undefined): string[] {
  return [...(before ?? []), value]
}

export { given }

export interface FilterFlags {
  scope?: 'project' | 'global' | 'all'
  type?: string[]
  tag?: string[]
  limit?: number
  since?: string
  minConfidence?: number
  expired?: boolean
  at?: string
}

/** The filters that `recall` and `list` share. */
export function addFilters(command: Command): Command {
  return command
    .addOption(new Option('--scope <scope>', 'where to look').choices(['project', 'global', 'all']))
    .option('--type <type>', 'only this type; may be repeated', collect)
    .option('--tag <tag>', 'only with this tag; may be repeated', collect)
    .option('--limit <count>', 'maximum number of results', number)
    .option('--since <when>', 'only newer: an ISO date, or 7d, 2w')
    .option('--min-confidence <number>', 'only with at least this confidence, 0 to 1', number)
    .option('--expired', 'include expired memories')
    .option('--at <instant>', 'as of this ISO date')
}

export function filtersFrom(flags: FilterFlags): RecallOptions {
  return given({
    scope: flags.scope,
    types: flags.type,
    tags: flags.tag,
    limit: flags.limit,
    since: flags.since,
    minConfidence: flags.minConfidence,
    includeExpired: flags.expired,
    at: flags.at,
  })
}
