-- Channels: changed and archived. They are made where people are subscribed (subscriptions.sql); what is_default says
-- follows from the rows of default channels (emit_rows_v1).

-- Whether any message of the channel stands in another topic than the empty one; one look at the index.
create or replace function has_named_topics_v1(p_realm integer, p_channel integer) returns boolean
language plpgsql stable set enable_seqscan = off as $$
begin
  return exists (select 1 from message where realm_id = p_realm and channel_id = p_channel and lower(topic) > '');
end $$;

-- Calls: {"channel": the whole record as it is to be, "only_empty_topic", "rows": [...], "notices": [...]}. What messages
-- and time make of a channel is not written. Outcome: {}; {"refused": "named_topics"} where it would take the empty topic
-- only and has messages in others.
create or replace function change_channels_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_channel integer;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_channel := (v_call #>> '{channel,id}')::integer;
    if (v_call ->> 'only_empty_topic')::boolean and has_named_topics_v1(p_realm, v_channel) then
      v_outcomes := v_outcomes || '{"refused": "named_topics"}'::jsonb;
      continue;
    end if;
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    update channel c
       set name = r.name, description = r.description, rendered_description = r.rendered_description,
           is_private = r.is_private, is_web_public = r.is_web_public, history_shared = r.history_shared,
           is_archived = r.is_archived, topics_policy = r.topics_policy, retention_days = r.retention_days,
           folder_id = r.folder_id, permissions = r.permissions
      from jsonb_to_record(v_call -> 'channel') as r(
        name text, description text, rendered_description text, is_private boolean, is_web_public boolean,
        history_shared boolean, is_archived boolean, topics_policy text, retention_days integer, folder_id integer,
        permissions jsonb)
     where c.realm_id = p_realm and c.id = v_channel;
    perform send_messages_v1(p_realm, v_call -> 'notices');
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;

-- Calls: {"channel_id", "notices": [...], "rows": [...], "row": {"payload", "audience"}}. The messages come first, while the
-- channel is still there for everybody; the record of `row` tells what they make of it. Subscribers who have not heard yet
-- that it had come back (channel-archive.ts) are not told any more: the next return tells them all anew. Outcome: {}.
create or replace function archive_channels_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_now jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    perform send_messages_v1(p_realm, v_call -> 'notices');
    perform emit_rows_v1(p_realm, v_call -> 'rows');
    update realm set settings = settings || (v_call -> 'settings') where id = p_realm and v_call -> 'settings' <> '{}';
    update channel set is_archived = true
     where realm_id = p_realm and id = (v_call ->> 'channel_id')::integer
    returning jsonb_build_object('first_message_id', first_message_id, 'is_recently_active', is_recently_active) into v_now;
    delete from unfinished_work
     where realm_id = p_realm and kind = 'return_subscribers' and args -> 'channel_id' = v_call -> 'channel_id';
    perform emit_v1(p_realm, 'stream', true,
                    jsonb_set(v_call #> '{row,payload}', '{channel}', v_call #> '{row,payload,channel}' || v_now),
                    v_call #> '{row,audience}');
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
