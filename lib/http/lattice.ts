import type { Hub } from '../hub/hub.js'
import { broadcastIndexed } from '../lattice/broadcast.js'
import {
  type LatticeIndexOptions,
  latticeBlast,
  latticeCallees,
  latticeCallers,
  latticeIndex,
  latticeQuery,
  latticeStat,
} from '../native.js'
import { given } from '../shared/given.js'
import { onlyFields } from './body.js'
import type { Reply, Route } from './router.js'

/** Returns the routes of the code graph. */
export function latticeRoutes(projectDir: string, hub: Hub): Route[] {
  const numbers = ['limit', 'depth']
  // Options arrive as strings and numbers; the engine validates them.
  const route = (name: string, ask: (options: object) => object): Route => ({
    method: 'GET',
    pattern: `/api/lattice/${name}`,
    handler: ({ query }) => {
      const names = ['query', 'name', 'chunkId', 'kind', 'language', 'filePath', 'direction']
      query.only(...names, ...numbers)
      const texts = Object.fromEntries(names.map((key) => [key, query.text(key)]))
      const counts = Object.fromEntries(numbers.map((key) => [key, query.number(key)]))
      return { body: ask({ ...given({ ...texts, ...counts }), projectDir }) }
    },
  })
  return [
    route('stat', latticeStat),
    route('query', latticeQuery),
    route('callers', latticeCallers),
    route('callees', latticeCallees),
    route('blast', latticeBlast),
    { method: 'POST', pattern: '/api/lattice/index', handler: ({ body }) => answerIndex(body, projectDir, hub) },
  ]
}

/** Updates the index on the thread pool. The engine validates the fields. */
async function answerIndex(body: Record<string, unknown>, projectDir: string, hub: Hub): Promise<Reply> {
  onlyFields(body, ['paths', 'since'])
  const outcome = await latticeIndex({ ...(body as LatticeIndexOptions), projectDir })
  broadcastIndexed(hub, outcome)
  return { body: outcome }
}
