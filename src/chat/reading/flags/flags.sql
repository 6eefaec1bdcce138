-- Stars and collapsed messages, and what the events and sections about flags tell of messages.

-- Stars or collapses messages, or undoes it. A call: {"user_id", "op", "flag", "ids", "historical", "row"}. `historical`:
-- those of the ids that the user did not receive; they hold them from now on. Outcome: {"changed": n}.
create or replace function flag_messages_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_changed int8multirange;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      user_id integer, op text, flag text, ids int8multirange, historical int8multirange, "row" jsonb)
  loop
    if v_call.op = 'add' then
      with changed as (
        insert into personal_message as p (realm_id, user_id, message_id, historical, starred, collapsed)
        select p_realm, v_call.user_id, id, id <@ v_call.historical, v_call.flag = 'starred', v_call.flag = 'collapsed'
          from unnest(v_call.ids) as each cross join generate_series(first_of_v1(each), end_of_v1(each) - 1) as id
            on conflict (realm_id, user_id, message_id) do update
           set starred = p.starred or excluded.starred, collapsed = p.collapsed or excluded.collapsed
         where (excluded.starred and not p.starred) or (excluded.collapsed and not p.collapsed)
        returning message_id)
      select range_agg(int8range(message_id, message_id, '[]')) into v_changed from changed;
    else
      with changed as (
        update personal_message
           set starred = starred and v_call.flag <> 'starred', collapsed = collapsed and v_call.flag <> 'collapsed'
         where realm_id = p_realm and user_id = v_call.user_id
           and message_id = any(ids_in_v1(v_call.ids))
           and case v_call.flag when 'starred' then starred else collapsed end
        returning message_id)
      select range_agg(int8range(message_id, message_id, '[]')) into v_changed from changed;
      perform drop_empty_rows_v1(p_realm, v_call.user_id, coalesce(v_changed, '{}'));
    end if;
    v_outcomes := v_outcomes || write_flags_v1(p_realm, v_call."row", coalesce(v_changed, '{}'));
  end loop;
  return v_outcomes;
end $$;

-- Whether a user has muted a topic, or the channel and has neither unmuted nor followed the topic.
create or replace function is_muted_v2(p_realm integer, p_user integer, p_channel integer, p_folded text) returns boolean
language sql stable as $$
  select case topic_policy_v1(p_realm, p_user, p_channel, p_folded) when 1 then true when 0 then coalesce((
      select is_muted from subscription_setting
       where realm_id = p_realm and user_id = p_user and channel_id = p_channel), false) else false end
$$;

-- The details that the event tells of each message that is unread again, by its id: {"type", "stream_id", "topic",
-- "unmuted_stream_msg"?} or {"type", "user_ids"}, and "mentioned"?. A wildcard in a muted topic does not count.
create or replace function unread_details_v1(p_realm integer, p_user integer, p_ids int8multirange) returns jsonb
language sql stable as $$
  select coalesce(jsonb_object_agg(m.id, jsonb_strip_nulls(
      case when m.channel_id is null
        then jsonb_build_object('type', 'private', 'user_ids', (
          select coalesce(jsonb_agg(member::integer), '[]')
            from conversation v cross join unnest(string_to_array(v.member_key, ',')) as member
           where v.realm_id = p_realm and v.id = m.conversation_id and member <> p_user::text))
        else jsonb_build_object('type', 'stream', 'stream_id', m.channel_id, 'topic', m.topic,
          'unmuted_stream_msg', nullif(not is_muted_v2(p_realm, p_user, m.channel_id, m.topic_folded), false)) end
      || jsonb_build_object('mentioned', nullif(
        coalesce(p.mentioned, false) or coalesce(m.group_mentioned @> p_user, false)
        or (((m.channel_wildcard
                and (m.channel_id is null or received_v1(
                  p_realm, p_user, coalesce(m.wildcard_in, m.moved_from, m.channel_id), coalesce(m.wildcard_at, m.id))
                or coalesce(m.wildcard_also @> p_user, false)))
              or coalesce(m.topic_wildcard @> p_user, false))
            and (m.channel_id is null or not is_muted_v2(p_realm, p_user, m.channel_id, m.topic_folded))), false)))), '{}')
    from unnest(p_ids) as each cross join generate_series(first_of_v1(each), end_of_v1(each) - 1) as wanted(id)
    -- One search in the index for each; a plain join may read all messages to find a few.
    cross join lateral (select * from message where realm_id = p_realm and id = wanted.id limit 1) m
    left join personal_message p on p.realm_id = p_realm and p.user_id = p_user and p.message_id = m.id
$$;

-- The newest 10,000 starred messages by their channels: [[channel or null, [id]]]. The program leaves out those of channels
-- that the user may not read now.
create or replace function section_starred_v2(p_realm integer, p_user integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(channel_id, ids)), '[]') from (
    select m.channel_id, json_agg(newest.message_id) as ids
      from (select message_id from personal_message where realm_id = p_realm and user_id = p_user and starred
             order by message_id desc limit 10000) newest
     cross join lateral (
       select o.channel_id from message o where o.realm_id = p_realm and o.id = newest.message_id offset 0) m
     group by m.channel_id) as placed
$$;
