// The provenance envelope `hallmark/v1`. The engine validates it.
import { type Hallmark, hallmarkProblems } from '../native.js'
import { type Fields, fieldsIn, reasonOf } from './soft.js'

export const HALLMARK_SCHEMA_VERSION = 'hallmark/v1'

export type Provenance = Omit<Hallmark, 'byteRange'> & { byteRange?: [number, number] }

export type ProvenanceVerdict = { ok: true } | { ok: false; errors: string[] }

/** Validates an envelope. Never throws. */
export function validateProvenance(record: unknown): ProvenanceVerdict {
  try {
    const errors = hallmarkProblems(JSON.stringify(record) ?? 'null')
    return errors.length === 0 ? { ok: true } : { ok: false, errors }
  } catch (error) {
    return { ok: false, errors: [reasonOf(error).message] }
  }
}

/** Creates an envelope. The caller cannot set its version or its time. */
export function buildProvenance(options: Omit<Provenance, 'schemaVersion' | 'capturedAt'>): Provenance {
  const given = Object.fromEntries(Object.entries(fieldsIn(options)).filter(([, value]) => value !== undefined))
  const { toolName, schemaVersion: _, capturedAt: __, ...rest } = given
  const fixed = { schemaVersion: HALLMARK_SCHEMA_VERSION, toolName, capturedAt: new Date().toISOString() }
  return { ...fixed, ...rest } as Provenance
}

/** Returns a copy of metadata that contains an envelope. */
export function mergeProvenance(metadata: unknown, provenance: unknown): Fields & { provenance: unknown } {
  return { ...fieldsIn(metadata), provenance }
}
