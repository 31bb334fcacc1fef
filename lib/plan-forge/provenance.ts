// Records and where they come from, as the older tool's hallmark tools answer it.
import { showMemory, verifyHallmark } from '../native.js'
import { problem } from '../shared/problem.js'
import { entriesOf, readJson } from './folder.js'
import { type Fields, fieldsIn, textIn } from './soft.js'

const FOLDER = ['.forge', 'hallmarks']

const olderIds = (cwd: string) =>
  entriesOf(cwd, ...FOLDER).flatMap(({ name }) => (name.endsWith('.json') ? [name.slice(0, -5)] : []))

/** Shows a record, or lists those of the older tool. Throws `NOT_FOUND`. */
export function hallmarkShow(cwd: string, id: string | undefined): Fields {
  if (id === undefined) {
    const hallmarks = olderIds(cwd).map((name) => fieldsIn(readJson(cwd, ...FOLDER, `${name}.json`)))
    return { hallmarks, count: hallmarks.length }
  }
  // A name is compared, never opened.
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

/** Tells whether a record and the file that it is about are as they were. Throws `NOT_FOUND`. */
export function hallmarkVerify(cwd: string, id: string): HallmarkCheck {
  if (olderIds(cwd).includes(id)) {
    throw problem(
      'UNSUPPORTED',
      `${id} has no hash to check`,
      'the older tool stores none; records of this package have one',
    )
  }
  const { record } = showMemory(id, { projectDir: cwd })
  const { ok, standing, reason } = verifyHallmark(record, { projectDir: cwd })
  const fields = fieldsIn(JSON.parse(record))
  const writtenAt = textIn(fieldsIn(fields.hallmark).capturedAt) ?? textIn(fields.captured_at) ?? null
  return { ok, id, drift: standing === 'drifted', standing, message: reason ?? `the record is ${standing}`, writtenAt }
}
