-- Sends messages. Each call is made in send-message.ts or notices.ts. Outcome: {"id": n, "policy": p}, where `p` is the policy that
-- the topic got for its sender by their settings, or null; {"refused": "conflict"} where the
-- same queue and local id were used for another message; {"refused": "begin"} where the sender may not start a
-- conversation. A retry, even in the same batch, gets the first outcome again (I9). Users whom a message mentions by name
-- get a row each; `bots` are those of them who receive it for no other reason, so nothing else says that it is unread.
-- `widget`: what a message begins with in which people do something together, its first submessage.
--
-- A walk over the calls gives each message its position and writes what comes before it. Then the messages are written
-- together: an insert looks at every index of its table, and one for each message took a third more time. What comes after
-- a message follows all of them.
create or replace function send_messages_v5(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  -- For each call: the position of its message, null where it sends none; its conversation; the policy for its sender.
  v_ids bigint[] := '{}';
  v_conversations bigint[] := '{}';
  v_policies integer[] := '{}';
  -- For each call: whether its topic has a message of this batch by then.
  v_begun boolean[] := '{}';
  v_outcomes jsonb[] := '{}';
  v_outcome jsonb;
  v_position bigint := current_setting('parley.position')::bigint;
  v_id bigint;
  v_conversation bigint;
  v_policy integer;
  v_ordered_at bigint := greatest(now_v1(), (
    select coalesce(ordered_at, sent_at) from message where realm_id = p_realm order by id desc limit 1));
begin
  for v_call in
    select c.*, s.message_id as known_id, s.policy as known_policy, s.digest as known_digest,
           first_value(c.n) over same as first_n, first_value(c.digest) over same as first_digest,
           lag(c.n) over (partition by c.channel_id, c.topic_folded order by c.n) as before_n
      from rows from (jsonb_to_recordset(p_calls) as (
             sender_id integer, channel_id integer, topic text, topic_folded text, member_key text, may_begin boolean,
             queue_id text, local_id text, digest text, policies jsonb)) with ordinality as c(
             sender_id, channel_id, topic, topic_folded, member_key, may_begin, queue_id, local_id, digest, policies, n)
      left join lateral (
        select message_id, policy, digest from sent
         where realm_id = p_realm and sender_id = c.sender_id and queue_id = c.queue_id and local_id = c.local_id
        offset 0) as s on c.local_id is not null
    window same as (partition by c.sender_id, c.queue_id, c.local_id order by c.n)
     order by c.n
  loop
    v_id := null;
    v_conversation := null;
    v_policy := null;
    v_outcome := case
      when v_call.local_id is null then null
      when v_call.known_id is not null then
        case when v_call.known_digest = v_call.digest
          then jsonb_build_object('id', v_call.known_id, 'policy', v_call.known_policy) else '{"refused": "conflict"}' end
      when v_call.first_n < v_call.n then
        case when v_call.first_digest = v_call.digest then v_outcomes[v_call.first_n] else '{"refused": "conflict"}' end
    end;
    if v_outcome is null and v_call.member_key is not null then
      select id into v_conversation from conversation where realm_id = p_realm and member_key = v_call.member_key;
      if not found and not v_call.may_begin then
        v_outcome := '{"refused": "begin"}';
      elsif not found then
        v_conversation := v_position + 1;
        insert into conversation (realm_id, id, member_key) values (p_realm, v_conversation, v_call.member_key);
        insert into conversation_member (realm_id, user_id, conversation_id)
        select p_realm, id::integer, v_conversation from unnest(string_to_array(v_call.member_key, ',')) as id;
      end if;
    end if;
    if v_outcome is null then
      if v_call.policies is not null then
        perform set_config('parley.position', v_position::text, true);
        v_policy := automatic_policies_v1(
          p_realm, v_call.sender_id, v_call.channel_id, v_call.topic, v_call.topic_folded,
          case when v_begun[v_call.before_n] then policies_of_old_topic_v1(v_call.policies) else v_call.policies end);
        v_position := current_setting('parley.position')::bigint;
      end if;
      v_position := v_position + 1;
      v_id := v_position;
      v_outcome := jsonb_build_object('id', v_id, 'policy', v_policy);
    end if;
    v_ids := v_ids || v_id;
    v_conversations := v_conversations || v_conversation;
    v_policies := v_policies || v_policy;
    v_begun := v_begun || (v_id is not null or coalesce(v_begun[v_call.before_n], false));
    v_outcomes := v_outcomes || v_outcome;
  end loop;
  perform set_config('parley.position', v_position::text, true);

  with call as materialized (
    select c.*, case when c.conversation_id is null then c.sent_payload
             else c.sent_payload || jsonb_build_object('conversation_id', c.conversation_id) end as payload,
           c.sent_payload -> 'marks' as marks
      from rows from (
             jsonb_to_recordset(p_calls) as (
               sender_id integer, payload jsonb, audience jsonb, content text, rendered text, client text,
               read_by_sender boolean, channel_id integer, topic text, topic_folded text, queue_id text, local_id text,
               digest text, bots integer[], has_link boolean, has_image boolean, has_attachment boolean),
             unnest(v_ids), unnest(v_conversations), unnest(v_policies)) as c(
               sender_id, sent_payload, audience, content, rendered, client, read_by_sender, channel_id, topic,
               topic_folded, queue_id, local_id, digest, bots, has_link, has_image, has_attachment, id,
               conversation_id, policy)
     where c.id is not null
  ), logged as (
    insert into log (realm_id, position, type, payload, audience, width, message_id, queue_id, local_id, at)
    select p_realm, id, 'message', payload, audience, 1, id, queue_id, local_id, now_v1() from call
  ), named as (
    insert into personal_message (realm_id, user_id, message_id, mentioned, unread_since)
    select p_realm, n.id::integer, c.id, true, case when n.id::integer = any (c.bots) then c.id end
      from call c cross join lateral jsonb_array_elements_text(c.marks -> 'mentioned') as n(id)
  ), remembered as (
    insert into sent (realm_id, sender_id, queue_id, local_id, digest, message_id, at, policy)
    select p_realm, sender_id, queue_id, local_id, digest, id, now_v1(), policy from call where local_id is not null
  )
  insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, conversation_id, content, rendered,
                       client, read_by_sender, sent_at, topic_folded, ordered_at, channel_wildcard, group_mentioned,
                       topic_wildcard, alerted, muted_for, has_link, has_image, has_attachment)
  select p_realm, id, sender_id, channel_id, case when channel_id is not null then id end,
         coalesce(topic, ''), conversation_id, content, rendered, client, read_by_sender, now_v1(),
         coalesce(topic_folded, ''), nullif(v_ordered_at, now_v1()), coalesce(marks ? 'channel', false),
         (marks ->> 'group')::int4multirange, (marks ->> 'topic')::int4multirange,
         (marks ->> 'alerted')::int4multirange, (marks ->> 'muted')::int4multirange,
         coalesce(has_link, false), coalesce(has_image, false), coalesce(has_attachment, false)
    from call;

  -- All that comes after the message.
  for v_call in
    select c.*, v_ids[c.n] as id
      from rows from (jsonb_to_recordset(p_calls) as (
             sender_id integer, widget text, first_row jsonb, active_row jsonb, files jsonb, file_row jsonb))
        with ordinality as c(sender_id, widget, first_row, active_row, files, file_row, n)
     where v_ids[c.n] is not null
       and (c.widget is not null or c.first_row is not null or c.active_row is not null or c.files is not null)
     order by c.n
  loop
    if v_call.widget is not null then
      insert into submessage (realm_id, message_id, id, sender_id, msg_type, content)
      values (p_realm, v_call.id, v_call.id, v_call.sender_id, 'widget', v_call.widget);
      perform add_to_message_v1(p_realm, v_call.id, submessage_bytes_v1(v_call.widget));
    end if;
    if v_call.first_row is not null then
      perform write_row_v1(p_realm, jsonb_set(v_call.first_row, '{payload,value}', to_jsonb(v_call.id)));
    end if;
    if v_call.active_row is not null then
      perform write_row_v1(p_realm, v_call.active_row);
    end if;
    if v_call.files is not null then
      perform link_files_v1(p_realm, v_call.id, v_call.files, v_call.file_row);
    end if;
  end loop;
  return to_jsonb(v_outcomes);
end $$;

-- The wishes for policies of a call of send_messages_v5 without those for a new topic: an earlier call of the batch begins
-- it, whose message is not written yet.
create or replace function policies_of_old_topic_v1(p_policies jsonb) returns jsonb language sql immutable as $$
  select p_policies || jsonb_build_object('wishes', (
    select coalesce(jsonb_agg(w.value), '[]') from jsonb_array_elements(p_policies -> 'wishes') as w(value)
     where not coalesce((w.value ->> 'is_first')::boolean, false)))
$$;

-- A guard: refuses with "begin" where a message would start a conversation that its sender may not start. Args: {"member_key":
-- null for a channel message, "may_begin"}.
create or replace function may_begin_v1(p_realm integer, p_args jsonb) returns text language sql stable as $$
  select case when not (p_args ->> 'may_begin')::boolean and not exists (
    select from conversation where realm_id = p_realm and member_key = p_args ->> 'member_key') then 'begin' end
$$;

-- A guard before a message by which guests come to know somebody: as may_begin_v1, and "retry" where a message was sent under
-- the same key before. Args: {"sender_id", "member_key", "may_begin", "queue_id", "local_id"}.
create or replace function may_meet_v1(p_realm integer, p_args jsonb) returns text language sql stable as $$
  select case when exists (
    select from sent where realm_id = p_realm and sender_id = (p_args ->> 'sender_id')::integer
       and queue_id = p_args ->> 'queue_id' and local_id = p_args ->> 'local_id') then 'retry'
    else may_begin_v1(p_realm, p_args) end
$$;
