-- Whoever may read a private channel again has again what they had starred there; their clients have forgotten it. This
-- writes the events that tell them.

-- A step after the row by which users come to read a channel. A call: {"channel_id", "user_ids", "row"}. `row`: a change of
-- flags, made by the program; each user gets rows of their own, with 500 messages at most.
create or replace function tell_starred_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_user record;
begin
  for v_call in select * from jsonb_to_recordset(p_calls) as c(channel_id integer, user_ids integer[], "row" jsonb) loop
    for v_user in
      select u.id, range_agg(int8range(p.message_id, p.message_id, '[]')) as ids
        from unnest(v_call.user_ids) as u(id) cross join lateral (
          select o.message_id from personal_message o
           where o.realm_id = p_realm and o.user_id = u.id and o.starred offset 0) p
       cross join lateral (
          select m.channel_id from message m where m.realm_id = p_realm and m.id = p.message_id offset 0) m
       where m.channel_id = v_call.channel_id
       group by u.id order by u.id
    loop
      perform write_parts_v2(p_realm, jsonb_set(v_call."row", '{audience}', jsonb_build_object(
        'kind', 'users', 'users', jsonb_build_array(v_user.id))), v_user.ids, 500);
    end loop;
  end loop;
  return '[]';
end $$;
