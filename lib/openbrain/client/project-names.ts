// The names by which a project is meant, on the side that searches: those of this project, and of the others that a store knows.
import { memoryStatus, projectNames } from '../../native.js'
import { problem } from '../../shared/problem.js'
import type { StoreSettings } from '../settings.js'
import type { ThoughtStore } from '../store.js'

/** How many names an error lists. */
const LISTED = 12

/** Returns the names that records of the wanted project may have. This project may have several, and is also meant by its short name. */
export function namesMeant(project: string, projectDir: string): string[] {
  // Under the short name are records that were stored before it was taken for that of this project.
  return isOfThis(project, projectDir) ? [...new Set([...projectNames({ projectDir }), project])] : [project]
}

function isOfThis(project: string, projectDir: string): boolean {
  return projectNames({ projectDir }).includes(project) || memoryStatus({ projectDir }).shortName === project
}

/**
 * Returns the projects of a store that a name without an answer means by its last part; a name of this project means no other one. Throws
 * `INVALID_INPUT` with the names that the store knows, when it knows no such project. A store that cannot tell its projects is believed.
 */
export async function otherNames(project: string, store: ThoughtStore, projectDir: string): Promise<string[]> {
  if (isOfThis(project, projectDir)) return []
  const names = (await store.projects?.()) ?? []
  const found = names.filter((name) => name === project || name.split('/').at(-1) === project)
  if (names.length === 0 || found.length > 0) return found
  if ((await store.count(project)) > 0) return []
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : ''
  const known = `${names.slice(0, LISTED).join(', ')}${more}`
  throw problem(
    'INVALID_INPUT',
    `project: no thoughts of ${project.slice(0, 64)} are in the shared memory`,
    `it knows ${known}`,
  )
}

/** How the name of a project begins that has neither a remote nor a name in its settings: with the path of its folder it is one of this machine. */
const OWN_NAME = 'local/'

/** The name by which a store of several people knows a project, when only its folder can have it. */
export function ownNameOf({ projectDir, target }: StoreSettings): string | undefined {
  const [name = ''] = projectNames({ projectDir })
  return target.backend === 'postgres' && name.startsWith(OWN_NAME) ? name : undefined
}
