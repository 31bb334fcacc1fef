// The tables, functions and triggers of a shared memory, as they are. There is one version of them: a client that knows another one is refused.
import { FUNCTIONS } from './functions.js'
import { SCHEMA } from './names.js'

/** The version of the tables that this release reads and writes. */
export const VERSION = 5
/** The one that an owner can migrate. */
const BEFORE = 4

/**
 * `words` is what searches match, and its statistics tell them which words are rare. `planted_for` is set in a row that forgets a thought that was
 * never stored here: the project that asked for it. A model's row says when every thought had a vector for the first time, since when its table has an
 * index, and since when there are pieces of long texts, so that a search looks for them only then.
 */
const THOUGHTS = `create table ${SCHEMA}.thoughts (
    id text primary key,
    content text not null,
    project text not null default '',
    type text not null default '',
    source text not null default '',
    created_by text not null default '',
    captured_at timestamptz,
    expires_at timestamptz,
    supersedes text,
    tags text[] not null default '{}',
    confidence real,
    metadata jsonb not null default '{}',
    stored_at timestamptz not null default clock_timestamp(),
    stored_by text not null default '',
    forgotten_at timestamptz,
    words tsvector generated always as (to_tsvector('english', content || ' ' ||
      regexp_replace(regexp_replace(content, '([[:lower:][:digit:]])([[:upper:]])', '\\1 \\2', 'g'), '[_./\\-]+', ' ', 'g'))) stored,
    tenant text not null default '',
    planted_for text
  );
  alter table ${SCHEMA}.thoughts alter column words set statistics 1000;
  create index thoughts_words on ${SCHEMA}.thoughts using gin (words);
  create index thoughts_project on ${SCHEMA}.thoughts (project, captured_at);
  create index thoughts_supersedes on ${SCHEMA}.thoughts (supersedes) where supersedes is not null;
  create index thoughts_stored on ${SCHEMA}.thoughts (stored_at);
  create index thoughts_of_project on ${SCHEMA}.thoughts (project, id) include (expires_at, forgotten_at, tenant);
  create table ${SCHEMA}.spaces (
    id int generated always as identity primary key,
    model text not null unique,
    dimensions int not null,
    created_at timestamptz not null default now(),
    filled_at timestamptz,
    indexed_at timestamptz,
    ef_search int,
    tuned_rows int,
    pieces_at timestamptz,
    pieces_indexed_at timestamptz,
    parts jsonb not null default '{}'
  );
  create table ${SCHEMA}.embedders (
    client text primary key,
    space int not null references ${SCHEMA}.spaces on delete cascade,
    seen_at timestamptz not null default clock_timestamp()
  );`

/**
 * Who stored, edited, forgot and removed which thought. The same table is the log that clients follow: `xact` and `seq` order it, so that
 * a client sees every change once, in whatever order transactions commit (see `ChangeLog`). Triggers write it, in the transaction of the
 * change, so that changes by hand are in it too.
 */
const AUDIT = `create table ${SCHEMA}.audit (
    seq bigint generated always as identity primary key,
    xact xid8 not null default pg_current_xact_id(),
    at timestamptz not null default clock_timestamp(),
    action text not null,
    thought text not null,
    project text not null default '',
    tenant text not null default '',
    person text not null default '',
    role text not null default session_user,
    client text not null default ''
  );
  create index audit_order on ${SCHEMA}.audit (xact, seq);
  create index audit_thought on ${SCHEMA}.audit (thought);
  create index audit_of_project on ${SCHEMA}.audit (project, xact);`

/**
 * Who may see and write which projects, once row security is on. A role stands for all of its members. Rows belong to a tenant, so that
 * companies or departments in one database do not meet even when their projects have one name.
 */
const ACCESS = `create table ${SCHEMA}.access (
    member name not null,
    tenant text not null default '',
    project text,
    granted_at timestamptz not null default now()
  );
  create unique index access_once on ${SCHEMA}.access (member, tenant, coalesce(project, chr(31)));
  create table ${SCHEMA}.channel_key (key uuid not null default gen_random_uuid());
  insert into ${SCHEMA}.channel_key default values;`

/**
 * The counters of changes, for each project and for those that concern every one: as several rows, of which a transaction takes one that no other holds,
 * so that none waits for another.
 */
const COUNTED_PROJECT = 'project text not null default chr(31)'
const COUNTER_INDEX = `create index counters_of_project on ${SCHEMA}.counters (project);`
const COUNTERS = `create table ${SCHEMA}.counters (
    slot int generated always as identity primary key,
    count bigint not null default 0,
    at timestamptz not null default clock_timestamp(),
    ${COUNTED_PROJECT}
  );
  ${COUNTER_INDEX}
  insert into ${SCHEMA}.counters default values;`

/**
 * Rulings of people and agents on thoughts: which are retired, kept, in conflict, with the other fields of their lines, such as who said it. Rows are only added, in any order, also before
 * their thought; together they say whether it counts, by the rules of the engine. Of two the later one wins, by the clock of who said it, but no later
 * than the clock of the server: a clock that is ahead has not the last word. A forgotten thought takes its rulings with it.
 */
const RULINGS = `create table ${SCHEMA}.rulings (
    id text not null,
    kind text not null check (kind in ('retire', 'keep', 'conflict', 'hold', 'accept', 'reject', 'useful', 'wrong', 'withdraw')),
    other text not null default '',
    why text not null default '',
    said_at timestamptz not null,
    at timestamptz not null default clock_timestamp(),
    project text not null default '',
    tenant text not null default '',
    person text not null default '',
    role text not null default session_user,
    client text not null default '',
    xact xid8 not null default pg_current_xact_id(),
    more jsonb not null default '{}',
    primary key (id, kind, other, said_at, project, tenant)
  );
  create index rulings_of_two on ${SCHEMA}.rulings (other) where kind in ('conflict', 'hold');
  create index rulings_of_project on ${SCHEMA}.rulings (project, xact);`

const TRIGGERS = `alter table ${SCHEMA}.thoughts alter column tenant set default ${SCHEMA}.own_tenant();
  alter table ${SCHEMA}.rulings alter column tenant set default ${SCHEMA}.own_tenant();
  create trigger changed after insert or update or delete or truncate on ${SCHEMA}.spaces
    for each statement execute function ${SCHEMA}.count_change();
  create trigger audited_insert after insert on ${SCHEMA}.thoughts referencing new table as added
    for each statement execute function ${SCHEMA}.audit_insert();
  create trigger audited_update after update on ${SCHEMA}.thoughts referencing old table as before new table as changed
    for each statement execute function ${SCHEMA}.audit_update();
  create trigger audited_delete after delete on ${SCHEMA}.thoughts referencing old table as removed
    for each statement execute function ${SCHEMA}.audit_delete();
  create trigger announced after insert on ${SCHEMA}.audit referencing new table as noted
    for each statement execute function ${SCHEMA}.announce();
  create trigger renamed after insert or update or delete or truncate on ${SCHEMA}.access
    for each statement execute function ${SCHEMA}.rename_channels();
  create trigger stamped before insert on ${SCHEMA}.rulings for each row execute function ${SCHEMA}.stamp_ruling();
  create trigger forgotten_insert after insert on ${SCHEMA}.thoughts referencing new table as changed
    for each statement execute function ${SCHEMA}.forget_rulings();
  create trigger forgotten_update after update on ${SCHEMA}.thoughts referencing new table as changed
    for each statement execute function ${SCHEMA}.forget_rulings();`

/** What version 5 has and version 4 has not. */
const NEW_TRIGGERS = `create trigger planted before insert on ${SCHEMA}.thoughts for each row execute function ${SCHEMA}.stamp_planted();
  create trigger announced after insert on ${SCHEMA}.rulings referencing new table as noted
    for each statement execute function ${SCHEMA}.announce_rulings();
  select ${SCHEMA}.count_changes_of(name) from unnest(array['thoughts', 'rulings']) name;`

/** Where the version is noted. */
export const MIGRATIONS = `create table if not exists ${SCHEMA}.migrations (version int primary key, applied_at timestamptz not null default now())`

const note = `insert into ${SCHEMA}.migrations (version) values (${VERSION})`

/** From nothing. */
export const CREATE = `${THOUGHTS}
  ${AUDIT}
  ${ACCESS}
  ${COUNTERS}
  ${RULINGS}
  ${FUNCTIONS}
  ${TRIGGERS}
  ${NEW_TRIGGERS}
  ${note};`

/** From the version before; what was forgotten before its thought was stored is not told from the rest there. */
export const MIGRATE = `alter table ${SCHEMA}.thoughts add column planted_for text;
  alter table ${SCHEMA}.rulings add column xact xid8 not null default pg_current_xact_id(), add column more jsonb not null default '{}';
  create index rulings_of_project on ${SCHEMA}.rulings (project, xact);
  create index audit_of_project on ${SCHEMA}.audit (project, xact);
  alter table ${SCHEMA}.counters add column ${COUNTED_PROJECT};
  ${COUNTER_INDEX}
  drop function ${SCHEMA}.channels();
  drop function ${SCHEMA}.tune_space(int, int);
  drop function ${SCHEMA}.index_space(int, text);
  drop function ${SCHEMA}.index_pieces(int, text);
  alter table ${SCHEMA}.spaces add column tuned_rows int, add column parts jsonb not null default '{}';
  ${FUNCTIONS}
  ${NEW_TRIGGERS}
  select ${SCHEMA}.count_changes_of(kind || id) from ${SCHEMA}.spaces, unnest(array['vectors_', 'pieces_']) kind;
  delete from ${SCHEMA}.migrations;
  ${note};`

/** The version of the tables; 0 when there are none. One with a part of the steps of version 4 counts as the one before it. */
export const VERSION_OF = `coalesce(case when max(version) = ${BEFORE} and min(version) <> -5 then ${BEFORE - 1} else max(version) end, 0)`

/** Creates the tables or migrates them, as one statement; of any other version, or of tables without one, it says so. */
export const SET_UP = `do $set_up$ declare found int := (select ${VERSION_OF} from ${SCHEMA}.migrations); begin
  if found = 0 and to_regclass('${SCHEMA}.thoughts') is not null then
    raise exception 'the tables are of no version that is noted, and this release creates or migrates those of version ${BEFORE} only'
      using errcode = '0A000';
  elsif found = 0 then execute $step$${CREATE}$step$;
  elsif found = ${BEFORE} then execute $step$${MIGRATE}$step$;
  elsif found <> ${VERSION} then raise exception 'the tables are of version %, and this release migrates version ${BEFORE} only', found
    using errcode = '0A000';
  end if;
end $set_up$;`

/** Why a client of this release may not use tables of a version; undefined when it may. */
export function versionProblem(version: number): string | undefined {
  if (version === VERSION) return undefined
  if (version > VERSION)
    return `its tables are of version ${version}, and this forge-memory uses version ${VERSION}: update forge-memory`
  return `its tables are of version ${version}, and this forge-memory uses version ${VERSION}: their owner runs forge-memory doctor --fix`
}
