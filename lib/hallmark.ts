import * as native from '../index.js'
import type { Hallmark, HallmarkOptions, HallmarkVerdict, ProjectOptions } from '../index.js'

/** A record, as an object or as the line that it stands on. */
export type RecordOrLine = object | string

function lineOf(record: RecordOrLine): string {
  return typeof record === 'string' ? record : JSON.stringify(record)
}

/** Makes a hallmark. Throws `INVALID_INPUT` when a part of it is wrong. */
export function buildHallmark(options: Omit<HallmarkOptions, 'record'> & { record?: RecordOrLine }): Hallmark {
  const { record, ...rest } = options
  return native.buildHallmark(record === undefined ? rest : { ...rest, record: lineOf(record) })
}

/** Holds a record against the hallmark in it, and its source file against what it was. */
export function verifyHallmark(record: RecordOrLine, options?: ProjectOptions): HallmarkVerdict {
  return native.verifyHallmark(lineOf(record), options)
}

/** Both, by the name of what they are about. */
export const hallmark = { buildHallmark, verifyHallmark }
