import type { Hub } from '../hub/hub.js'
import type { Part } from './part.js'

/** Watches files by the rules of `.forge.json`, and keeps the code graph up to date while there is one. One server per project is active. */
export async function startWatching(projectDir: string, hub: Hub): Promise<Part[]> {
  const [{ createWatcher }, { LatticeKeeper }] = [
    await import('../watcher/index.js'),
    await import('../watcher/keeper.js'),
  ]
  const [watcher, keeper] = [await createWatcher({ projectDir, hub }), new LatticeKeeper({ projectDir, hub })]
  return [
    { name: 'watcher', state: () => watcher.state(), close: () => watcher.close() },
    { name: 'lattice', state: () => keeper.state(), close: () => keeper.close() },
  ]
}
