import type { RecordCounts } from '../native.js'
import { counted } from './printable.js'

/** The number of memories, and how many of them are for all projects. */
export function memoriesText({ memories, global }: RecordCounts): string {
  const shared = global === 0 ? '' : `, ${global} of them for all projects`
  return `${counted(memories, 'memory', 'memories')}${shared}`
}

/** The records that are no memories, by their names, without those that do not occur. */
export function apart({ retired, waiting, lapsed, rejected, expired, forgotten }: RecordCounts): [string, number][] {
  const named: [string, number][] = [
    ['retired', retired],
    ['waiting for review', waiting],
    ['never reviewed', lapsed],
    ['rejected', rejected],
    ['expired', expired],
    ['forgotten', forgotten],
  ]
  return named.filter(([, count]) => count > 0)
}

/** Both in one sentence. */
export function countsText(counts: RecordCounts): string {
  const others = apart(counts).map(([name, count]) => `${count} ${name}`)
  return `${memoriesText(counts)}${others.length === 0 ? '' : `; apart from them ${others.join(', ')}`}`
}
