import { onlyFields } from '../../http/body.js'
import { get, post, type Route } from '../../http/router.js'
import type { Hub } from '../../hub/hub.js'
import {
  type LatticeIndexOptions,
  latticeBlast,
  latticeCallees,
  latticeCallers,
  latticeIndex,
  latticeQuery,
  latticeStat,
} from '../../native.js'
import type { Declared } from '../../shared/declared.js'
import { broadcastIndexed } from '../../watcher/broadcast.js'

export function latticeRoutes(projectDir: string, hub: Hub): Route[] {
  // The engine validates the options. An index of another program is for programs, which ask for it.
  const route = (name: string, argument: Declared, ask: (options: object) => object): Route =>
    get(`/api/lattice/${name}`, (query) => {
      const options = query.fields(argument, [], (field) => field !== 'foreign')
      return ask({ ...options, projectDir })
    })
  return [
    route('stat', 'LatticeStatOptions', latticeStat),
    route('query', 'LatticeQueryOptions', latticeQuery),
    route('callers', 'LatticeSeed', latticeCallers),
    route('callees', 'LatticeSeed', latticeCallees),
    route('blast', 'LatticeBlastOptions', latticeBlast),
    post('/api/lattice/index', (body) => answerIndex(body, projectDir, hub)),
  ]
}

/** Updates the index on the thread pool. The engine validates the fields. */
async function answerIndex(body: Record<string, unknown>, projectDir: string, hub: Hub): Promise<object> {
  onlyFields(body, ['paths', 'since'])
  const outcome = await latticeIndex({ ...(body as LatticeIndexOptions), projectDir })
  broadcastIndexed(hub, outcome)
  return outcome
}
