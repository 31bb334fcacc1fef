// The roles of people, as a script that an administrator can read, change and run: `forge_owner` owns the tables and migrates them,
// members of `forge_writer` deliver, members of `forge_reader` search. Each person's own role becomes a member of one of them.
import { LOCK, ROLES, SCHEMA, SUFFIX } from './names.js'
import { MIGRATIONS, SET_UP } from './tables.js'

const { owner, writer, reader } = ROLES
/** Only the owner writes these: the versions of the schema, the grants, the log of changes, the counters of triggers, and the models. */
const OWNED = ['migrations', 'access', 'audit', 'changes', 'counters', 'channel_key', 'spaces', 'embedders']
  .map((name) => `${SCHEMA}.${name}`)
  .join(', ')
/** The columns that a reader needs to follow the log; the names of people are for the owner. */
const FOLLOWED = 'seq, xact, at, action, thought, project, tenant, client'

/** Runs statements with the names of roles that belong to this database. */
const withRoles = (statements: string) => `do $roles$ declare suffix text := ${SUFFIX};
  statements text := $statements$${statements}$statements$;
begin
  execute replace(replace(replace(statements, ${Object.values(ROLES)
    .map((name) => `'${name}', quote_ident('${name}' || suffix))`)
    .join(', ')};
end $roles$;`

/** The rights of the roles. It is run after every migration, as the owner, and may be run again. */
export const GRANTS = withRoles(`grant usage on schema ${SCHEMA} to ${reader}, ${writer};
grant select on all tables in schema ${SCHEMA} to ${reader};
grant insert, update, delete on all tables in schema ${SCHEMA} to ${writer};
revoke insert, update, delete on ${OWNED} from ${writer};
revoke update, delete on ${SCHEMA}.rulings from ${writer};
revoke select on ${SCHEMA}.audit, ${SCHEMA}.access, ${SCHEMA}.counters, ${SCHEMA}.channel_key from ${reader};
grant select (${FOLLOWED}) on ${SCHEMA}.audit to ${reader};
grant execute on function ${SCHEMA}.open_space(text, int, text), ${SCHEMA}.index_part(int, text, text), ${SCHEMA}.drop_space(int, int), ${SCHEMA}.plan_parts(int, text, int, int),
  ${SCHEMA}.use_space(text, int), ${SCHEMA}.fill_space(int), ${SCHEMA}.tune_space(int, int, int), ${SCHEMA}.unplant(jsonb) to ${writer};
grant execute on function ${SCHEMA}.channels(text[]) to ${reader};
alter default privileges in schema ${SCHEMA} grant select on tables to ${reader};
alter default privileges in schema ${SCHEMA} grant insert, update, delete on tables to ${writer};`)

export interface InitOptions {
  /** True if people see and write only the projects that were granted to them. */
  rowSecurity?: boolean
}

/** The statements that set a database up for several people. They may be run again, and on a database that is in use. */
export function initScript({ rowSecurity = false }: InitOptions = {}): string {
  return `-- forge-memory: tables and roles of a shared memory. Run it as a superuser, or as a role that may create roles and
-- owns the database. It may be run again: after an update of forge-memory, it migrates the tables.
begin;
set local lock_timeout = '5s';
set local client_min_messages = warning;
do $lock$ begin perform pg_advisory_xact_lock(${LOCK}); end $lock$;
${CREATE_ROLES}
${EXTENSION}
create schema if not exists ${SCHEMA};
${TAKE_OVER}
${withRoles(`set local role ${owner}`)}
${MIGRATIONS};
${SET_UP}
${GRANTS}
${rowSecurity ? ROW_SECURITY : `${SECURED}\n-- row security: see docs/reference/teams.md; forge-memory store init --row-security turns it on.`}
reset role;
commit;
-- Then, for each person, with the name of this database at the end of the role:
--   create role anna login password '...' in role ${writer}_<database>;
`
}

const CREATE_ROLES = withRoles(`do $create$ begin
${Object.values(ROLES)
  .map((name) => `  if to_regrole('${name}') is null then create role ${name} nologin; end if;`)
  .join('\n')}
end $create$;
grant ${reader} to ${writer};
grant ${writer} to ${owner};
grant ${owner} to current_user`)

/** Search by meaning needs it; without it, search is lexical. */
const EXTENSION = `do $extension$ begin
  create extension if not exists vector;
exception when others then
  raise warning 'pgvector is not available (%): search is lexical until an administrator creates the extension "vector"', sqlerrm;
end $extension$;`

/** A schema that one person's deliveries created becomes the role's. */
const TAKE_OVER = withRoles(`do $owner$ declare thing record; begin
  execute format('grant create on database %I to ${owner}', current_database());
  alter schema ${SCHEMA} owner to ${owner};
  for thing in select c.oid::regclass as name from pg_class c
      where c.relnamespace = '${SCHEMA}'::regnamespace and c.relkind in ('r', 'p', 'v') loop
    execute format('alter table %s owner to ${owner}', thing.name);
  end loop;
  for thing in select p.oid::regprocedure as name from pg_proc p where p.pronamespace = '${SCHEMA}'::regnamespace loop
    execute format('alter function %s owner to ${owner}', thing.name);
  end loop;
end $owner$`)

/** A row is of a granted project when that, or its whole tenant, was granted to a role of the session's user. */
const GRANTED = `tenant = any ((select ${SCHEMA}.whole_tenants())::text[])
    or tenant || chr(31) || project = any ((select ${SCHEMA}.granted_projects())::text[])`
/** Of forgotten thoughts only the id is left, which everyone may see and add, and only the owner may change. */
const VISIBLE = `forgotten_at is not null or ${GRANTED}`
const CHANGEABLE = `forgotten_at is null and (${GRANTED})`
const STORABLE = `${GRANTED} or (forgotten_at is not null and (content, project, type, source, created_by) = ('', '', '', '', '')
    and supersedes is null and tags = '{}' and metadata = '{}' and (coalesce(planted_for, '') = ''
      or tenant = any ((select ${SCHEMA}.whole_tenants())::text[])
      or tenant || chr(31) || planted_for = any ((select ${SCHEMA}.granted_projects())::text[])))`
const MATCHING_FUNCTION = `${SCHEMA}.matching(query tsquery, projects text[], found_max int)`

/**
 * Looks words up in their index. Under row security the server uses an index only for operators that it knows to reveal nothing of hidden
 * rows, and the one of full-text search is none of them: every visible thought would be read. This function is its owner's, for whom
 * there is no row security, and returns thoughts of granted projects only.
 */
const MATCHING = `create or replace function ${MATCHING_FUNCTION} returns setof text language sql stable
  security definer set search_path = pg_catalog, pg_temp as
  $matching$select id from ${SCHEMA}.thoughts where words @@ query and (projects is null or project = any (projects))
    and (${GRANTED}) limit found_max$matching$;
revoke execute on function ${SCHEMA}.matching(tsquery, text[], int) from public;
${withRoles(`grant execute on function ${SCHEMA}.matching(tsquery, text[], int) to ${reader}`)}`

/** At first, everyone sees every project of the one tenant: an administrator replaces that row by narrower ones. */
const ROW_SECURITY = `${withRoles(`insert into ${SCHEMA}.access (member, tenant, project)
  select rolname, '', null from pg_roles where oid = to_regrole('${reader}') and not exists (select 1 from ${SCHEMA}.access)`)}
${MATCHING}
alter table ${SCHEMA}.thoughts enable row level security;
alter table ${SCHEMA}.audit enable row level security;
alter table ${SCHEMA}.rulings enable row level security;
drop policy if exists seen on ${SCHEMA}.rulings;
drop policy if exists said on ${SCHEMA}.rulings;
create policy seen on ${SCHEMA}.rulings for select using (${GRANTED});
create policy said on ${SCHEMA}.rulings for insert with check (${GRANTED});
${['seen', 'stored', 'edited', 'removed'].map((name) => `drop policy if exists ${name} on ${SCHEMA}.thoughts;`).join('\n')}
create policy seen on ${SCHEMA}.thoughts for select using (${VISIBLE});
create policy stored on ${SCHEMA}.thoughts for insert with check (${STORABLE});
create policy edited on ${SCHEMA}.thoughts for update using (${CHANGEABLE}) with check (${STORABLE});
create policy removed on ${SCHEMA}.thoughts for delete using (${CHANGEABLE});
drop policy if exists of_granted_projects on ${SCHEMA}.audit;
create policy of_granted_projects on ${SCHEMA}.audit
  using (${GRANTED});
do $vectors$ begin perform ${SCHEMA}.secure_vectors(id) from ${SCHEMA}.spaces; end $vectors$;`

/** The same where it is on already: its rules are those of this release then. */
export const SECURED = `do $secured$ begin if ${SCHEMA}.is_secured() then execute $rules$${ROW_SECURITY}$rules$; end if; end $secured$;`
