// Records and their provenance, in the format of Plan Forge's hallmark tools.
import { showMemory, verifyHallmark } from '../native.js'
import { problem } from '../shared/problem.js'
import { entriesOf, readJson } from './folder.js'
import { type Fields, fieldsIn, textIn } from './soft.js'

const FOLDER = ['.forge', 'hallmarks']

const olderIds = (cwd: string) =>
  entriesOf(cwd, ...FOLDER).flatMap(({ name }) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))

/** Returns a record, or lists the records of Plan Forge when no id is given. Throws `NOT_FOUND`. */
export function hallmarkShow(cwd: string, id: string | undefined): Fields {
  if (id === undefined) {
    const hallmarks = olderIds(cwd).map((name) => fieldsIn(readJson(cwd, ...FOLDER, `${name}.json`)))
    return { hallmarks, count: hallmarks.length }
  }
  // The id is only compared, never used as a path, so it cannot escape the folder.
  const older = olderIds(cwd).find((name) => name === id)
  if (older !== undefined) return fieldsIn(readJson(cwd, ...FOLDER, `${older}.json`))
  return fieldsIn(JSON.parse(showMemory(id, { projectDir: cwd }).record))
}

export interface HallmarkCheck {
  ok: boolean
  id: string
  drift: boolean
  standing: string
  message: string
  writtenAt: string | null
}

/** Verifies that a record and its source file are unchanged. Throws `NOT_FOUND`. */
export function hallmarkVerify(cwd: string, id: string): HallmarkCheck {
  if (olderIds(cwd).includes(id)) {
    throw problem(
      'UNSUPPORTED',
      `${id} has no hash to check`,
      'Plan Forge stores none; records of this package have one',
    )
  }
  const { record } = showMemory(id, { projectDir: cwd })
  const { ok, standing, reason } = verifyHallmark(record, { projectDir: cwd })
  const fields = fieldsIn(JSON.parse(record))
  const writtenAt = textIn(fieldsIn(fields.hallmark).capturedAt) ?? textIn(fields.captured_at) ?? null
  return { ok, id, drift: standing === 'drifted', standing, message: reason ?? `the record is ${standing}`, writtenAt }
}
