import { findProject } from '../native.js'
import type { HookCall } from './call.js'

/** Returns the project that a call is about. A hook process works in the folder of its call. */
export function projectOf({ project }: HookCall): string {
  return project ?? findProject()
}
