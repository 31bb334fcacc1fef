import {
  buildHallmark as build,
  type Hallmark,
  type HallmarkOptions,
  type HallmarkVerdict,
  type ProjectOptions,
  verifyHallmark as verify,
} from '../native.js'
import { fieldsOf } from '../shared/fields.js'
import { messageOf, Problem } from '../shared/problem.js'

/** A record, as an object or as the line that it stands on. */
export type RecordOrLine = object | string

/** The maximum length of a record's line, in characters. The engine writes no longer line. */
const LINE_LENGTH_MAX = 1 << 25

function lineOf(record: RecordOrLine): string {
  if (typeof record === 'string') return record
  let room = LINE_LENGTH_MAX
  // An oversized object is refused before it is serialized: a string that does not fit into memory would end the process.
  const weigh = (_: string, value: unknown): unknown => {
    room -= typeof value === 'string' || Array.isArray(value) ? value.length + 1 : 1
    if (room < 0) throw new Error(`it is longer than ${LINE_LENGTH_MAX} characters`)
    return value
  }
  try {
    return JSON.stringify(record, weigh)
  } catch (cause) {
    throw new Problem('INVALID_INPUT', `record: ${messageOf(cause)}`, undefined, { cause })
  }
}

/** Makes a hallmark. Throws `INVALID_INPUT` when an option is invalid. */
export function buildHallmark(options: Omit<HallmarkOptions, 'record'> & { record?: RecordOrLine }): Hallmark {
  const { record, ...rest } = fieldsOf('options', options)
  return build(record === undefined ? rest : { ...rest, record: lineOf(record) })
}

/** Verifies a record against its hallmark, and its source file against the hash in it. */
export function verifyHallmark(record: RecordOrLine, options?: ProjectOptions): HallmarkVerdict {
  return verify(lineOf(record), options)
}

/** Both functions under one name. */
export const hallmark = { buildHallmark, verifyHallmark }
