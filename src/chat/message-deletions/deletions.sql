-- Deleting messages: nothing of their content is left in any table, the log included.

-- Takes the content from all rows of the log that carry some of a message's. Answers their positions.
create or replace function empty_rows_v1(p_realm integer, p_message bigint) returns bigint[]
language plpgsql set enable_seqscan = off as $$
declare
  -- Not those that only moved it: such a row may carry the content of another message, which was edited in the same commit.
  v_edits bigint[] := array(
    select position from message_edit
     where realm_id = p_realm and message_id = p_message and (prev_content is not null or editor_id is null));
  v_submessages bigint[] := array(
    select id from submessage where realm_id = p_realm and message_id = p_message and id <> p_message);
begin
  update log set payload = payload - 'original' - 'widget' where realm_id = p_realm and position = p_message;
  update log set payload = jsonb_set(payload, '{content}', '{"raw": "", "rendered": "", "orig_raw": "", "orig_rendered": ""}')
   where realm_id = p_realm and position = any(v_edits) and payload ? 'content';
  update log set payload = jsonb_set(payload, '{content}', '"{}"')
   where realm_id = p_realm and position = any(v_submessages);
  return array[p_message] || v_edits || v_submessages;
end $$;

-- Calls: {"message_id", "channel_id", "since", "deleter_id", "row", "first_row"?, "file_row"}. `channel_id` and `since`: where
-- the message was found; `row`: of the type delete_message, completed here. Outcome: {}, or {"refused": "moved"} where it
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
      message_id bigint, channel_id integer, since bigint, deleter_id integer, "row" jsonb, first_row jsonb, file_row jsonb)
  loop
    select * into m from message where realm_id = p_realm and id = v_call.message_id;
    if m.id is null or m.channel_id is distinct from v_call.channel_id or m.channel_since is distinct from v_call.since then
      v_outcomes := v_outcomes || '{"refused": "moved"}'::jsonb;
      continue;
    end if;
    v_row := jsonb_set(v_call."row", '{payload}', v_call."row" -> 'payload'
      || jsonb_build_object('topic', m.topic, 'emptied', to_jsonb(empty_rows_v1(p_realm, m.id))));
    v_row := jsonb_set(v_row, '{audience,also}', jsonb_build_array(v_call.deleter_id)
      || case when m.channel_id is null then '[]' else other_holders_v1(p_realm, m.id, m.channel_id, m.channel_since) end);
    perform relink_files_v1(p_realm, m.id, '[]', v_call.file_row, null);
    delete from message where realm_id = p_realm and id = m.id;
    delete from personal_message where realm_id = p_realm and message_id = m.id;
    delete from reaction where realm_id = p_realm and message_id = m.id;
    delete from submessage where realm_id = p_realm and message_id = m.id;
    delete from message_addition where realm_id = p_realm and message_id = m.id;
    delete from message_edit where realm_id = p_realm and message_id = m.id;
    delete from message_search where realm_id = p_realm and message_id = m.id;
    delete from search_pending where realm_id = p_realm and message_id = m.id;
    perform append_row_v1(p_realm, v_row);
    if v_call.first_row is not null then
      perform tell_first_v1(p_realm, m.channel_id, v_call.first_row);
    end if;
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
