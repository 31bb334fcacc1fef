/** The schema of all tables, which avoids collisions with other applications. */
export const SCHEMA = 'forge_memory'
/** The NOTIFY channel: every change of a thought is announced on it. */
export const CHANNEL = 'forge_memory'
/** The key of the advisory lock for migrations. It only has to be unique within the database. */
export const LOCK = 7_306_412_001

/** The roles of people: who owns the tables, who may write, who may only read. None of them can log in. */
export const ROLES = { owner: 'forge_owner', writer: 'forge_writer', reader: 'forge_reader' } as const
