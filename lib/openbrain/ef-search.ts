/**
 * Before the index of a store was measured: how many candidates a vector index of PostgreSQL examines (`hnsw.ef_search`): docs/reference/teams.md has what more of them find. A search takes about as long
 * with 400 as with 100.
 */
export const EF_SEARCH = 400
/** The limit of pgvector. */
export const EF_SEARCH_MAX = 1000
