-- When people were last active and last connected.

-- Of the next p_limit people of whom something is known: {"people": [user, active, connected, id] by rising ids, "last": the last
-- of these people, null where there are no more}.
create or replace function load_presence_v2(p_realm integer, p_after jsonb, p_limit integer) returns json
language sql stable set enable_seqscan = off as $$
  with looked as materialized (
    select user_id, active_at, connected_at, update_id from presence
     where realm_id = p_realm and user_id > (p_after ->> 0)::integer order by user_id limit p_limit)
  select json_build_object(
      'people', coalesce(json_agg(json_build_array(user_id, active_at, connected_at, update_id) order by update_id), '[]'),
      'last', case when count(*) = p_limit then max(user_id) end)
    from looked
$$;

-- Applies rows of the type presence, which say when somebody was last there from now on. What was true before the row and is
-- stored after it must not undo it: so its position is kept.
create or replace function apply_presence_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  insert into presence (realm_id, user_id, active_at, connected_at, update_id, position)
  values (p_realm, (p_payload ->> 'user_id')::integer, (p_payload ->> 'active')::bigint, (p_payload ->> 'connected')::bigint,
          floor((p_payload ->> 'at')::numeric)::bigint, p_position)
  on conflict (realm_id, user_id) do update
    set active_at = excluded.active_at, connected_at = excluded.connected_at,
        update_id = greatest(presence.update_id, excluded.update_id), position = excluded.position;
  return null;
end $$;

-- Stores changes, [user, active, connected, id], and of whom nothing is known any more, as it was at a position of the log.
-- Several processes may have heard of somebody: what is newer stays.
create or replace function save_presence_v2(p_realm integer, p_changes jsonb, p_gone jsonb, p_position bigint) returns void
language plpgsql as $$
begin
  delete from presence where realm_id = p_realm and position <= p_position
     and user_id = any(array(select value::integer from jsonb_array_elements_text(p_gone)));
  insert into presence (realm_id, user_id, active_at, connected_at, update_id, position)
  select p_realm, (c.value ->> 0)::integer, (c.value ->> 1)::bigint, (c.value ->> 2)::bigint, (c.value ->> 3)::bigint, 0
    from jsonb_array_elements(p_changes) as c(value)
  on conflict (realm_id, user_id) do update
    set active_at = greatest(presence.active_at, excluded.active_at),
        connected_at = greatest(presence.connected_at, excluded.connected_at),
        update_id = greatest(presence.update_id, excluded.update_id)
    where presence.position <= p_position;
end $$;

-- What processes have stored of these organizations since then (milliseconds, as they have learned it), by organization:
-- {"<realm>": [[user, active, connected], ...]}.
create or replace function changed_presence_v1(p_realms jsonb, p_after bigint) returns json
language sql stable as $$
  with changed as (
    select realm_id, json_agg(json_build_array(user_id, active_at, connected_at)) as people from presence
     where realm_id = any(array(select value::integer from jsonb_array_elements_text(p_realms))) and update_id > p_after
     group by realm_id)
  select coalesce(json_object_agg(realm_id, people), '{}') from changed
$$;
