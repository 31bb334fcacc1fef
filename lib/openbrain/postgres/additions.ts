// Additive migrations: they only add parts that clients of earlier releases need not know, so that those go on working beside newer ones
// (expand and contract, of which this is the first half). They are recorded with negative numbers, because earlier releases read the
// maximum and refuse a larger one than theirs.
import { CHANNEL, LOCK, SCHEMA } from './names.js'

/** How a function that runs with the rights of the owner finds names: only in the system's own schema. */
const AS_OWNER = `language plpgsql security definer set search_path = pg_catalog, pg_temp`

/** A notification holds 8,000 bytes; a longer one would fail the transaction. */
const NOTICE_BYTES_MAX = 7900
const IDS_PER_NOTICE = 100

/**
 * Who stored, edited, forgot and removed which thought. The same table is the log that clients follow: `xact` and `seq` order it, so that
 * a client sees every change once, in whatever order transactions commit (see `ChangeLog`). Triggers write it, in the transaction of the
 * change, so that changes by hand and by earlier releases are in it too.
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
  create function ${SCHEMA}.setting(name text) returns text language sql stable set search_path = pg_catalog, pg_temp as
    $$select coalesce(current_setting('${SCHEMA}.' || name, true), '')$$;
  create function ${SCHEMA}.audit_insert() returns trigger ${AS_OWNER} as $$begin
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select case when n.forgotten_at is not null then 'forgotten' when n.supersedes is not null then 'edited' else 'stored' end,
        n.id, n.project, n.tenant, coalesce(nullif(${SCHEMA}.setting('person'), ''), n.created_by),
        coalesce(nullif(n.stored_by, ''), ${SCHEMA}.setting('client'))
      from added n order by n.id;
    perform pg_notify('${CHANNEL}', case when octet_length(notice) < ${NOTICE_BYTES_MAX} then notice else '' end)
      from (select json_build_object('from', coalesce(nullif(stored_by, ''), ${SCHEMA}.setting('client')),
          'ids', json_agg(id))::text as notice
        from (select *, (row_number() over (partition by stored_by order by id) - 1) / ${IDS_PER_NOTICE} as page from added) n
        group by stored_by, page) notices;
    return null;
  end$$;
  create function ${SCHEMA}.audit_update() returns trigger ${AS_OWNER} as $$begin
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select case when n.forgotten_at is not null then 'forgotten' else 'edited' end, n.id, o.project, o.tenant,
        ${SCHEMA}.setting('person'), ${SCHEMA}.setting('client')
      from before o join changed n on n.id = o.id
      where (o.forgotten_at is null and n.forgotten_at is not null)
        or (n.forgotten_at is null and (o.content, o.type, o.project, o.tags) is distinct from (n.content, n.type, n.project, n.tags))
      order by n.id;
    if found then perform pg_notify('${CHANNEL}', json_build_object('from', ${SCHEMA}.setting('client'), 'ids', '[]'::json)::text); end if;
    return null;
  end$$;
  create function ${SCHEMA}.audit_delete() returns trigger ${AS_OWNER} as $$begin
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select 'removed', id, project, tenant, ${SCHEMA}.setting('person'), ${SCHEMA}.setting('client') from removed order by id;
    return null;
  end$$;
  create trigger audited_insert after insert on ${SCHEMA}.thoughts referencing new table as added
    for each statement execute function ${SCHEMA}.audit_insert();
  create trigger audited_update after update on ${SCHEMA}.thoughts referencing old table as before new table as changed
    for each statement execute function ${SCHEMA}.audit_update();
  create trigger audited_delete after delete on ${SCHEMA}.thoughts referencing old table as removed
    for each statement execute function ${SCHEMA}.audit_delete();`

/**
 * Functions that need the rights of the owner, for members of the writers: a table for the vectors of a model, its index, and its removal.
 * The type of vectors is named with the schema of its extension, because these functions search none.
 */
const VECTOR_TABLES = `create function ${SCHEMA}.vector_schema() returns name language sql stable set search_path = pg_catalog, pg_temp as
    $$select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'$$;
  create function ${SCHEMA}.open_space(for_model text, size int, type text) returns int ${AS_OWNER} as $$declare space int; begin
    perform pg_advisory_xact_lock(${LOCK});
    select id into space from ${SCHEMA}.spaces where model = for_model;
    if found then return space; end if;
    if type not in ('vector', 'halfvec') then raise exception 'unknown type of vectors' using errcode = '22023'; end if;
    insert into ${SCHEMA}.spaces (model, dimensions) values (for_model, size) returning id into space;
    execute format('create table ${SCHEMA}.vectors_%s (id text primary key references ${SCHEMA}.thoughts on delete cascade,
      embedding %I.%I(%s) not null, is_indexed boolean not null default true)', space, ${SCHEMA}.vector_schema(), type, size);
    execute format('create index on ${SCHEMA}.vectors_%s (id) where not is_indexed', space);
    execute format('create trigger changed after insert or update or delete or truncate on ${SCHEMA}.vectors_%s
      for each statement execute function ${SCHEMA}.count_change()', space);
    perform ${SCHEMA}.secure_vectors(space);
    return space;
  end$$;
  create function ${SCHEMA}.secure_vectors(space int) returns void ${AS_OWNER} as $$begin
    if not (select relrowsecurity from pg_class where oid = '${SCHEMA}.thoughts'::regclass) then return; end if;
    execute format('alter table ${SCHEMA}.vectors_%s enable row level security', space);
    execute format('create policy of_visible_thoughts on ${SCHEMA}.vectors_%1$s using
      (exists (select 1 from ${SCHEMA}.thoughts t where t.id = vectors_%1$s.id)) with check (true)', space);
  end$$;
  create function ${SCHEMA}.index_space(space int, type text) returns void ${AS_OWNER} as $$begin
    execute format('create index on ${SCHEMA}.vectors_%s using hnsw (embedding %I.%I) where is_indexed', space,
      ${SCHEMA}.vector_schema(), case type when 'halfvec' then 'halfvec_cosine_ops' else 'vector_cosine_ops' end);
    update ${SCHEMA}.spaces set indexed_at = clock_timestamp() where id = space;
  end$$;
  create function ${SCHEMA}.drop_space(space int, unseen_days int) returns boolean ${AS_OWNER} as $$begin
    delete from ${SCHEMA}.spaces s where s.id = space and not exists (select 1 from ${SCHEMA}.embedders e
      where e.space = s.id and e.seen_at > now() - greatest(unseen_days, 7) * interval '1 day');
    if not found then return false; end if;
    execute format('drop table if exists ${SCHEMA}.vectors_%s', space);
    return true;
  end$$;
  revoke execute on function ${SCHEMA}.open_space(text, int, text), ${SCHEMA}.secure_vectors(int),
    ${SCHEMA}.index_space(int, text), ${SCHEMA}.drop_space(int, int) from public;`

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
  create function ${SCHEMA}.granted() returns setof ${SCHEMA}.access language sql stable security definer
    set search_path = pg_catalog, pg_temp as
    $$select a.* from ${SCHEMA}.access a join pg_roles r on r.rolname = a.member where pg_has_role(session_user, r.oid, 'member')$$;
  create function ${SCHEMA}.whole_tenants() returns text[] language sql stable set search_path = pg_catalog, pg_temp as
    $$select coalesce(array_agg(tenant), '{}') from ${SCHEMA}.granted() where project is null$$;
  create function ${SCHEMA}.granted_projects() returns text[] language sql stable set search_path = pg_catalog, pg_temp as
    $$select coalesce(array_agg(tenant || chr(31) || project), '{}') from ${SCHEMA}.granted() where project is not null$$;
  create function ${SCHEMA}.own_tenant() returns text language sql stable set search_path = pg_catalog, pg_temp as
    $$select coalesce((select tenant from ${SCHEMA}.granted() order by (member = session_user) desc, tenant limit 1), '')$$;
  alter table ${SCHEMA}.thoughts alter column tenant set default ${SCHEMA}.own_tenant();`

/**
 * The counter of changes as several rows: a transaction takes one that no other holds, so that none waits for another. Their sum is the
 * state that clients compare. It contains the grants, so that the end of a grant ends the answers that were cached with it.
 */
const COUNTERS = `create table ${SCHEMA}.counters (
    slot int generated always as identity primary key,
    count bigint not null default 0,
    at timestamptz not null default clock_timestamp()
  );
  insert into ${SCHEMA}.counters (count, at) select count, at from ${SCHEMA}.changes;
  drop table ${SCHEMA}.changes;
  create view ${SCHEMA}.changes as select sum(count)::bigint as count, max(at) as at,
    case when row_security_active('${SCHEMA}.thoughts') then (select md5(string_agg(concat_ws(chr(31), tenant, coalesce(project, chr(30))), ','
      order by tenant, project)) from ${SCHEMA}.granted()) end as granted from ${SCHEMA}.counters;
  create or replace function ${SCHEMA}.count_change() returns trigger ${AS_OWNER} as $$begin
    update ${SCHEMA}.counters set count = count + 1, at = clock_timestamp()
      where slot = (select slot from ${SCHEMA}.counters for update skip locked limit 1);
    if not found then insert into ${SCHEMA}.counters (count) values (1); end if;
    return null;
  end$$;`

/**
 * Changes are announced without a word of them: on one channel, or with row security on one for each project and tenant, whose names only
 * those can ask for to whom it was granted. Every change of the grants renames them.
 */
const CHANNELS = `create table ${SCHEMA}.channel_key (key uuid not null default gen_random_uuid());
  insert into ${SCHEMA}.channel_key default values;
  create function ${SCHEMA}.channel_of(tenant text, project text) returns text language sql stable security definer
    set search_path = pg_catalog, pg_temp as
    $$select '${CHANNEL}_' || md5(concat_ws(chr(31), key, coalesce(tenant, chr(30)), coalesce(project, chr(30)))) from ${SCHEMA}.channel_key$$;
  create function ${SCHEMA}.channels() returns setof text ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_secured() then return next '${CHANNEL}'; return; end if;
    return query select ${SCHEMA}.channel_of(tenant, project) from ${SCHEMA}.granted();
    if ${SCHEMA}.is_owner() then return next ${SCHEMA}.channel_of(null, null); end if;
  end$$;
  create function ${SCHEMA}.announce() returns trigger ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_secured() then
      perform pg_notify('${CHANNEL}', '') from noted where action <> 'removed' limit 1;
    else
      perform pg_notify(channel, '') from (select distinct unnest(array[${SCHEMA}.channel_of(tenant, project),
        ${SCHEMA}.channel_of(tenant, null), ${SCHEMA}.channel_of(null, null)]) as channel from
          (select distinct tenant, project from noted where action <> 'removed') changed) channels;
    end if;
    return null;
  end$$;
  create trigger announced after insert on ${SCHEMA}.audit referencing new table as noted
    for each statement execute function ${SCHEMA}.announce();
  create function ${SCHEMA}.rename_channels() returns trigger ${AS_OWNER} as
    $$begin update ${SCHEMA}.channel_key set key = gen_random_uuid(); return null; end$$;
  create trigger renamed after insert or update or delete or truncate on ${SCHEMA}.access
    for each statement execute function ${SCHEMA}.rename_channels();
  revoke execute on function ${SCHEMA}.channel_of(text, text), ${SCHEMA}.channels() from public;`

/** Rights of the owner of the tables alone: over forgotten thoughts, models and their users, and vectors beyond the grants. */
const GUARDS = `create function ${SCHEMA}.is_owner() returns boolean language sql stable set search_path = pg_catalog, pg_temp as
    $$select pg_has_role(session_user, relowner, 'member') from pg_class where oid = '${SCHEMA}.thoughts'::regclass$$;
  create function ${SCHEMA}.is_secured() returns boolean language sql stable set search_path = pg_catalog, pg_temp as
    $$select relrowsecurity from pg_class where oid = '${SCHEMA}.thoughts'::regclass$$;
  create or replace function ${SCHEMA}.audit_insert() returns trigger ${AS_OWNER} as $$begin
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select case when n.forgotten_at is not null then 'forgotten' when n.supersedes is not null then 'edited' else 'stored' end,
        n.id, n.project, n.tenant, coalesce(nullif(${SCHEMA}.setting('person'), ''), n.created_by),
        coalesce(nullif(n.stored_by, ''), ${SCHEMA}.setting('client'))
      from added n order by n.id;
    return null;
  end$$;
  create or replace function ${SCHEMA}.audit_update() returns trigger ${AS_OWNER} as $$begin
    if exists (select 1 from before where forgotten_at is not null) then perform ${SCHEMA}.keep_forgotten(); end if;
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select case when n.forgotten_at is not null then 'forgotten' else 'edited' end, n.id, o.project, o.tenant,
        ${SCHEMA}.setting('person'), ${SCHEMA}.setting('client')
      from before o join changed n on n.id = o.id
      where (o.forgotten_at is null and n.forgotten_at is not null)
        or (n.forgotten_at is null and (o.content, o.type, o.project, o.tags) is distinct from (n.content, n.type, n.project, n.tags))
      order by n.id;
    return null;
  end$$;
  create or replace function ${SCHEMA}.audit_delete() returns trigger ${AS_OWNER} as $$begin
    if exists (select 1 from removed where forgotten_at is not null) then perform ${SCHEMA}.keep_forgotten(); end if;
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select 'removed', id, project, tenant, ${SCHEMA}.setting('person'), ${SCHEMA}.setting('client') from removed order by id;
    return null;
  end$$;
  create function ${SCHEMA}.keep_forgotten() returns void ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_owner() then
      raise exception 'forgotten thoughts stay as they are' using errcode = '42501';
    end if;
  end$$;
  create function ${SCHEMA}.check_vectors() returns trigger ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_owner() and exists (select 1 from planted p join ${SCHEMA}.thoughts t on t.id = p.id
        where t.forgotten_at is null and t.tenant <> all (${SCHEMA}.whole_tenants())
          and t.tenant || chr(31) || t.project <> all (${SCHEMA}.granted_projects())) then
      raise exception 'new row violates row-level security policy for vectors' using errcode = '42501';
    end if;
    return null;
  end$$;
  create or replace function ${SCHEMA}.secure_vectors(space int) returns void ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_secured() then return; end if;
    execute format('alter table ${SCHEMA}.vectors_%s enable row level security;
      drop policy if exists of_visible_thoughts on ${SCHEMA}.vectors_%1$s;
      create policy of_visible_thoughts on ${SCHEMA}.vectors_%1$s using
        (exists (select 1 from ${SCHEMA}.thoughts t where t.id = vectors_%1$s.id)) with check (true);
      drop trigger if exists planted on ${SCHEMA}.vectors_%1$s;
      create trigger planted after insert on ${SCHEMA}.vectors_%1$s referencing new table as planted
        for each statement execute function ${SCHEMA}.check_vectors();
      drop trigger if exists replanted on ${SCHEMA}.vectors_%1$s;
      create trigger replanted after update on ${SCHEMA}.vectors_%1$s referencing new table as planted
        for each statement execute function ${SCHEMA}.check_vectors()', space);
  end$$;
  create function ${SCHEMA}.use_space(user_of_it text, used int) returns void ${AS_OWNER} as $$begin
    insert into ${SCHEMA}.embedders as e (client, space) values (session_user || ' ' || user_of_it, used)
      on conflict (client) do update set space = excluded.space, seen_at = clock_timestamp()
      where e.space <> excluded.space or e.seen_at < clock_timestamp() - interval '1 hour';
  end$$;
  create function ${SCHEMA}.fill_space(filled int) returns void ${AS_OWNER} as
    $$begin update ${SCHEMA}.spaces set filled_at = clock_timestamp() where id = filled and filled_at is null; end$$;
  alter table ${SCHEMA}.spaces add column ef_search int;
  create function ${SCHEMA}.tune_space(tuned int, ef int) returns void ${AS_OWNER} as
    $$begin update ${SCHEMA}.spaces set ef_search = least(greatest(ef, 100), 1000) where id = tuned; end$$;
  revoke execute on function ${SCHEMA}.use_space(text, int), ${SCHEMA}.fill_space(int), ${SCHEMA}.tune_space(int, int), ${SCHEMA}.secure_vectors(int) from public;
  select ${SCHEMA}.secure_vectors(id) from ${SCHEMA}.spaces;`

/** How many thoughts that retired each other one after the other are looked at. */
const CHAIN_MAX = 100

/**
 * Rulings of people and agents on thoughts: which are retired, kept, in conflict. Rows are only added, in any order, also before their
 * thought; together they say whether it counts, by the rules of the engine. Of two the later one wins, by the clock of who said it, but no
 * later than the clock of the server: nobody with a clock that is ahead has the last word. A forgotten thought takes its rulings with it.
 */
const RULINGS = `create table ${SCHEMA}.rulings (
    id text not null,
    kind text not null check (kind in ('retire', 'keep', 'conflict', 'hold', 'accept', 'reject', 'useful', 'wrong', 'withdraw')),
    other text not null default '',
    why text not null default '',
    said_at timestamptz not null,
    at timestamptz not null default clock_timestamp(),
    project text not null default '',
    tenant text not null default ${SCHEMA}.own_tenant(),
    person text not null default '',
    role text not null default session_user,
    client text not null default '',
    primary key (id, kind, other, said_at, project, tenant)
  );
  create index rulings_of_two on ${SCHEMA}.rulings (other) where kind in ('conflict', 'hold');
  create trigger changed after insert or update or delete or truncate on ${SCHEMA}.rulings
    for each statement execute function ${SCHEMA}.count_change();
  create function ${SCHEMA}.stamp_ruling() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as
    $$begin new.at := least(new.said_at, now()); new.role := session_user; return new; end$$;
  create trigger stamped before insert on ${SCHEMA}.rulings for each row execute function ${SCHEMA}.stamp_ruling();
  create function ${SCHEMA}.retired_by(of_id text, of_project text, of_tenant text) returns text language sql stable
    set search_path = pg_catalog, pg_temp as
    $$select r.other from ${SCHEMA}.rulings r where r.id = of_id and r.kind = 'retire' and r.project = of_project and r.tenant = of_tenant
      and not exists (select 1 from ${SCHEMA}.rulings k where k.id = of_id and k.kind = 'keep' and k.project = of_project
        and k.tenant = of_tenant and (k.at, k.said_at) >= (r.at, r.said_at))
      order by r.at desc, r.said_at desc, r.other limit 1$$;
  create function ${SCHEMA}.is_current(of_id text, of_project text, of_tenant text) returns boolean language plpgsql stable
    set search_path = pg_catalog, pg_temp as $$declare
      newer text := of_id;
    begin
    if 'reject' = (select kind from ${SCHEMA}.rulings where id = of_id and kind in ('accept', 'reject') and project = of_project
        and tenant = of_tenant order by at desc, said_at desc, kind desc limit 1) then return false; end if;
    for step in 1..${CHAIN_MAX} loop
      newer := ${SCHEMA}.retired_by(newer, of_project, of_tenant);
      if newer is null then return step = 1; end if;
      -- Thoughts that retired each other in a circle are all current.
      if newer = of_id then return true; end if;
    end loop;
    return false;
  end$$;
  create function ${SCHEMA}.marks_of(of_id text, of_project text, of_tenant text) returns jsonb language sql stable
    set search_path = pg_catalog, pg_temp as
    $$with about as (select kind, other, at, said_at from ${SCHEMA}.rulings where id = of_id and project = of_project and tenant = of_tenant
      union all select kind, id, at, said_at from ${SCHEMA}.rulings where other = of_id and kind in ('conflict', 'hold')
        and project = of_project and tenant = of_tenant)
    select jsonb_build_object(
      'contradictedBy', (select jsonb_agg(distinct c.other) from about c join ${SCHEMA}.thoughts o on o.id = c.other
        where c.kind = 'conflict' and o.forgotten_at is null and o.project = of_project
          and not exists (select 1 from about h where h.kind = 'hold' and h.other = c.other)
          and not exists (select 1 from ${SCHEMA}.thoughts s where s.supersedes = o.id and s.project = o.project)
          and ${SCHEMA}.is_current(o.id, o.project, o.tenant)),
      'useful', (select count(distinct u.other) from about u where u.kind = 'useful' and not exists
        (select 1 from about b where b.kind = 'withdraw' and b.other = u.other and (b.at, b.said_at) >= (u.at, u.said_at))),
      'wrong', (select count(distinct w.other) from about w where w.kind = 'wrong' and not exists
        (select 1 from about a where a.kind = 'accept' and (a.at, a.said_at) >= (w.at, w.said_at))))$$;
  create function ${SCHEMA}.forget_rulings() returns trigger ${AS_OWNER} as $$begin
    delete from ${SCHEMA}.rulings r using changed c where r.id = c.id and c.forgotten_at is not null;
    return null;
  end$$;
  create trigger forgotten_insert after insert on ${SCHEMA}.thoughts referencing new table as changed
    for each statement execute function ${SCHEMA}.forget_rulings();
  create trigger forgotten_update after update on ${SCHEMA}.thoughts referencing new table as changed
    for each statement execute function ${SCHEMA}.forget_rulings();`

/** Above so many thoughts, an owner makes an index beside the writers, which would wait for it: docs/reference/teams.md says how. */
const INDEXED_AT_ONCE = 5_000_000

/** Which thoughts a project has, without reading them: a search by meaning compares their vectors. */
const OF_PROJECTS = `do $$begin
    if (select reltuples from pg_class where oid = '${SCHEMA}.thoughts'::regclass) < ${INDEXED_AT_ONCE} then
      create index if not exists thoughts_of_project on ${SCHEMA}.thoughts (project, id) include (expires_at, forgotten_at, tenant);
    end if;
  end$$;`

/**
 * Vectors of the pieces of long texts behind the first one, in a table beside that of each model's vectors. Earlier releases know no other vector than
 * that of the text, and write it; its removal takes the pieces with it. Piece 0 has no vector: it says that the text has one piece only. The row of the
 * model says since when there are pieces, so that a search looks for them only then.
 */
const PIECES = `alter table ${SCHEMA}.spaces add column pieces_at timestamptz, add column pieces_indexed_at timestamptz;
  create function ${SCHEMA}.count_pieces() returns trigger ${AS_OWNER} as $$begin
    if not exists (select 1 from added where embedding is not null) then return null; end if;
    update ${SCHEMA}.spaces set pieces_at = clock_timestamp() where id = tg_argv[0]::int and pieces_at is null;
    update ${SCHEMA}.counters set count = count + 1, at = clock_timestamp()
      where slot = (select slot from ${SCHEMA}.counters for update skip locked limit 1);
    if not found then insert into ${SCHEMA}.counters (count) values (1); end if;
    return null;
  end$$;
  create function ${SCHEMA}.open_pieces(space int, size int, type text) returns void ${AS_OWNER} as $$begin
    execute format('create table ${SCHEMA}.pieces_%1$s (id text not null references ${SCHEMA}.vectors_%1$s on delete cascade, piece int not null,
        embedding %2$I.%3$I(%4$s), is_indexed boolean not null default true, primary key (id, piece));
      create index on ${SCHEMA}.pieces_%1$s (id) where not is_indexed;
      create index on ${SCHEMA}.pieces_%1$s (id) where embedding is not null;
      create trigger counted after insert on ${SCHEMA}.pieces_%1$s referencing new table as added
        for each statement execute function ${SCHEMA}.count_pieces(%1$s);
      create trigger changed after update or delete or truncate on ${SCHEMA}.pieces_%1$s
        for each statement execute function ${SCHEMA}.count_change()', space, ${SCHEMA}.vector_schema(), type, size);
  end$$;
  create function ${SCHEMA}.index_pieces(space int, type text) returns void ${AS_OWNER} as $$begin
    execute format('create index on ${SCHEMA}.pieces_%s using hnsw (embedding %I.%I) where is_indexed', space,
      ${SCHEMA}.vector_schema(), case type when 'halfvec' then 'halfvec_cosine_ops' else 'vector_cosine_ops' end);
    update ${SCHEMA}.spaces set pieces_indexed_at = clock_timestamp() where id = space;
  end$$;
  create or replace function ${SCHEMA}.secure_vectors(space int) returns void ${AS_OWNER} as $$declare kind text; begin
    if not ${SCHEMA}.is_secured() then return; end if;
    foreach kind in array array['vectors', 'pieces'] loop
      execute format('alter table ${SCHEMA}.%2$s_%1$s enable row level security;
        drop policy if exists of_visible_thoughts on ${SCHEMA}.%2$s_%1$s;
        create policy of_visible_thoughts on ${SCHEMA}.%2$s_%1$s using
          (exists (select 1 from ${SCHEMA}.thoughts t where t.id = %2$s_%1$s.id)) with check (true);
        drop trigger if exists planted on ${SCHEMA}.%2$s_%1$s;
        create trigger planted after insert on ${SCHEMA}.%2$s_%1$s referencing new table as planted
          for each statement execute function ${SCHEMA}.check_vectors();
        drop trigger if exists replanted on ${SCHEMA}.%2$s_%1$s;
        create trigger replanted after update on ${SCHEMA}.%2$s_%1$s referencing new table as planted
          for each statement execute function ${SCHEMA}.check_vectors()', space, kind);
    end loop;
  end$$;
  create or replace function ${SCHEMA}.open_space(for_model text, size int, type text) returns int ${AS_OWNER} as $$declare space int; begin
    perform pg_advisory_xact_lock(${LOCK});
    select id into space from ${SCHEMA}.spaces where model = for_model;
    if found then return space; end if;
    if type not in ('vector', 'halfvec') then raise exception 'unknown type of vectors' using errcode = '22023'; end if;
    insert into ${SCHEMA}.spaces (model, dimensions) values (for_model, size) returning id into space;
    execute format('create table ${SCHEMA}.vectors_%s (id text primary key references ${SCHEMA}.thoughts on delete cascade,
      embedding %I.%I(%s) not null, is_indexed boolean not null default true)', space, ${SCHEMA}.vector_schema(), type, size);
    execute format('create index on ${SCHEMA}.vectors_%s (id) where not is_indexed', space);
    execute format('create trigger changed after insert or update or delete or truncate on ${SCHEMA}.vectors_%s
      for each statement execute function ${SCHEMA}.count_change()', space);
    perform ${SCHEMA}.open_pieces(space, size, type);
    perform ${SCHEMA}.secure_vectors(space);
    return space;
  end$$;
  create or replace function ${SCHEMA}.drop_space(space int, unseen_days int) returns boolean ${AS_OWNER} as $$begin
    delete from ${SCHEMA}.spaces s where s.id = space and not exists (select 1 from ${SCHEMA}.embedders e
      where e.space = s.id and e.seen_at > now() - greatest(unseen_days, 7) * interval '1 day');
    if not found then return false; end if;
    execute format('drop table if exists ${SCHEMA}.pieces_%1$s, ${SCHEMA}.vectors_%1$s', space);
    return true;
  end$$;
  revoke execute on function ${SCHEMA}.open_pieces(int, int, text), ${SCHEMA}.index_pieces(int, text) from public;
  do $$declare space record; begin
    for space in select s.id, format_type(a.atttypid, null) as type, s.dimensions from ${SCHEMA}.spaces s
        join pg_attribute a on a.attrelid = format('${SCHEMA}.vectors_%s', s.id)::regclass and a.attname = 'embedding' loop
      perform ${SCHEMA}.open_pieces(space.id, space.dimensions, case when space.type like '%halfvec' then 'halfvec' else 'vector' end);
      perform ${SCHEMA}.secure_vectors(space.id);
    end loop;
  end$$;`

/** The additive migrations in order. A released one is never changed. */
export const ADDITIONS: string[] = [
  `alter table ${SCHEMA}.thoughts add column tenant text not null default '';
  ${AUDIT}
  ${ACCESS}
  ${VECTOR_TABLES}`,
  `${GUARDS}
  ${COUNTERS}
  ${CHANNELS}`,
  RULINGS,
  OF_PROJECTS,
  PIECES,
]

/** From which additive steps on there are rulings, and pieces of long texts. */
export const WITH_RULINGS = 3
export const WITH_PIECES = 5
