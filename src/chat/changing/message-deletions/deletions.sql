-- Deleting messages: nothing of their content is left in any table, the log included.

-- Takes the content from all rows of the log that carry some of these messages'. Answers their positions.
create or replace function empty_rows_v2(p_realm integer, p_messages bigint[]) returns bigint[]
language plpgsql set enable_seqscan = off as $$
declare
  -- Not those that only moved it: such a row may carry the content of another message, which was edited in the same commit.
  v_edits bigint[] := array(
    select e.position from unnest(p_messages) as wanted(id) cross join lateral (
      select o.position from message_edit o
       where o.realm_id = p_realm and o.message_id = wanted.id and (o.prev_content is not null or o.editor_id is null)
      offset 0) as e order by e.position);
  -- Taken from the log itself: a submessage that another one replaced stands in no table.
  v_submessages bigint[] := array(
    select s.position from unnest(p_messages) as wanted(id) cross join lateral (
      select o.position from log o
       where o.realm_id = p_realm and o.type = 'submessage' and (o.payload ->> 'message_id')::bigint = wanted.id
      offset 0) as s order by s.position);
begin
  update log set payload = payload - 'original' - 'widget' where realm_id = p_realm and position = any(p_messages);
  update log set payload = jsonb_set(payload, '{content}', '{"raw": "", "rendered": "", "orig_raw": "", "orig_rendered": ""}')
   where realm_id = p_realm and position = any(v_edits) and payload ? 'content';
  update log set payload = jsonb_set(payload, '{content}', '"{}"')
   where realm_id = p_realm and position = any(v_submessages);
  return p_messages || v_edits || v_submessages;
end $$;

-- Takes these messages from all tables but the log. Their words leave the index a moment later (search-index.sql).
create or replace function forget_messages_v1(p_realm integer, p_messages bigint[], p_file_row jsonb) returns void
language plpgsql set enable_seqscan = off as $$
begin
  perform relink_files_v1(p_realm, linked.message_id, '[]', p_file_row, null)
    from (select distinct a.message_id from unnest(p_messages) as wanted(id) cross join lateral (
            select l.message_id from attachment_message l
             where l.realm_id = p_realm and l.message_id = wanted.id offset 0) as a order by a.message_id) as linked;
  perform search_deleted_v1(p_realm, p_messages);
  perform forget_moves_v1(p_realm, moved.all_of_them) from (
    select array_agg(each) as all_of_them from message m cross join lateral unnest(m.moves) as each
     where m.realm_id = p_realm and m.id = any(p_messages)) as moved where moved.all_of_them is not null;
  delete from message where realm_id = p_realm and id = any(p_messages);
  delete from personal_message where realm_id = p_realm and message_id = any(p_messages);
  delete from reaction where realm_id = p_realm and message_id = any(p_messages);
  delete from submessage where realm_id = p_realm and message_id = any(p_messages);
  delete from message_addition where realm_id = p_realm and message_id = any(p_messages);
  delete from message_edit where realm_id = p_realm and message_id = any(p_messages);
  delete from kept_place where realm_id = p_realm and message_id = any(p_messages);
  delete from message_search where realm_id = p_realm and message_id = any(p_messages);
end $$;

-- Calls: {"message_id", "channel_id", "since", "readers"?, "deleter_id", "row", "first_row"?, "file_row"}. `channel_id` and
-- `since`: where the message was found; `readers`: who reads the channel by a group; `row`: of the type delete_message,
-- completed here. Outcome: {}, or {"refused": "moved"} where it
-- is not there any more.
create or replace function delete_messages_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  m message;
  v_row jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      message_id bigint, channel_id integer, since bigint, readers jsonb, deleter_id integer, "row" jsonb, first_row jsonb,
      file_row jsonb)
  loop
    select * into m from message where realm_id = p_realm and id = v_call.message_id;
    if m.id is null or m.channel_id is distinct from v_call.channel_id or m.channel_since is distinct from v_call.since then
      v_outcomes := v_outcomes || '{"refused": "moved"}'::jsonb;
      continue;
    end if;
    v_row := jsonb_set(v_call."row", '{payload}', v_call."row" -> 'payload'
      || jsonb_build_object('topic', m.topic, 'emptied', to_jsonb(empty_rows_v2(p_realm, array[m.id]))));
    v_row := jsonb_set(v_row, '{audience,also}', jsonb_build_array(v_call.deleter_id)
      || coalesce(v_row #> '{audience,also}', '[]') || case when m.channel_id is null then '[]'
        else other_readers_v1(p_realm, m.id, m.channel_id, m.channel_since, v_call.readers) end);
    v_row := with_kept_v1(p_realm, v_row, array[m.id], m.channel_id);
    perform forget_messages_v1(p_realm, array[m.id], v_call.file_row);
    perform append_row_v1(p_realm, v_row);
    if v_call.first_row is not null then
      perform tell_first_v2(p_realm, m.channel_id, 0, v_call.first_row);
    end if;
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;

-- Calls, made in topic-deletion-steps.ts: {"channel_id", "topic_folded", "low", "high"?, "most", "reader"?, "sent_before"?, "readers"?,
-- "deleter_id"?, "row", "first_row", "file_row"}. Deletes those messages of a topic that lie between `low` and `high`, `most` at most,
-- that were sent before `sent_before`, and of which the user `reader`, if there is one, holds each; `row`, of the type delete_message,
-- is completed here. Without a deleter only those who hold them are told.
create or replace function delete_topic_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_ids bigint[];
  v_since bigint[];
  v_topic text;
  v_own jsonb;
  v_row jsonb;
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      channel_id integer, topic_folded text, low bigint, high bigint, most integer, reader integer, sent_before bigint,
      readers jsonb, deleter_id integer,
      "row" jsonb, first_row jsonb, file_row jsonb)
  loop
    select array_agg(found.id order by found.id), array_agg(found.channel_since order by found.id), max(found.topic)
      into v_ids, v_since, v_topic from (
        select m.id, m.channel_since, m.topic from message m
         where m.realm_id = p_realm and m.channel_id = v_call.channel_id and m.topic_folded = v_call.topic_folded
           and m.id >= v_call.low and m.id < coalesce(v_call.high, 9223372036854775807)
           and (v_call.sent_before is null or m.sent_at < v_call.sent_before)
           and (v_call.reader is null or holds_by_span_v1(p_realm, v_call.reader, m.channel_id, m.channel_since) or exists (
             select from personal_message p
              where p.realm_id = p_realm and p.user_id = v_call.reader and p.message_id = m.id))
         order by m.id limit v_call.most) found;
    continue when v_ids is null;
    -- The deleter is told of all, whether they hold them or only may read them.
    select case when v_call.deleter_id is null then '[]' else jsonb_build_array(jsonb_build_array(
             v_call.deleter_id, (select range_agg(int8range(id, id, '[]'))::text from unnest(v_ids) as id))) end
           || coalesce(jsonb_agg(jsonb_build_array(h.user_id, h.ids::text) order by h.user_id), '[]') into v_own from (
      select p.user_id, range_agg(int8range(m.id, m.id, '[]')) as ids
        from unnest(v_ids, v_since) as m(id, since) cross join lateral (
          select o.user_id from personal_message o where o.realm_id = p_realm and o.message_id = m.id offset 0) p
       where p.user_id is distinct from v_call.deleter_id
         and not holds_by_span_v1(p_realm, p.user_id, v_call.channel_id, m.since)
         and reads_held_v1(p_realm, p.user_id, v_call.channel_id, v_call.readers) group by p.user_id) h;
    v_row := jsonb_set(v_call."row", '{payload}', v_call."row" -> 'payload'
      || jsonb_build_object('topic', v_topic, 'emptied', to_jsonb(empty_rows_v2(p_realm, v_ids))));
    v_row := jsonb_set(v_row, '{payload,messages}', v_row #> '{payload,messages}'
      || jsonb_build_object('ids', to_jsonb(v_ids), 'own', v_own)
      || case when v_since <> v_ids then jsonb_build_object('since', to_jsonb(v_since)) else '{}' end);
    v_row := jsonb_set(v_row, '{audience}', v_row -> 'audience' || jsonb_build_object(
      'since', (select min(each) from unnest(v_since) as each), 'through', (select max(each) from unnest(v_since) as each),
      'also', coalesce(v_row #> '{audience,also}', '[]') || (
        select coalesce(jsonb_agg(each -> 0), '[]') from jsonb_array_elements(v_own) as each)));
    v_row := with_kept_v1(p_realm, v_row, v_ids, v_call.channel_id);
    perform forget_messages_v1(p_realm, v_ids, v_call.file_row);
    perform append_row_v1(p_realm, jsonb_set(v_row, '{width}', to_jsonb(cardinality(v_ids))));
    perform tell_first_v2(p_realm, v_call.channel_id, 0, v_call.first_row);
  end loop;
  return '[]';
end $$;
