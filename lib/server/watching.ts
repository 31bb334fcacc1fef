import type { Hub } from '../hub/hub.js'
import type { Part } from './part.js'

/** Watches files by the rules of `.forge.json`. One server per project is active. */
export async function startWatcher(projectDir: string, hub: Hub): Promise<Part> {
  const { createWatcher } = await import('../watcher/index.js')
  const watcher = await createWatcher({ projectDir, hub })
  return { name: 'watcher', state: () => watcher.state(), close: () => watcher.close() }
}

/** Keeps the code graph up to date while there is one. One server per project is active. */
export async function startKeeper(projectDir: string, hub: Hub): Promise<Part> {
  const { LatticeKeeper } = await import('../watcher/keeper.js')
  const keeper = new LatticeKeeper({ projectDir, hub })
  return { name: 'lattice', state: () => keeper.state(), close: () => keeper.close() }
}
