-- Organizations: making one, loading its projection, changing its settings.

-- The content of a realm's projection, but for the long lists and the parts of rooms, and the head of the log, from one
-- snapshot: the same statement calls the function of each part (loading/load-store.ts), and a stable function sees the snapshot
-- of the calling statement. The long lists follow in pages (loading/load-pages-store.ts).
create or replace function load_realm_v7(p_realm integer) returns text language sql stable as $$
  select json_build_object(
    'host', r.host,
    'epoch', r.epoch,
    'created_at', r.created_at,
    'deactivated', coalesce((r.settings ->> 'deactivated')::boolean, false),
    'settings', r.settings,
    'head', log_head_v1(p_realm),
    'groups', load_user_groups_v1(p_realm),
    'channels', load_channels_v1(p_realm)
  )::text from realm r where r.id = p_realm
$$;

-- Applies rows of the type realm: a changed setting, deactivation and reactivation of the organization.
create or replace function apply_realm_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  update realm
     set settings = settings || case p_payload ->> 'op'
           when 'update' then jsonb_build_object(p_payload ->> 'key', p_payload -> 'value')
           else jsonb_build_object('deactivated', p_payload ->> 'op' = 'deactivated') end
   where id = p_realm;
  return null;
end $$;

-- Applies rows of the type restart: another program serves the organization than before.
create or replace function apply_restart_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  update realm
     set settings = settings || jsonb_build_object(
           'program', p_payload -> 'program', 'server_generation', p_payload -> 'server_generation')
   where id = p_realm;
  return null;
end $$;

-- Makes an organization with its lock, which the calling server holds, and its system groups, each a direct subgroup of
-- the next wider one. This is the state of the realm before the first row of its log.
create or replace function create_realm_v1(
  p_realm integer, p_host text, p_epoch text, p_holder text, p_settings text, p_groups text, p_time bigint
) returns integer language plpgsql as $$
declare
  v_created bigint := coalesce(p_time, (extract(epoch from clock_timestamp()) * 1000)::bigint);
begin
  insert into realm (id, host, epoch, created_at, settings)
  values (p_realm, p_host, p_epoch, v_created, p_settings::jsonb);
  insert into realm_lock (realm_id, holder) values (p_realm, p_holder);
  insert into user_group (realm_id, id, name, description, is_system)
  select p_realm, g.id, g.name, g.description, true
    from jsonb_to_recordset(p_groups::jsonb) as g(id integer, name text, description text, subgroup integer);
  insert into subgroup_span (realm_id, group_id, subgroup_id, opened)
  select p_realm, g.id, g.subgroup, 0
    from jsonb_to_recordset(p_groups::jsonb) as g(id integer, name text, description text, subgroup integer)
   where g.subgroup is not null;
  return p_realm;
end $$;
