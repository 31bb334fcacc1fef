import type { Tiers } from '../../native.js'

/** A warning for every tier that has not taken a record that is stored. */
export function failures(tiers: Partial<Tiers>): string[] {
  return Object.entries(tiers).flatMap(([tier, { ok, error }]) => {
    if (ok) return []
    return [`${tier}: ${error === undefined ? 'not written' : `${error.message} (${error.code})`}`]
  })
}
