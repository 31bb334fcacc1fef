// The functions and views of a shared memory, each written so that it replaces the one that is there.
import { CHANNEL, LOCK, SCHEMA } from './names.js'

/** How a function that runs with the rights of the owner finds names: only in the system's own schema. */
const PATH = 'set search_path = pg_catalog, pg_temp'
const AS_OWNER = `language plpgsql security definer ${PATH}`
/** The same for one statement that only reads: by itself, with the rights of who asks. */
const READS = `language sql stable ${PATH}`
const READS_AS_OWNER = `language sql stable security definer ${PATH}`
/** How many models may have vectors at a time: one writer cannot fill the disk with tables. */
const SPACES_MAX = 16
/** How many parts the index of a table may have: one writer cannot make searches slow. */
const PARTS_MAX = 100
/** How many thoughts that retired each other one after the other are looked at. */
const CHAIN_MAX = 100
/** How many sessions count for each verdict on a thought, as in the engine. */
const VERDICTS_MAX = 8

const create = (signature: string) => `create or replace function ${SCHEMA}.${signature}`

/** Who the session is, and what was granted to it. */
const GRANTED = `${create('setting(name text)')} returns text ${READS} as
    $$select coalesce(current_setting('${SCHEMA}.' || name, true), '')$$;
  ${create('granted()')} returns setof ${SCHEMA}.access ${READS_AS_OWNER} as
    $$select a.* from ${SCHEMA}.access a join pg_roles r on r.rolname = a.member where pg_has_role(session_user, r.oid, 'member')$$;
  ${create('whole_tenants()')} returns text[] ${READS} as
    $$select coalesce(array_agg(tenant), '{}') from ${SCHEMA}.granted() where project is null$$;
  ${create('granted_projects()')} returns text[] ${READS} as
    $$select coalesce(array_agg(tenant || chr(31) || project), '{}') from ${SCHEMA}.granted() where project is not null$$;
  ${create('own_tenant()')} returns text ${READS} as
    $$select coalesce((select tenant from ${SCHEMA}.granted() order by (member = session_user) desc, tenant limit 1), '')$$;
  ${create('is_owner()')} returns boolean ${READS} as
    $$select pg_has_role(session_user, relowner, 'member') from pg_class where oid = '${SCHEMA}.thoughts'::regclass$$;
  ${create('is_secured()')} returns boolean ${READS} as
    $$select relrowsecurity from pg_class where oid = '${SCHEMA}.thoughts'::regclass$$;`

/** The project of the changes that concern every project: no name has such a character. */
const EVERY = 'chr(31)'

/**
 * The counts of changes, of which clients compare those of their projects: a change ends the answers that are kept of its project. The grants are
 * compared with them, so that the end of a grant ends the answers that were kept with it. A table whose changes count has the projects of its rows, or
 * vectors of thoughts; what is changed by hand, counts as well.
 */
const CHANGES = `create or replace view ${SCHEMA}.changes as select sum(count)::bigint as count, max(at) as at,
    case when row_security_active('${SCHEMA}.thoughts') then (select md5(string_agg(concat_ws(chr(31), tenant, coalesce(project, chr(30))), ','
      order by tenant, project)) from ${SCHEMA}.granted()) end as granted from ${SCHEMA}.counters;
  ${create('count_of(projects text[])')} returns text ${READS_AS_OWNER} as
    $$select concat_ws(' ', sum(count), max(at)) from ${SCHEMA}.counters c where project = any (projects || ${EVERY})
      and (project = ${EVERY} or not ${SCHEMA}.is_secured() or ${SCHEMA}.is_owner()
        or exists (select 1 from ${SCHEMA}.granted() g where coalesce(g.project, c.project) = c.project))$$;
  ${create('count_change()')} returns trigger ${AS_OWNER} as $$declare names text[] := array[${EVERY}]; name text; begin
    if tg_op <> 'TRUNCATE' and tg_table_name = 'thoughts' then names := array(select distinct coalesce(planted_for, project) from changed);
    elsif tg_op <> 'TRUNCATE' and tg_table_name = 'rulings' then names := array(select distinct project from changed);
    elsif tg_op <> 'TRUNCATE' and tg_table_name <> 'spaces' then names := array(select distinct t.project from changed c
      join ${SCHEMA}.thoughts t on t.id = c.id where c.embedding is not null);
    end if;
    if tg_op = 'UPDATE' and tg_table_name in ('thoughts', 'rulings') then names := names || array(select distinct project from before); end if;
    for name in select distinct unnest(names) loop
      update ${SCHEMA}.counters set count = count + 1, at = clock_timestamp()
        where slot = (select slot from ${SCHEMA}.counters where project = name for update skip locked limit 1);
      if not found then insert into ${SCHEMA}.counters (project, count) values (name, 1); end if;
    end loop;
    return null;
  end$$;
  ${create('count_changes_of(name text)')} returns void ${AS_OWNER} as $$begin
    execute format('drop trigger if exists changed on ${SCHEMA}.%1$I;
      create trigger changed after truncate on ${SCHEMA}.%1$I for each statement execute function ${SCHEMA}.count_change();
      create trigger changed_insert after insert on ${SCHEMA}.%1$I referencing new table as changed
        for each statement execute function ${SCHEMA}.count_change();
      create trigger changed_update after update on ${SCHEMA}.%1$I referencing old table as before new table as changed
        for each statement execute function ${SCHEMA}.count_change();
      create trigger changed_delete after delete on ${SCHEMA}.%1$I referencing old table as changed
        for each statement execute function ${SCHEMA}.count_change()', name);
  end$$;
  revoke execute on function ${SCHEMA}.count_changes_of(text) from public;`

/**
 * The audit of thoughts. What forgets a thought that was never stored here is noted with the project that asked for it, and ends when the thought
 * of another one arrives (\`unplant\`): an id alone gives no right over whose it is.
 */
const AUDIT = `${create('audit_insert()')} returns trigger ${AS_OWNER} as $$begin
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select case when n.forgotten_at is not null then 'forgotten' when n.supersedes is not null then 'edited' else 'stored' end,
        n.id, coalesce(n.planted_for, n.project), n.tenant, coalesce(nullif(${SCHEMA}.setting('person'), ''), n.created_by),
        coalesce(nullif(n.stored_by, ''), ${SCHEMA}.setting('client'))
      from added n order by n.id;
    return null;
  end$$;
  ${create('audit_update()')} returns trigger ${AS_OWNER} as $$begin
    if exists (select 1 from before where forgotten_at is not null) then perform ${SCHEMA}.keep_forgotten(); end if;
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select case when n.forgotten_at is not null then 'forgotten' when (o.content, o.type, o.project, o.tags) is distinct from
          (n.content, n.type, n.project, n.tags) then 'edited' else 'prolonged' end, n.id, o.project, o.tenant,
        ${SCHEMA}.setting('person'), ${SCHEMA}.setting('client')
      from before o join changed n on n.id = o.id
      where (o.forgotten_at is null and n.forgotten_at is not null) or (n.forgotten_at is null and
        (o.content, o.type, o.project, o.tags, o.expires_at) is distinct from (n.content, n.type, n.project, n.tags, n.expires_at))
      order by n.id;
    return null;
  end$$;
  ${create('audit_delete()')} returns trigger ${AS_OWNER} as $$begin
    if exists (select 1 from removed where forgotten_at is not null and planted_for is null) then perform ${SCHEMA}.keep_forgotten(); end if;
    insert into ${SCHEMA}.audit (action, thought, project, tenant, person, client)
      select 'removed', id, project, tenant, ${SCHEMA}.setting('person'), ${SCHEMA}.setting('client') from removed order by id;
    return null;
  end$$;
  ${create('keep_forgotten()')} returns void ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_owner() then
      raise exception 'forgotten thoughts stay as they are' using errcode = '42501';
    end if;
  end$$;
  ${create('stamp_planted()')} returns trigger language plpgsql ${PATH} as $$begin
    new.planted_for := case when new.forgotten_at is not null then coalesce(new.planted_for, '') end;
    return new;
  end$$;
  ${create('unplant(thoughts jsonb)')} returns int ${AS_OWNER} as $$declare removed int; begin
    delete from ${SCHEMA}.thoughts t using jsonb_to_recordset(thoughts) as g (id text, projects jsonb)
      where t.id = g.id and t.forgotten_at is not null and t.planted_for is not null
        and (not g.projects ? t.planted_for or t.tenant <> ${SCHEMA}.own_tenant());
    get diagnostics removed = row_count;
    return removed;
  end$$;
  revoke execute on function ${SCHEMA}.unplant(jsonb) from public;`

/**
 * Functions that need the rights of the owner, for members of the writers: the tables for the vectors of a model and for those of the pieces of long
 * texts behind the first one, their indexes, and their removal. The type of vectors is named with the schema of its extension, because these functions
 * search none. Piece 0 has no vector: it says that the text has one piece only.
 *
 * An index is one graph while that fits into the memory of its build. A larger table has several, each over a range of ids: `parts` has the first id of
 * each but the first. Ids begin with the time, so that new vectors come into the newest part, which alone is divided when it has grown.
 */
const VECTORS = `${create('vector_schema()')} returns name ${READS} as
    $$select n.nspname from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = 'vector'$$;
  ${create('open_space(for_model text, size int, type text)')} returns int ${AS_OWNER} as $$declare space int; begin
    perform pg_advisory_xact_lock(${LOCK});
    select id into space from ${SCHEMA}.spaces where model = for_model;
    if found then return space; end if;
    if type not in ('vector', 'halfvec') then raise exception 'unknown type of vectors' using errcode = '22023'; end if;
    if (select count(*) from ${SCHEMA}.spaces) >= ${SPACES_MAX} then
      raise exception 'the database has vectors of ${SPACES_MAX} models, and takes no other until one of them is unused for 30 days' using errcode = '53400';
    end if;
    insert into ${SCHEMA}.spaces (model, dimensions) values (for_model, size) returning id into space;
    execute format('create table ${SCHEMA}.vectors_%s (id text primary key references ${SCHEMA}.thoughts on delete cascade,
      embedding %I.%I(%s) not null, is_indexed boolean not null default true)', space, ${SCHEMA}.vector_schema(), type, size);
    execute format('create index on ${SCHEMA}.vectors_%s (id) where not is_indexed', space);
    perform ${SCHEMA}.count_changes_of('vectors_' || space);
    perform ${SCHEMA}.open_pieces(space, size, type);
    perform ${SCHEMA}.secure_vectors(space);
    return space;
  end$$;
  ${create('open_pieces(space int, size int, type text)')} returns void ${AS_OWNER} as $$begin
    execute format('create table ${SCHEMA}.pieces_%1$s (id text not null references ${SCHEMA}.vectors_%1$s on delete cascade, piece int not null,
        embedding %2$I.%3$I(%4$s), is_indexed boolean not null default true, primary key (id, piece));
      create index on ${SCHEMA}.pieces_%1$s (id) where not is_indexed;
      create index on ${SCHEMA}.pieces_%1$s (id) where embedding is not null;
      create trigger counted after insert on ${SCHEMA}.pieces_%1$s referencing new table as added
        for each statement execute function ${SCHEMA}.count_pieces(%1$s)', space, ${SCHEMA}.vector_schema(), type, size);
    perform ${SCHEMA}.count_changes_of('pieces_' || space);
  end$$;
  ${create('count_pieces()')} returns trigger ${AS_OWNER} as $$begin
    if not exists (select 1 from added where embedding is not null) then return null; end if;
    update ${SCHEMA}.spaces set pieces_at = clock_timestamp() where id = tg_argv[0]::int and pieces_at is null;
    return null;
  end$$;
  ${create('check_vectors()')} returns trigger ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_owner() and exists (select 1 from planted p join ${SCHEMA}.thoughts t on t.id = p.id
        where t.forgotten_at is null and t.tenant <> all (${SCHEMA}.whole_tenants())
          and t.tenant || chr(31) || t.project <> all (${SCHEMA}.granted_projects())) then
      raise exception 'new row violates row-level security policy for vectors' using errcode = '42501';
    end if;
    return null;
  end$$;
  ${create('secure_vectors(space int)')} returns void ${AS_OWNER} as $$declare kind text; begin
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
  ${create('parts_of(of_space int, kind text)')} returns table (name text, condition text, is_there boolean) ${READS} as
    $$select n.name, c.condition, to_regclass('${SCHEMA}.' || n.name) is not null from ${SCHEMA}.spaces s,
      lateral (select array(select jsonb_array_elements_text(s.parts -> kind)) as bounds) b, generate_series(0, cardinality(bounds)) part,
      lateral (select concat_ws(' and ', 'is_indexed', 'id >= ' || quote_literal(bounds[part]), 'id < ' || quote_literal(bounds[part + 1])) as condition) c,
      lateral (select concat_ws('_', kind, s.id, case cardinality(bounds) when 0 then 'embedding_idx' else left(md5(c.condition), 16) end) as name) n
      where s.id = of_space and kind in ('vectors', 'pieces') order by part$$;
  ${create('plan_parts(space int, kind text, size int, most int)')} returns boolean ${AS_OWNER} as $$declare
      bounds text[]; newest text; held bigint; more text[];
    begin
    perform from ${SCHEMA}.spaces s where s.id = space for update;
    bounds := array(select jsonb_array_elements_text(s.parts -> kind) from ${SCHEMA}.spaces s where s.id = space);
    newest := format('from ${SCHEMA}.%I where is_indexed and embedding is not null and id >= %L',
      kind || '_' || space, coalesce(bounds[cardinality(bounds)], ''));
    execute 'select count(*) ' || newest into held;
    if held <= greatest(most, size) or cardinality(bounds) >= ${PARTS_MAX} then return false; end if;
    execute 'select percentile_disc(array(select part / $1::float8 from generate_series(1, $1 - 1) part)) within group (order by id) ' || newest
      into more using least(ceil(held / greatest(size, 1)::float8), ${PARTS_MAX})::int;
    more := array(select distinct id from unnest(more) id where id > coalesce(bounds[cardinality(bounds)], '') order by id);
    update ${SCHEMA}.spaces s set parts = s.parts || jsonb_build_object(kind, bounds || more),
      indexed_at = case kind when 'vectors' then null else s.indexed_at end,
      pieces_indexed_at = case kind when 'pieces' then null else s.pieces_indexed_at end where s.id = space;
    return true;
  end$$;
  ${create('index_part(space int, kind text, type text)')} returns boolean ${AS_OWNER} as $$declare
      names text[] := array(select name from ${SCHEMA}.parts_of(space, kind)); part record; former text;
    begin
    select * into part from ${SCHEMA}.parts_of(space, kind) where not is_there limit 1;
    if found then
      execute format('create index %I on ${SCHEMA}.%I using hnsw (embedding %I.%I) where %s', part.name, kind || '_' || space,
        ${SCHEMA}.vector_schema(), case type when 'halfvec' then 'halfvec_cosine_ops' else 'vector_cosine_ops' end, part.condition);
      if cardinality(names) > 1 then return false; end if;
    end if;
    for former in select c.relname from pg_index i join pg_class c on c.oid = i.indexrelid where c.relname <> all (names)
        and i.indrelid = to_regclass('${SCHEMA}.' || kind || '_' || space) and c.relname ~ ('^' || kind || '_\\d+_(embedding_idx|[0-9a-f]{16})$') loop
      -- Every search waits behind one that waits.
      perform set_config('lock_timeout', '5s', true);
      execute format('drop index ${SCHEMA}.%I', former);
    end loop;
    update ${SCHEMA}.spaces s set indexed_at = case kind when 'vectors' then clock_timestamp() else s.indexed_at end,
      pieces_indexed_at = case kind when 'pieces' then clock_timestamp() else s.pieces_indexed_at end where s.id = space;
    return true;
  end$$;
  ${create('drop_space(space int, unseen_days int)')} returns boolean ${AS_OWNER} as $$begin
    delete from ${SCHEMA}.spaces s where s.id = space and not exists (select 1 from ${SCHEMA}.embedders e
      where e.space = s.id and e.seen_at > now() - greatest(unseen_days, 7) * interval '1 day');
    if not found then return false; end if;
    execute format('drop table if exists ${SCHEMA}.pieces_%1$s, ${SCHEMA}.vectors_%1$s', space);
    return true;
  end$$;
  ${create('use_space(user_of_it text, used int)')} returns void ${AS_OWNER} as $$begin
    insert into ${SCHEMA}.embedders as e (client, space) values (session_user || ' ' || user_of_it, used)
      on conflict (client) do update set space = excluded.space, seen_at = clock_timestamp()
      where e.space <> excluded.space or e.seen_at < clock_timestamp() - interval '1 hour';
  end$$;
  ${create('fill_space(filled int)')} returns void ${AS_OWNER} as
    $$begin update ${SCHEMA}.spaces set filled_at = clock_timestamp() where id = filled and filled_at is null; end$$;
  ${create('tune_space(tuned int, ef int, of_rows int)')} returns void ${AS_OWNER} as
    $$begin update ${SCHEMA}.spaces set ef_search = least(greatest(ef, 100), 1000), tuned_rows = of_rows where id = tuned; end$$;
  revoke execute on function ${SCHEMA}.open_space(text, int, text), ${SCHEMA}.secure_vectors(int), ${SCHEMA}.index_part(int, text, text),
    ${SCHEMA}.drop_space(int, int), ${SCHEMA}.use_space(text, int), ${SCHEMA}.fill_space(int), ${SCHEMA}.tune_space(int, int, int),
    ${SCHEMA}.open_pieces(int, int, text), ${SCHEMA}.plan_parts(int, text, int, int) from public;`

/**
 * Changes are announced without a word of them: on a channel of each project, for those that follow only some, and on one for all. With row security
 * on, that is one for each tenant, and only those can ask for the names to whom it was granted. Every change of the grants renames them.
 */
const CHANNELS = `${create('channel_of(tenant text, project text)')} returns text ${READS_AS_OWNER} as
    $$select '${CHANNEL}_' || md5(concat_ws(chr(31), key, coalesce(tenant, chr(30)), coalesce(project, chr(30)))) from ${SCHEMA}.channel_key$$;
  ${create('channels(projects text[] default null)')} returns setof text ${AS_OWNER} as $$begin
    if not ${SCHEMA}.is_secured() then
      return query select ${SCHEMA}.channel_of('', name) from unnest(projects) name;
      if projects is null then return next '${CHANNEL}'; end if;
      return;
    end if;
    return query select distinct ${SCHEMA}.channel_of(g.tenant, name) from ${SCHEMA}.granted() g, unnest(coalesce(projects, array[g.project])) name
      where g.project is null or g.project = name;
    if ${SCHEMA}.is_owner() then return next ${SCHEMA}.channel_of(null, null); end if;
  end$$;
  ${create('announce_to(tenants text[], projects text[])')} returns void ${AS_OWNER} as $$begin
    if cardinality(projects) = 0 then return; end if;
    if not ${SCHEMA}.is_secured() then
      perform pg_notify('${CHANNEL}', '');
      perform pg_notify(${SCHEMA}.channel_of('', name), '') from (select distinct unnest(projects) as name) changed;
      return;
    end if;
    perform pg_notify(channel, '') from (select distinct unnest(array[${SCHEMA}.channel_of(tenant, project),
      ${SCHEMA}.channel_of(tenant, null), ${SCHEMA}.channel_of(null, null)]) as channel
      from (select distinct * from unnest(tenants, projects) of_it (tenant, project)) changed) channels;
  end$$;
  ${create('announce()')} returns trigger ${AS_OWNER} as $$begin
    perform ${SCHEMA}.announce_to(array_agg(tenant), coalesce(array_agg(project), '{}')) from noted where action not in ('removed', 'prolonged');
    return null;
  end$$;
  ${create('announce_rulings()')} returns trigger ${AS_OWNER} as $$begin
    perform ${SCHEMA}.announce_to(array_agg(tenant), coalesce(array_agg(project), '{}')) from noted;
    return null;
  end$$;
  ${create('rename_channels()')} returns trigger ${AS_OWNER} as
    $$begin update ${SCHEMA}.channel_key set key = gen_random_uuid(); return null; end$$;
  revoke execute on function ${SCHEMA}.channel_of(text, text), ${SCHEMA}.channels(text[]), ${SCHEMA}.announce_to(text[], text[]) from public;`

/** The judge in SQL, for searches: which thoughts count, by the rulings on them. A test plays the engine's table against it. */
const RULINGS = `${create('stamp_ruling()')} returns trigger language plpgsql ${PATH} as
    $$begin new.at := least(new.said_at, now()); new.role := session_user; new.xact := pg_current_xact_id(); return new; end$$;
  ${create('retired_by(of_id text, of_project text, of_tenant text)')} returns text ${READS} as
    $$select r.other from ${SCHEMA}.rulings r where r.id = of_id and r.kind = 'retire' and r.project = of_project and r.tenant = of_tenant
      and not exists (select 1 from ${SCHEMA}.rulings k where k.id = of_id and k.kind = 'keep' and k.project = of_project
        and k.tenant = of_tenant and (k.at, k.said_at) >= (r.at, r.said_at))
      order by r.at desc, r.said_at desc, r.other limit 1$$;
  ${create('is_current(of_id text, of_project text, of_tenant text)')} returns boolean language plpgsql stable ${PATH} as $$declare
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
  ${create('marks_of(of_id text, of_project text, of_tenant text)')} returns jsonb ${READS} as
    $$with about as (select kind, other, at, said_at from ${SCHEMA}.rulings where id = of_id and project = of_project and tenant = of_tenant
      union all select kind, id, at, said_at from ${SCHEMA}.rulings where other = of_id and kind in ('conflict', 'hold')
        and project = of_project and tenant = of_tenant)
    select jsonb_build_object(
      'contradictedBy', (select jsonb_agg(distinct c.other) from about c join ${SCHEMA}.thoughts o on o.id = c.other
        where c.kind = 'conflict' and o.forgotten_at is null and o.project = of_project
          and not exists (select 1 from about h where h.kind = 'hold' and h.other = c.other
            and h.at >= (select max(later.at) from about later where later.kind = 'conflict' and later.other = c.other))
          and not exists (select 1 from ${SCHEMA}.thoughts s where s.supersedes = o.id and s.project = o.project)
          and ${SCHEMA}.is_current(o.id, o.project, o.tenant)),
      'useful', (select least(count(distinct u.other), ${VERDICTS_MAX}) from about u where u.kind = 'useful' and not exists
        (select 1 from about b where b.kind = 'withdraw' and b.other = u.other and (b.at, b.said_at) >= (u.at, u.said_at))),
      'wrong', (select least(count(distinct w.other), ${VERDICTS_MAX}) from about w where w.kind = 'wrong' and not exists
        (select 1 from about a where a.kind = 'accept' and (a.at, a.said_at) >= (w.at, w.said_at))))$$;
  ${create('forget_rulings()')} returns trigger ${AS_OWNER} as $$begin
    delete from ${SCHEMA}.rulings r using changed c where r.id = c.id and c.forgotten_at is not null;
    return null;
  end$$;`

export const FUNCTIONS = [GRANTED, CHANGES, AUDIT, VECTORS, CHANNELS, RULINGS].join('\n  ')
