/** The schema of all tables, which avoids collisions with other applications. */
export const SCHEMA = 'forge_memory'
/** The NOTIFY channel: every change of a thought is announced on it. */
export const CHANNEL = 'forge_memory'
/** The key of the advisory lock for migrations. It only has to be unique within the database. */
export const LOCK = 7_306_412_001

/**
 * The roles of people: who owns the tables, who may write, who may only read. None of them can log in. Roles are of a whole server, so that
 * their names end with that of the database: writers of one have no right in another.
 */
export const ROLES = { owner: 'forge_owner', writer: 'forge_writer', reader: 'forge_reader' } as const

/** The suffix of the names of roles, in SQL: that of the owner of the tables, else `_` and the database, whose name may be no good for it. */
export const SUFFIX = `coalesce((select substr(r.rolname, ${ROLES.owner.length + 1}) from pg_namespace n join pg_roles r on r.oid = n.nspowner
    where n.nspname = '${SCHEMA}' and r.rolname ~ '^${ROLES.owner}_'),
  '_' || case when octet_length(current_database()) > 50 or current_database() ~ 'forge_(owner|writer|reader)' then md5(current_database()) else current_database() end)`
