-- The statuses of people: what they say of themselves.

-- Of the next p_limit accounts: {"statuses": [user, whether they are away, text, emoji] of everybody who has something of it,
-- "last": the last account, null where there are no more}. `p_after`: what the page before said to be the last, as a list.
-- Bots have no status.
create or replace function load_user_status_v2(p_realm integer, p_after jsonb, p_limit integer) returns json
language sql stable set enable_seqscan = off as $$
  with looked as materialized (
    select id, not is_bot and coalesce(settings -> 'presence_enabled' = 'false', false) as is_away from account
     where realm_id = p_realm and id > (p_after ->> 0)::integer order by id limit p_limit)
  select json_build_object(
      'statuses', coalesce(json_agg(
        json_build_array(a.id, a.is_away, coalesce(s.status_text, ''), s.emoji) order by a.id), '[]'),
      'last', (select case when count(*) = p_limit then max(id) end from looked))
    from looked as a left join user_status s on s.realm_id = p_realm and s.user_id = a.id
   where a.is_away or s.user_id is not null
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
