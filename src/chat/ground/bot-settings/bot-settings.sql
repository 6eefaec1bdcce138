-- What bots have beyond their account.

-- A page of them: {"bots": [[bot, settings], ...], "last": the last bot, null where there are no more}. `p_after`: what the
-- page before said to be the last, as a list.
create or replace function load_bots_v1(p_realm integer, p_after jsonb, p_limit integer) returns json
language sql stable as $$
  with looked as materialized (
    select user_id, settings from bot
     where realm_id = p_realm and user_id > (p_after ->> 0)::integer order by user_id limit p_limit)
  select json_build_object(
      'bots', coalesce(json_agg(json_build_array(user_id, settings) order by user_id), '[]'),
      'last', case when count(*) = p_limit then max(user_id) end)
    from looked
$$;

-- Applies rows of the type realm_bot, which have all settings of a bot.
create or replace function apply_realm_bot_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  insert into bot (realm_id, user_id, settings)
  values (p_realm, (p_payload ->> 'user_id')::integer, p_payload -> 'settings')
  on conflict (realm_id, user_id) do update set settings = excluded.settings;
  return null;
end $$;
