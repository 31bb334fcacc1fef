import type { Verification } from '../../native.js'
import { counted, oneLine } from '../../text/printable.js'

export function repairLines(repaired: NonNullable<Verification['repaired']>): string[] {
  if (repaired.length === 0) return ['There was nothing to repair; the index will be rebuilt.', '']
  const lines = repaired.map(({ name, quarantined, quarantine, added, corrected }) => {
    const parts = [
      quarantined > 0 ? `${counted(quarantined, 'line')} set aside in ${oneLine(quarantine ?? '')}` : '',
      added > 0 ? `${counted(added, 'line')} added` : '',
      corrected > 0 ? `${counted(corrected, 'line')} corrected` : '',
    ]
    return `repaired ${oneLine(name)}: ${parts.filter((part) => part !== '').join(', ')}`
  })
  return [...lines, '']
}
