import { isAbsolute, relative, resolve } from 'node:path'
import { findProject, type ProjectOptions } from '../native.js'
import { projectRoot } from '../shared/real-path.js'

/**
 * Returns the path of a file to write as the engine takes it: from the folder of the project. Who is in a folder of it names a file there, as for
 * a file to read; elsewhere, the path is one of the project.
 */
export function withinProject(path: string | undefined, project: ProjectOptions): string | undefined {
  if (path === undefined || path === '') return path
  const below = relative(projectRoot(findProject(project)), resolve(path))
  return below.startsWith('..') || isAbsolute(below) ? path : below
}
