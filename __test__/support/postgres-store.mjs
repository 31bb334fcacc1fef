import { PostgresStore } from '../../dist/openbrain/postgres/store.js'
import { asking } from './thoughts.mjs'

/** The address of a database of the tests, as a store takes it. */
export const target = (url) => ({ backend: 'postgres', url: new URL(url), password: undefined })

/** Opens a store that is closed when the test ends. */
export function opened(t, url, embedder, options) {
  const store = new PostgresStore(target(url), embedder, 10_000, options)
  t.after(() => store.close())
  return store
}

/** The state of the data of some projects, or of all. */
export async function stateOf(store, projects) {
  return store.searchUnless === undefined ? store.state() : (await store.searchUnless(asking('note'), projects)).state
}
