import type { Hub } from '../hub/hub.js'
import type { Part } from './serve.js'

/** Watches files by the rules of `.forge.json`. Of several servers one does it at a time. */
export async function startWatcher(projectDir: string, hub: Hub): Promise<Part> {
  const { createWatcher } = await import('../watcher/index.js')
  const watcher = await createWatcher({ projectDir, hub })
  return { name: 'watcher', state: () => watcher.state(), close: () => watcher.close() }
}
