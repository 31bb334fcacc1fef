/**
 * How many candidates a vector index of PostgreSQL examines (`hnsw.ef_search`) before the index of a store was measured: docs/reference/teams.md has
 * the gain from more of them. A search takes about as long with 400 as with 100.
 */
export const EF_SEARCH = 400
/** The limit of pgvector. */
export const EF_SEARCH_MAX = 1000
