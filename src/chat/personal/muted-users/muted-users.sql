-- The people whom users have muted.

-- [user, [{"id", "at"}, ...]] of everybody who has muted somebody, in the order in which they did.
create or replace function load_muted_users_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(user_id, muted) order by user_id), '[]') from (
    select user_id, json_agg(json_build_object('id', muted_id, 'at', muted_at) order by place) as muted
      from muted_user where realm_id = p_realm group by user_id) m
$$;

-- Applies rows of the type muted_users, which name all whom a user has muted.
create or replace function apply_muted_users_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_payload ->> 'user_id')::integer;
begin
  delete from muted_user where realm_id = p_realm and user_id = v_user;
  insert into muted_user (realm_id, user_id, muted_id, muted_at, place)
  select p_realm, v_user, (each.value ->> 'id')::integer, (each.value ->> 'at')::bigint, each.n
    from jsonb_array_elements(p_payload -> 'muted') with ordinality as each(value, n);
  return null;
end $$;
