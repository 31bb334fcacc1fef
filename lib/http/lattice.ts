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
import { onlyFields } from './body.js'
import { given } from './query.js'
import type { Reply, Route } from './router.js'

/** Returns the routes of the code graph. */
export function latticeRoutes(projectDir: string, hub: Hub): Route[] {
  const numbers = ['limit', 'depth']
  // What is asked for comes as texts and numbers; the engine checks them.
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

/** Brings the index up to date, on the thread pool; what is wrong with a field is for the engine to say. */
async function answerIndex(body: Record<string, unknown>, projectDir: string, hub: Hub): Promise<Reply> {
  onlyFields(body, ['paths', 'since'])
  const outcome = await latticeIndex({ ...(body as LatticeIndexOptions), projectDir })
  broadcastIndexed(hub, outcome)
  return { body: outcome }
}
