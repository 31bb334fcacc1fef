/** `forge-memory/watcher`: turns changes of files into captures. */
import { findProject } from '../native.js'
import { onlyKnown } from '../shared/known.js'
import { Watcher, type WatcherOptions } from './watcher.js'

export type { FileEvent, WatchRule } from './rules.js'
export { Watcher, type WatcherOptions, type WatcherState } from './watcher.js'

/** Starts watching a project by its rules. Throws `INVALID_INPUT` when a rule in `options` is invalid. */
export async function createWatcher(options: Partial<WatcherOptions> = {}): Promise<Watcher> {
  onlyKnown(options, { projectDir: true, rules: true, hub: true, debounceMs: true })
  const projectDir = findProject(options.projectDir === undefined ? {} : { projectDir: options.projectDir })
  const watcher = new Watcher({ ...options, projectDir })
  await watcher.start()
  return watcher
}
