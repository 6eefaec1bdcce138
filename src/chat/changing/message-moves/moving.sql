-- Moves of messages: the rows that tell of them, and what is checked before.

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
-- "most_flags", "topic", "to_folded", "is_move", "editor_id", "row", "most_edits", "edit"?, "from_readers"?, "is_partly_held",
-- "to_channel"?, and with that what move_between_v1 takes}. Moves those
-- messages of a topic that lie between `low` and `high`, `most` at most, of which the user `reader`, if there is one, holds
-- each; and writes the row that tells of it. `from_readers`: null where who has a row of their own about a message of the
-- channel may read it there; else only those who are in the channel, and these. `is_partly_held`: some who are told may hold
-- others than the message that the row names; it tells the flags of these, too. `edit`: the message `message_id`, which is
-- moved with the others, gets another content (change_content_v2), with "files" and "file_row".
-- Outcome, of calls with an `edit` only: {"detached"} as of edit_messages_v1.
create or replace function move_messages_v2(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_ids bigint[];
  v_since bigint[];
  v_topics text[];
  v_is_full boolean;
  v_edited bigint;
  v_spellings text[];
  v_left jsonb;
  v_kept jsonb;
  v_held jsonb;
  v_spans jsonb;
  v_came jsonb;
  v_changed bigint[];
  v_position bigint;
  v_message bigint;
  v_last bigint;
  v_row jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select c.*, each as call from jsonb_array_elements(p_calls) as each cross join lateral jsonb_to_record(each) as c(
      channel_id integer, topic_folded text, low bigint, high bigint, most integer, reader integer, message_id bigint,
      most_flags integer, to_channel integer, topic text, to_folded text, is_move boolean,
      editor_id integer, "row" jsonb, gone_row jsonb, given integer[], most_edits integer, edit jsonb, from_readers integer[],
      is_partly_held boolean)
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
    -- The row about these is written before the other, and has those to whom the messages come forget older forms of them.
    v_changed := case when v_call.gone_row is null then '{}'
      when cardinality(v_ids) > 1 and v_call.given <> '{}' then v_ids else changed_before_v1(p_realm, v_ids) end;
    v_position := current_setting('parley.position')::bigint + case when v_changed = '{}' then 1 else 2 end;
    v_kept := case when v_since <> v_ids then kept_places_v1(p_realm, v_ids, v_call.channel_id) end;
    v_held := held_messages_v1(p_realm, v_ids, v_since, v_call.channel_id, v_call.from_readers, v_kept);
    v_spans := held_audience_v1(v_since, v_kept);
    if v_call.to_channel is not null then
      v_came := v_held || case when cardinality(v_ids) = 1 then '{"is_one": true}'::jsonb else '{}' end;
      v_left := leave_channel_v1(p_realm, v_position, v_ids, v_since, v_call.call);
      if v_changed <> '{}' then
        perform append_row_v1(p_realm, gone_row_v1(v_call.gone_row, v_came, v_left -> 'after', v_ids, v_changed));
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
    v_last := case when not coalesce(
        (v_call."row" #>> '{payload,messages,came,history_shared}')::boolean,
        v_call."row" #>> '{payload,messages,held_by}' <> 'each') then (
      select m.id from unnest(v_ids, v_since) as m(id, since) order by m.since desc, m.id desc limit 1) end;
    v_message := case
      when v_call.to_channel is null and v_edited is null and v_last is not null then v_last
      when v_call.message_id = any(v_ids) then v_call.message_id
      else v_ids[1] end;
    v_row := jsonb_set(v_call."row", '{payload}', v_call."row" -> 'payload' || jsonb_build_object(
      'message_id', v_message,
      'flags', message_flags_v1(p_realm, v_message,
        case when v_call.message_id = any(v_ids) then null else v_call.most_flags end)));
    if cardinality(v_ids) > 1 and (
        v_call.is_partly_held or (v_kept -> 'is_partly')::boolean or v_held - 'since' - 'kept' <> '{}'
        or v_left -> 'after' <> '[]') then
      v_row := jsonb_set(v_row, '{payload,others}', case when v_last <> v_message
        then jsonb_build_array(jsonb_build_object(
          'message_id', v_last, 'flags', message_flags_v1(p_realm, v_last, null))) else '[]' end
        || other_flags_v1(p_realm, array_remove(array_remove(v_ids, v_message), v_last),
             case when v_call.to_channel is not null then v_call.channel_id end, v_call.most_flags));
    end if;
    if v_call.to_channel is not null then
      perform tell_between_v1(p_realm, v_row, v_ids, v_came, v_spans, v_left, v_call.call);
      continue;
    end if;
    v_row := jsonb_set(v_row, '{payload,messages}', v_row #> '{payload,messages}' || jsonb_build_object('ids', v_ids) || v_held);
    v_row := jsonb_set(v_row, '{audience}', v_row -> 'audience' || v_spans
      || jsonb_build_object('also', coalesce(v_row #> '{audience,also}', '[]') || users_in_v1(coalesce(v_held -> 'own', '[]'))));
    perform append_row_v1(p_realm, v_row);
    if v_call.edit is not null then
      v_outcomes := v_outcomes || jsonb_build_object('detached', relink_files_v1(
        p_realm, v_call.message_id, v_call.edit -> 'files', v_call.edit -> 'file_row', v_call.editor_id));
    end if;
  end loop;
  return v_outcomes;
end $$;
