-- Moves of messages: the rows that tell of them, and what is checked before.

-- The flags of a message for everybody, as FlagSets in chat/ground/kinds/update-message-row.ts. Of whom it is unread for by
-- nature (chat/reading/flags/read-state.sql) there may be at most `p_most`; if there are more, it counts as read by all.
-- Null: however many there are.
create or replace function message_flags_v1(p_realm integer, p_message bigint, p_most integer) returns jsonb
language plpgsql stable set enable_seqscan = off as $$
declare
  v_message message;
  v_place bigint;
  v_members integer[];
begin
  select * into v_message from message where realm_id = p_realm and id = p_message;
  v_place := place_v1(coalesce(v_message.moved_from, v_message.channel_id), v_message.conversation_id);
  v_members := case when v_message.channel_id is null then array(
    select c.id::integer from conversation v cross join unnest(string_to_array(v.member_key, ',')) as c(id)
     where v.realm_id = p_realm and v.id = v_message.conversation_id
       and not read_from_start_v1(c.id::integer, v_message.sender_id, v_message.read_by_sender, v_message.muted_for))
  else array(
    select s.user_id from subscription_span s
     where s.realm_id = p_realm and s.channel_id = coalesce(v_message.moved_from, v_message.channel_id)
       and s.closed is null and s.opened <= p_message
       and not read_from_start_v1(s.user_id, v_message.sender_id, v_message.read_by_sender, v_message.muted_for)
       -- As holds_now_v1: a call for each of hundreds took longer than all else.
       and (v_message.moved_from is null or exists (
         select from subscription_span h
          where h.realm_id = p_realm and h.channel_id = v_message.channel_id and h.user_id = s.user_id
            and h.closed is null and h.opened <= v_message.channel_since))
     limit p_most + 1) end;
  if cardinality(v_members) > p_most then
    v_members := '{}';
  end if;
  return (
    with own as materialized (
      select p.*, p.unread_since > read_floor_v1(p_realm, p.user_id) and not exists (
               select from left_since_v1(
                 p_realm, p.user_id, v_message.channel_id, v_message.moved_from, p.unread_since)) as is_unread
        from personal_message p where p.realm_id = p_realm and p.message_id = p_message),
    -- Looked up by the message, not for each of ten thousand users.
    readers as materialized (
      select f.user_id from read_floor f where f.realm_id = p_realm and f.position >= p_message
      union all
      select r.user_id from read_ranges r
       where r.realm_id = p_realm and r.place = v_place and r.low <= p_message and r.ranges @> p_message),
    unread as (
      select u.user_id from unnest(v_members) as u(user_id) where u.user_id not in (select user_id from readers)
      union select user_id from own where is_unread)
    select jsonb_strip_nulls(jsonb_build_object(
        'unread', (select range_agg(int4range(user_id, user_id, '[]'))::text from unread),
        'starred', (select range_agg(int4range(user_id, user_id, '[]'))::text from own where starred),
        'collapsed', (select range_agg(int4range(user_id, user_id, '[]'))::text from own where collapsed),
        'mentioned', nullif((coalesce((select range_agg(int4range(user_id, user_id, '[]')) from own where mentioned), '{}')
          + coalesce(v_message.group_mentioned, '{}'))::text, '{}'),
        'topic', v_message.topic_wildcard::text,
        'alerted', v_message.alerted::text,
        'received', (select range_agg(int4range(user_id, user_id, '[]'))::text from own where not historical),
        'everybody_in', case when v_message.channel_wildcard
          then coalesce(v_message.wildcard_in, v_message.moved_from, v_message.channel_id) end,
        'everybody_at', v_message.wildcard_at,
        'everybody_also', v_message.wildcard_also::text,
        'everybody', case when v_message.channel_wildcard and v_message.channel_id is null then true end,
        'since', v_message.channel_since)));
end $$;

-- The guard of a move or a report: {"message_id", "channel_id", "since", "topic", "content"?, "others"?}: where the
-- message was found ("channel_id" and "since" are null for a direct message) and, if its content is edited too, what that
-- was, {"orig_raw", "orig_rendered"}, and who was found to hold it by a row of their own. Answers "moved" if any of that is
-- otherwise by now.
create or replace function is_still_there_v1(p_realm integer, p_args jsonb) returns text language sql stable as $$
  select case when not exists (
    select from message
     where realm_id = p_realm and id = (p_args ->> 'message_id')::bigint
       and channel_id is not distinct from (p_args ->> 'channel_id')::integer
       and channel_since is not distinct from (p_args ->> 'since')::bigint
       and topic = p_args ->> 'topic'
       and (p_args -> 'content' is null
         or (content = p_args #>> '{content,orig_raw}' and rendered = p_args #>> '{content,orig_rendered}'
           and other_holders_v1(p_realm, id, channel_id, channel_since) = p_args -> 'others'))) then 'moved' end
$$;

-- Writes the row that names the first message of a channel, where it is another one by now: one from `p_low` on.
create or replace function tell_first_v2(p_realm integer, p_channel integer, p_low bigint, p_row jsonb) returns void
language plpgsql set enable_seqscan = off as $$
declare
  v_first bigint := (
    select id from message where realm_id = p_realm and channel_id = p_channel and id >= p_low order by id limit 1);
begin
  if v_first is distinct from (select first_message_id from channel where realm_id = p_realm and id = p_channel) then
    perform write_row_v1(p_realm, jsonb_set(p_row, '{payload}', p_row -> 'payload' || case when v_first is null
      then '{"is_empty": true}' else jsonb_build_object('value', v_first) end));
  end if;
end $$;

-- Calls: {"channel_id", "row"}. After notices in channels that a move may have emptied: writes the row as tell_first_v2.
create or replace function tell_first_again_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
begin
  perform tell_first_v2(p_realm, c.id, 0, calls."row")
     from jsonb_to_recordset(p_calls) as calls(channel_id integer, "row" jsonb)
     join channel c on c.realm_id = p_realm and c.id = calls.channel_id and c.first_message_id is null;
  return '[]';
end $$;

-- Calls, made in move-steps.ts: {"channel_id", "topic_folded", "low", "high"?, "most", "reader"?, "message_id",
-- "most_flags", "to_channel"?, "topic", "to_folded", "readers", "is_move", "editor_id", "row", "lost_row"?,
-- "from_row"?, "to_row"?, "most_edits", "edit"?, "had"?, "is_partly_held", "group_readers"?}. `group_readers`: who reads the
-- channel by a group (reads_held_v1). Moves those
-- messages of a topic that lie between `low` and `high`, `most` at most, of which the user `reader`, if there is one, holds
-- each; and writes the row that tells of it. Where they get another channel: `lost_row` is for those who cannot read them
-- there, `had` names users of whom those are told, too, who held one of them, and the rows of the channels are written where
-- another message is the first one of theirs. `is_partly_held`: some who are told may hold others than the message that the
-- row names; it tells the flags of these, too. `edit`: the message
-- `message_id`, which is moved with the others, gets another content (change_content_v2), with "files" and "file_row".
-- Outcome, of calls with an `edit` only: {"detached"} as of edit_messages_v1.
create or replace function move_messages_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_ids bigint[];
  v_since bigint[];
  v_topics text[];
  v_is_full boolean;
  v_edited bigint;
  v_spellings text[];
  v_personal bigint[];
  v_own jsonb;
  v_named jsonb;
  v_position bigint;
  v_message bigint;
  v_last bigint;
  v_row jsonb;
  v_lost jsonb;
  v_gained jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      channel_id integer, topic_folded text, low bigint, high bigint, most integer, reader integer, message_id bigint,
      most_flags integer, to_channel integer, topic text, to_folded text, readers jsonb, is_move boolean,
      editor_id integer, "row" jsonb, lost_row jsonb, from_row jsonb, to_row jsonb, most_edits integer, edit jsonb,
      had integer[], is_partly_held boolean, group_readers jsonb)
  loop
    v_edited := case when v_call.edit is not null then v_call.message_id end;
    select array_agg(found.id order by found.id), array_agg(found.channel_since order by found.id),
           array_agg(found.topic) filter (where found.id is distinct from v_edited), coalesce(bool_or(found.is_full), false)
      into v_ids, v_since, v_topics, v_is_full
      from (
        select m.id, m.channel_since, m.topic, m.moves[100] is not null as is_full from message m
         where m.realm_id = p_realm and m.channel_id = v_call.channel_id and m.topic_folded = v_call.topic_folded
           and m.id >= v_call.low and m.id < coalesce(v_call.high, 9223372036854775807)
           and (v_call.to_channel is not null or m.topic <> v_call.topic)
           and (v_call.reader is null or holds_by_span_v1(p_realm, v_call.reader, m.channel_id, m.channel_since) or exists (
             select from personal_message p
              where p.realm_id = p_realm and p.user_id = v_call.reader and p.message_id = m.id))
         order by m.id limit v_call.most) found;
    if v_call.edit is not null then
      -- It is beyond the others only if so many were brought between them meanwhile that these are cut.
      if not coalesce(v_call.message_id = any(v_ids), false) then
        v_ids := v_ids || v_call.message_id;
        v_since := v_since || (select channel_since from message where realm_id = p_realm and id = v_call.message_id);
      end if;
      -- First, because those whom it mentions from now on hold it, maybe by a row of their own.
      perform change_content_v2(p_realm, v_call.message_id, v_call.edit);
    end if;
    continue when v_ids is null;
    v_position := current_setting('parley.position')::bigint + 1;
    -- Most messages have no row of anybody's own, so what is about these rows is done for the others only.
    v_personal := array(select distinct message_id from personal_message where realm_id = p_realm and message_id = any(v_ids));
    v_own := '[]';
    if v_personal <> '{}' then
      select coalesce(jsonb_agg(jsonb_build_array(h.user_id, h.ids::text) order by h.user_id), '[]') into v_own from (
        select p.user_id, range_agg(int8range(m.id, m.id, '[]')) as ids
          from unnest(v_ids, v_since) as m(id, since) cross join lateral (
            select o.user_id from personal_message o where o.realm_id = p_realm and o.message_id = m.id offset 0) p
         where m.id = any(v_personal) and not holds_by_span_v1(p_realm, p.user_id, v_call.channel_id, m.since)
           and reads_held_v1(p_realm, p.user_id, v_call.channel_id, v_call.group_readers)
         group by p.user_id) h;
      if v_call.to_channel is not null then
        perform move_personal_rows_v1(p_realm, v_position, v_personal, v_call.to_channel, v_call.readers);
      end if;
    end if;
    if v_edited is not null then
      insert into message_edit (realm_id, message_id, position, editor_id, at, prev_content, prev_rendered, prev_topic, topic,
                                prev_channel_id, channel_id)
      select p_realm, m.id, v_position, v_call.editor_id, now_v1(),
             v_call.edit #>> '{content,orig_raw}', v_call.edit #>> '{content,orig_rendered}',
             case when m.topic <> v_call.topic then m.topic end, case when m.topic <> v_call.topic then v_call.topic end,
             case when v_call.to_channel is not null then m.channel_id end, v_call.to_channel
        from message m where m.realm_id = p_realm and m.id = v_edited;
      perform add_edits_v1(p_realm, array[v_edited], v_call.most_edits);
      perform search_changed_v1(p_realm, array[v_edited]);
    end if;
    if v_is_full then
      perform keep_oldest_moves_v1(p_realm, v_ids);
    end if;
    v_spellings := note_move_v1(p_realm, v_position, v_topics, v_call.channel_id, v_call.to_channel, v_call.topic,
                                v_call.editor_id);
    perform place_messages_v2(p_realm, v_position, v_ids, v_call.to_channel, v_call.topic, v_call.to_folded,
                              case when v_call.is_move then now_v1() end, v_spellings, v_edited);
    perform search_moved_v1(p_realm, place_v1(coalesce(v_call.to_channel, v_call.channel_id), null), v_position, v_ids);

    -- Whose flags the row carries. Without shared history: the message that came last. Whoever is still subscribed and holds
    -- any holds that one, and only they can have one unread without a row of their own.
    v_last := case when v_call.to_channel is null and v_call."row" #>> '{payload,messages,held_by}' = 'each' then (
      select m.id from unnest(v_ids, v_since) as m(id, since) order by m.since desc, m.id desc limit 1) end;
    v_message := case
      when v_edited is null and v_last is not null then v_last
      when v_call.message_id = any(v_ids) then v_call.message_id
      else v_ids[1] end;
    v_named := jsonb_strip_nulls(jsonb_build_object(
      'ids', to_jsonb(v_ids), 'since', case when v_since <> v_ids then to_jsonb(v_since) end));
    v_row := jsonb_set(v_call."row", '{payload}', v_call."row" -> 'payload' || jsonb_build_object(
      'message_id', v_message,
      'flags', message_flags_v1(p_realm, v_message,
        case when v_call.message_id = any(v_ids) then null else v_call.most_flags end)));
    if cardinality(v_ids) > 1 and (v_call.is_partly_held or v_call.to_channel is null and v_own <> '[]') then
      v_row := jsonb_set(v_row, '{payload,others}', case when v_last <> v_message
        then jsonb_build_array(jsonb_build_object(
          'message_id', v_last, 'flags', message_flags_v1(p_realm, v_last, null))) else '[]' end
        || other_flags_v1(p_realm, array_remove(array_remove(v_ids, v_message), v_last),
             case when v_call.to_channel is not null then v_call.channel_id end, v_call.most_flags));
    end if;
    if v_call.to_channel is null then
      v_row := jsonb_set(v_row, '{payload,messages}', v_row #> '{payload,messages}' || v_named
        || case when v_own = '[]' then '{}' else jsonb_build_object('own', v_own) end);
      v_row := jsonb_set(v_row, '{audience}', v_row -> 'audience' || jsonb_build_object(
        'since', (select min(each) from unnest(v_since) as each), 'through', (select max(each) from unnest(v_since) as each),
        'also', coalesce(v_row #> '{audience,also}', '[]') || (
          select coalesce(jsonb_agg(each -> 0), '[]') from jsonb_array_elements(v_own) as each)));
      perform append_row_v1(p_realm, v_row);
      if v_call.edit is not null then
        v_outcomes := v_outcomes || jsonb_build_object('detached', relink_files_v1(
          p_realm, v_call.message_id, v_call.edit -> 'files', v_call.edit -> 'file_row', v_call.editor_id));
      end if;
      continue;
    end if;

    -- Whoever may read them in the new channel may read all of them there.
    select coalesce(jsonb_agg(each -> 0) filter (where is_reader), '[]'), coalesce(jsonb_agg(each) filter (where not is_reader), '[]')
      into v_gained, v_lost from (
        select each, may_read_v1(p_realm, (each ->> 0)::integer, v_call.to_channel, v_call.readers) as is_reader
          from jsonb_array_elements(v_own) as each) o;
    v_row := jsonb_set(v_row, '{payload,messages}', v_row #> '{payload,messages}'
      || jsonb_build_object('ids', to_jsonb(v_ids)));
    if v_row #> '{payload,messages,was}' is not null then
      v_row := jsonb_set(v_row, '{payload,messages,was}', v_row #> '{payload,messages,was}' || (v_named - 'ids')
        || case when v_own = '[]' then '{}' else jsonb_build_object('own', v_own) end);
    end if;
    v_gained := v_gained || (
      select coalesce(jsonb_agg(u.id), '[]') from unnest(v_call.had) as u(id)
       where exists (
         select from subscription_span s
          where s.realm_id = p_realm and s.channel_id = v_call.channel_id and s.user_id = u.id
            and s.reads_from <= (select max(each) from unnest(v_since) as each)
            and (s.closed is null or exists (
              select from unnest(v_since) as each where each >= s.reads_from and each < s.closed))));
    v_row := jsonb_set(v_row, '{audience,also}', coalesce(v_row #> '{audience,also}', '[]') || v_gained);
    perform append_row_v1(p_realm, v_row);
    if v_call.lost_row #> '{audience,users}' <> '[]' or v_lost <> '[]' then
      v_row := jsonb_set(v_call.lost_row, '{payload,messages}', v_call.lost_row #> '{payload,messages}' || v_named
        || case when v_lost = '[]' then '{}' else jsonb_build_object('own', v_lost) end);
      v_row := jsonb_set(v_row, '{audience,also}', coalesce(v_row #> '{audience,also}', '[]') || (
        select coalesce(jsonb_agg(each -> 0), '[]') from jsonb_array_elements(v_lost) as each));
      perform append_row_v1(p_realm, jsonb_set(v_row, '{width}', to_jsonb(cardinality(v_ids))));
    end if;
    perform tell_first_v2(p_realm, c.id, v_ids[1], v_call.from_row) from channel c
     where c.realm_id = p_realm and c.id = v_call.channel_id
       and (c.first_message_id is null or c.first_message_id between v_ids[1] and v_ids[cardinality(v_ids)]);
    perform tell_first_v2(p_realm, c.id, 0, v_call.to_row) from channel c
     where c.realm_id = p_realm and c.id = v_call.to_channel
       and (c.first_message_id is null or c.first_message_id > v_ids[1]);
  end loop;
  return v_outcomes;
end $$;
