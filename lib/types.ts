// The types of the engine, for code that runs where the engine does not: the dashboard.
export type * from '../index.js'
