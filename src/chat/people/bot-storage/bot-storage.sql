-- What bots keep for themselves. It is state beside the log: nothing here writes a row.

-- Puts texts under keys, all or none. A call: {"user_id", "values": {key: text}, "most", "most_keys"}; `most`: characters of all
-- keys and texts together. Outcome: {}, or {"refused": "full"}.
create or replace function put_bot_values_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  v_size bigint;
  v_keys bigint;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(user_id integer, "values" jsonb, most integer, most_keys integer)
  loop
    select coalesce(sum(char_length(key) + char_length(value)), 0), count(*) into v_size, v_keys from (
      select b.key, b.value from bot_value b
       where b.realm_id = p_realm and b.user_id = v_call.user_id and not v_call."values" ? b.key
      union all
      select key, value from jsonb_each_text(v_call."values")) as kept;
    if v_size > v_call.most or v_keys > v_call.most_keys then
      v_outcomes := v_outcomes || '{"refused": "full"}'::jsonb;
    else
      insert into bot_value (realm_id, user_id, key, value)
      select p_realm, v_call.user_id, key, value from jsonb_each_text(v_call."values")
          on conflict (realm_id, user_id, key) do update set value = excluded.value;
      v_outcomes := v_outcomes || '{}'::jsonb;
    end if;
  end loop;
  return v_outcomes;
end $$;

-- Forgets keys, all or none. A call: {"user_id", "keys": [key] or null: all of them}. Outcome: {}, or {"refused": "gone"} where
-- one of them is not there.
create or replace function remove_bot_values_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(user_id integer, keys jsonb)
  loop
    if exists (
      select from jsonb_array_elements_text(nullif(v_call.keys, 'null')) as k(key)
       where not exists (
         select from bot_value b where b.realm_id = p_realm and b.user_id = v_call.user_id and b.key = k.key)) then
      v_outcomes := v_outcomes || '{"refused": "gone"}'::jsonb;
    else
      delete from bot_value b
       where b.realm_id = p_realm and b.user_id = v_call.user_id
         and (nullif(v_call.keys, 'null') is null or v_call.keys ? b.key);
      v_outcomes := v_outcomes || '{}'::jsonb;
    end if;
  end loop;
  return v_outcomes;
end $$;

-- {key: text} of the keys, or of all where p_keys is null; null where one of them is not there.
create or replace function bot_values_v1(p_realm integer, p_user integer, p_keys jsonb) returns json
language sql stable as $$
  select case when p_keys is null or count(*) = (select count(distinct key) from jsonb_array_elements_text(p_keys) as k(key))
      then coalesce(json_object_agg(b.key, b.value order by b.key), '{}') end
    from bot_value b
   where b.realm_id = p_realm and b.user_id = p_user and (p_keys is null or p_keys ? b.key)
$$;
