import { given } from './given.js'

/** Where a record comes from, when that is not simply the project that it is in. */
export interface CameFrom {
  from?: string
  about?: string
  claimedBy?: string
}

/** Says where a record comes from, as `about acme/shop`, `from acme/api`; nothing for one of the project's own. As written: a surface cleans it. */
export function cameFrom({ from, about }: CameFrom): string[] {
  const said = (word: string, name?: string) => (name === undefined ? [] : [`${word} ${ending(name)}`])
  return [...said('about', about), ...said('from', from)]
}

/** The owner and the name of a repository, the name of a folder without one. */
function ending(name: string): string {
  const parts = name.split('/').filter((part) => part !== '')
  return parts.slice(parts[0] === 'local' ? -1 : -2).join('/')
}

/** Says whom an agent or a script named as the author: nothing proves it. */
export function claimOf({ claimedBy }: CameFrom): string[] {
  return claimedBy === undefined ? [] : [`claims to be by ${claimedBy}`]
}

/** Reads where a thought of a store comes from: what its line has beyond the fields of a store. */
export function cameFromIn(metadata: unknown): CameFrom {
  if (typeof metadata !== 'object' || metadata === null) return {}
  const { from, claimed_by: claimedBy } = metadata as Record<string, unknown>
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)
  return given({ from: text(from), claimedBy: text(claimedBy) })
}
