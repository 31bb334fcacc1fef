// The provenance envelope `hallmark/v1`. What is a valid one is for the engine to say.
import { hallmarkProblems } from '../native.js'
import { type Fields, fieldsIn, reasonOf } from './soft.js'

export const HALLMARK_SCHEMA_VERSION = 'hallmark/v1'

export interface Provenance {
  schemaVersion: string
  toolName: string
  capturedAt: string
  sourceFile?: string
  byteRange?: [number, number]
  contentHash?: string
  codeHash?: string
  toolVersion?: string
}

export type ProvenanceVerdict = { ok: true } | { ok: false; errors: string[] }

/** Tells what is wrong with an envelope. Never throws. */
export function validateProvenance(record: unknown): ProvenanceVerdict {
  try {
    const errors = hallmarkProblems(JSON.stringify(record) ?? 'null')
    return errors.length === 0 ? { ok: true } : { ok: false, errors }
  } catch (error) {
    return { ok: false, errors: [reasonOf(error).message] }
  }
}

/** Makes an envelope. Its version and its time are not the caller's to choose. */
export function buildProvenance(options: Omit<Provenance, 'schemaVersion' | 'capturedAt'>): Provenance {
  const given = Object.fromEntries(Object.entries(fieldsIn(options)).filter(([, value]) => value !== undefined))
  const { toolName, schemaVersion: _, capturedAt: __, ...rest } = given
  const fixed = { schemaVersion: HALLMARK_SCHEMA_VERSION, toolName, capturedAt: new Date().toISOString() }
  return { ...fixed, ...rest } as Provenance
}

/** Returns a copy of metadata with an envelope in it. */
export function mergeProvenance(metadata: unknown, provenance: unknown): Fields & { provenance: unknown } {
  return { ...fieldsIn(metadata), provenance }
}
