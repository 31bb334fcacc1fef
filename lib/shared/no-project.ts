import { findProject, type ProjectOptions, projectAt } from '../native.js'
import { forgeHome } from './home.js'

/**
 * The project, for functions that also work where there is none: the user's own folder then, in which no project has settings. Throws
 * where another user may have made the project.
 */
export function projectOrNone(options: ProjectOptions): string {
  const isNowhere = options.projectDir === undefined && projectAt().problem?.code === 'NO_PROJECT'
  return isNowhere ? forgeHome() : findProject(options)
}
