-- The statuses of people: what they say of themselves.

-- [user, whether they are away, text, emoji] of everybody who has something of it. Bots have no status.
create or replace function load_user_status_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(
      json_build_array(user_id, a.user_id is not null, coalesce(s.status_text, ''), s.emoji) order by user_id), '[]')
    from (select user_id, status_text, emoji from user_status where realm_id = p_realm) s
    full join (
      select id as user_id from account
       where realm_id = p_realm and not is_bot and settings -> 'presence_enabled' = 'false') a using (user_id)
$$;

-- Applies rows of the type user_status, which have what changed of a status. Whether somebody is away is one of their
-- settings, of which the row only tells.
create or replace function apply_user_status_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_payload ->> 'user_id')::integer;
  v_emoji jsonb := nullif(p_payload -> 'emoji', 'null');
begin
  insert into user_status as s (realm_id, user_id, status_text, emoji)
  values (p_realm, v_user, coalesce(p_payload ->> 'status_text', ''), v_emoji)
  on conflict (realm_id, user_id) do update
    set status_text = coalesce(p_payload ->> 'status_text', s.status_text),
        emoji = case when p_payload ? 'emoji' then v_emoji else s.emoji end;
  delete from user_status where realm_id = p_realm and user_id = v_user and status_text = '' and emoji is null;
  return null;
end $$;
