import type { Tiers } from '../../native.js'

/** Returns a warning for every tier that failed for a record that another tier has stored. */
export function failures(tiers: Partial<Tiers>): string[] {
  return Object.entries(tiers).flatMap(([tier, { ok, error }]) => {
    if (ok) return []
    return [`${tier}: ${error === undefined ? 'not written' : `${error.message} (${error.code})`}`]
  })
}
