-- Whoever may read a private channel again has again what they had starred there; their clients have forgotten it. This
-- writes the events that tell them.

-- Counts rows of stars that are looked at in this commit; false once these are too many, some 100 ms under the lock.
create or replace function spend_stars_v1(p_stars bigint) returns boolean language sql volatile as $$
  select set_config('parley.stars', (
    p_stars + coalesce(nullif(current_setting('parley.stars', true), ''), '0')::bigint)::text, true)::bigint <= 40000
$$;

-- A step after the row by which users come to read a channel. A call: {"channel_id", "user_ids", "row", "end_row"}. `row`: a
-- change of flags, made by the program; each user gets rows of their own, with 500 messages at most. Where somebody has more
-- than 10,000 stars, or all together have too many to look at, their queues end (`end_row`).
create or replace function tell_starred_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_user integer;
  v_starred bigint[];
  v_ids int8multirange;
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(channel_id integer, user_ids integer[], "row" jsonb, end_row jsonb)
  loop
    for v_user in select u.id from unnest(v_call.user_ids) as u(id) order by u.id loop
      v_starred := array(
        select o.message_id from personal_message o where o.realm_id = p_realm and o.user_id = v_user and o.starred limit 10001);
      if cardinality(v_starred) > 10000 or not spend_stars_v1(cardinality(v_starred)) then
        perform write_row_v1(p_realm, jsonb_set(v_call.end_row, '{payload,user_ids}', jsonb_build_array(v_user)));
        continue;
      end if;
      v_ids := (
        select range_agg(int8range(m.id, m.id, '[]')) from unnest(v_starred) as starred(id) cross join lateral (
          select o.id, o.channel_id from message o where o.realm_id = p_realm and o.id = starred.id offset 0) m
         where m.channel_id = v_call.channel_id);
      if v_ids is not null then
        perform write_parts_v2(p_realm, jsonb_set(v_call."row", '{audience}', jsonb_build_object(
          'kind', 'users', 'users', jsonb_build_array(v_user))), v_ids, 500);
      end if;
    end loop;
  end loop;
  return '[]';
end $$;
