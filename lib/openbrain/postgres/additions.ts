// Additive migrations: they only add what clients of earlier releases need not know, so that those go on working beside newer ones
// (expand and contract, of which this is the first half). They are recorded with negative numbers, because earlier releases read the
// maximum and refuse a larger one than theirs.
import { CHANNEL, LOCK, SCHEMA } from './names.js'

/** How a function that runs with the rights of the owner finds names: only in the system's own schema. */
const AS_OWNER = `language plpgsql security definer set search_path = pg_catalog, pg_temp`

/** A notification holds 8,000 bytes; a longer one would fail the transaction. */
const NOTICE_BYTES_MAX = 7900
const IDS_PER_NOTICE = 100

/**
 * Who stored, edited, forgot and removed what. The same table is the log that clients follow: `xact` and `seq` order it, so that a
 * client sees every change once, in whatever order transactions commit (see `ChangeLog`). Triggers write it, in the transaction of the
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
 * What needs the rights of the owner, for members of the writers: a table for the vectors of a model, its index, and its removal. The
 * type of vectors is named with the schema of its extension, because these functions search none.
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

/** The additive migrations in order. A released one is never changed. */
export const ADDITIONS: string[] = [
  `alter table ${SCHEMA}.thoughts add column tenant text not null default '';
  ${AUDIT}
  ${ACCESS}
  ${VECTOR_TABLES}`,
]
