import { type Command, InvalidArgumentError, Option } from 'commander'
import type { RecallOptions } from '../native.js'
import { given } from '../shared/given.js'

/** Parses a number. The engine validates its range. */
export function number(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number')
  return value
}

/** Collects the values of a repeatable option. */
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
  includeProposed?: boolean
  explain?: boolean
  at?: string
  dates?: boolean
}

/** Adds the filter options that `recall` and `list` share. */
export function addFilters(command: Command): Command {
  return command
    .addOption(new Option('--scope <scope>', 'where to look (default: all)').choices(['project', 'global', 'all']))
    .option('-t, --type <type>', 'only this type; may be repeated', collect)
    .option('--tag <tag>', 'only with this tag; may be repeated', collect)
    .option('-n, --limit <count>', 'maximum number of results (default: 10)', number)
    .option('--since <when>', 'only newer: an ISO date, or 7d, 2w')
    .option('--min-confidence <number>', 'only with at least this confidence, 0 to 1 (default: 0)', number)
    .option('--expired', 'include expired memories')
    .option('--include-proposed', 'include what waits for a review')
    .option('--at <instant>', 'as of this ISO date (default: now)')
    .option('--dates', 'show dates in place of ages')
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
    includeProposed: flags.includeProposed,
    explain: flags.explain,
    at: flags.at,
  })
}
