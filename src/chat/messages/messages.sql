-- Sends messages. Each call is made in send.ts or notices.ts. Outcome: {"id": n, "policy": p}, where `p` is the policy that
-- the topic got for its sender by their settings, or null; {"refused": "conflict"} where the
-- same queue and local id were used for another message; {"refused": "begin"} where the sender may not start a
-- conversation. A retry, even in the same batch, gets the first outcome again (I9). Users whom a message mentions by name
-- get a row each; `bots` are those of them who receive it for no other reason, so nothing else says that it is unread.
-- `widget`: what a message begins with in which people do something together, its first submessage.
create or replace function send_messages_v5(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  v_known record;
  v_payload jsonb;
  v_marks jsonb;
  v_conversation bigint;
  v_id bigint;
  v_policy integer;
  v_ordered_at bigint := greatest(now_v1(), (
    select coalesce(ordered_at, sent_at) from message where realm_id = p_realm order by id desc limit 1));
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      sender_id integer, payload jsonb, audience jsonb, content text, rendered text, client text, read_by_sender boolean,
      channel_id integer, topic text, topic_folded text, member_key text, may_begin boolean, queue_id text,
      local_id text, digest text, bots integer[], widget text, first_row jsonb, active_row jsonb,
      has_link boolean, has_image boolean, has_attachment boolean, files jsonb, file_row jsonb, policies jsonb)
  loop
    if v_call.local_id is not null then
      select message_id, digest, policy into v_known from sent
       where realm_id = p_realm and sender_id = v_call.sender_id
         and queue_id = v_call.queue_id and local_id = v_call.local_id;
      if found then
        v_outcomes := v_outcomes || case when v_known.digest = v_call.digest
          then jsonb_build_object('id', v_known.message_id, 'policy', v_known.policy) else '{"refused": "conflict"}'::jsonb end;
        continue;
      end if;
    end if;

    v_payload := v_call.payload;
    v_marks := v_payload -> 'marks';
    v_conversation := null;
    if v_call.member_key is not null then
      select id into v_conversation from conversation where realm_id = p_realm and member_key = v_call.member_key;
      if not found and not v_call.may_begin then
        v_outcomes := v_outcomes || '{"refused": "begin"}'::jsonb;
        continue;
      elsif not found then
        v_conversation := current_setting('parley.position')::bigint + 1;
        insert into conversation (realm_id, id, member_key) values (p_realm, v_conversation, v_call.member_key);
        insert into conversation_member (realm_id, user_id, conversation_id)
        select p_realm, id::integer, v_conversation from unnest(string_to_array(v_call.member_key, ',')) as id;
      end if;
      v_payload := v_payload || jsonb_build_object('conversation_id', v_conversation);
    end if;

    v_policy := null;
    if v_call.policies is not null then
      v_policy := automatic_policies_v1(p_realm, v_call.sender_id, v_call.channel_id, v_call.topic, v_call.topic_folded,
                                        v_call.policies);
    end if;
    v_id := emit_v1(p_realm, 'message', false, v_payload, v_call.audience, 1, v_call.queue_id, v_call.local_id, true);
    insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, conversation_id, content, rendered,
                         client, read_by_sender, sent_at, topic_folded, ordered_at, channel_wildcard, group_mentioned,
                         topic_wildcard, alerted, muted_for, has_link, has_image, has_attachment)
    values (p_realm, v_id, v_call.sender_id, v_call.channel_id, case when v_call.channel_id is not null then v_id end,
            coalesce(v_call.topic, ''), v_conversation, v_call.content, v_call.rendered, v_call.client,
            v_call.read_by_sender, now_v1(), coalesce(v_call.topic_folded, ''), nullif(v_ordered_at, now_v1()),
            v_marks is not null and v_marks ? 'channel', (v_marks ->> 'group')::int4multirange,
            (v_marks ->> 'topic')::int4multirange, (v_marks ->> 'alerted')::int4multirange,
            (v_marks ->> 'muted')::int4multirange,
            coalesce(v_call.has_link, false), coalesce(v_call.has_image, false), coalesce(v_call.has_attachment, false));
    if v_marks ? 'mentioned' then
      insert into personal_message (realm_id, user_id, message_id, mentioned, unread_since)
      select p_realm, named.id::integer, v_id, true, case when named.id::integer = any (v_call.bots) then v_id end
        from jsonb_array_elements_text(v_marks -> 'mentioned') as named(id);
    end if;
    if v_call.widget is not null then
      insert into submessage (realm_id, message_id, id, sender_id, msg_type, content)
      values (p_realm, v_id, v_id, v_call.sender_id, 'widget', v_call.widget);
      perform add_to_message_v1(p_realm, v_id, submessage_bytes_v1(v_call.widget));
    end if;
    if v_call.local_id is not null then
      insert into sent (realm_id, sender_id, queue_id, local_id, digest, message_id, at, policy)
      values (p_realm, v_call.sender_id, v_call.queue_id, v_call.local_id, v_call.digest, v_id, now_v1(), v_policy);
    end if;
    if v_call.first_row is not null then
      perform write_row_v1(p_realm, jsonb_set(v_call.first_row, '{payload,value}', to_jsonb(v_id)));
    end if;
    if v_call.active_row is not null then
      perform write_row_v1(p_realm, v_call.active_row);
    end if;
    if v_call.files is not null then
      perform link_files_v1(p_realm, v_id, v_call.files, v_call.file_row);
    end if;
    v_outcomes := v_outcomes || jsonb_build_object('id', v_id, 'policy', v_policy);
  end loop;
  return v_outcomes;
end $$;
