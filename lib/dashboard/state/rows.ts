import type { Hit } from '../connection/shapes.js'

export interface GroupHead {
  group: string
  count: number
}

export type ListRow = Hit | GroupHead

export const isHead = (row: ListRow | undefined): row is GroupHead => row !== undefined && 'group' in row

/** The layout of a grouped list: each group has a row for its heading, followed by those of its records. */
export interface Outline {
  count: number
  /** Returns the heading at a row, or the index of the record there. */
  at: (row: number) => { head: GroupHead } | { record: number }
  /** Returns the number of records before a row. */
  recordsBefore: (row: number) => number
}

export function outlineOf(groups: { key: string; count: number }[]): Outline {
  const starts: number[] = []
  let row = 0
  for (const { count } of groups) {
    starts.push(row)
    row += count + 1
  }
  const groupAt = (wanted: number): number =>
    Math.max(
      0,
      starts.findLastIndex((start) => start <= wanted),
    )
  return {
    count: row,
    at: (wanted) => {
      const index = groupAt(wanted)
      const group = groups[index]
      if (group && starts[index] === wanted) return { head: { group: group.key, count: group.count } }
      return { record: wanted - index - 1 }
    },
    recordsBefore: (wanted) => {
      const index = groupAt(wanted)
      return Math.max(0, wanted - index - (starts[index] === wanted ? 0 : 1))
    },
  }
}
