import { problem } from './problem.js'

/** Options by which other tools, and other functions here, name a project. */
export const OTHER_PROJECTS = [
  'projectDir',
  'cwd',
  'path',
  'targetPath',
  'project',
  'dir',
  'root',
  'projectRoot',
  'workspace',
]

/** All fields of an options type. The compiler rejects a list with a missing or an additional field. */
export type FieldsOf<Options> = { readonly [Name in keyof Options]-?: true }

/**
 * Refuses unknown options, as the engine does, so that a misspelled one is not ignored. A field with the value
 * undefined counts as absent. Throws `INVALID_INPUT`.
 */
export function onlyKnown<Options extends object>(options: Options, fields: FieldsOf<Options>): void {
  // Arrays and strings have one key per element.
  if (typeof options !== 'object' || options === null || Array.isArray(options) || ArrayBuffer.isView(options))
    throw problem('INVALID_INPUT', 'options: expected an object')
  const names = Object.keys(fields)
  const unknown = Object.entries(options).find(([name, value]) => value !== undefined && !names.includes(name))?.[0]
  if (unknown === undefined) return
  const isProject = OTHER_PROJECTS.includes(unknown) && names.includes('projectDir')
  const known = isProject ? 'projectDir names the folder of the project' : `expected one of ${names.join(', ')}`
  throw problem('INVALID_INPUT', `${unknown.slice(0, 64)}: unknown option; ${known}`)
}
