-- A step behind a send: programs elsewhere are to be told of the message, which is the newest of the organization. Calls:
-- {"bot", "trigger"}. Those of one bot keep their order, and the bots of one owner have their turns together. Where 50 calls of a
-- bot wait, a further one is left out; one row says so, which its owner is told by.
create or replace function add_bot_calls_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_message bigint;
  v_call jsonb;
  v_bot text;
  v_lane text;
  v_waiting integer;
begin
  select id into v_message from message where realm_id = p_realm order by id desc limit 1;
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_bot := 'bot ' || (v_call ->> 'bot');
    select coalesce('owner ' || bot_owner_id || '/', '') || v_bot into v_lane
      from account where realm_id = p_realm and id = (v_call ->> 'bot')::integer;
    v_call := v_call || jsonb_build_object('message', v_message);
    select count(*) into v_waiting from (
      select from outbox where realm_id = p_realm and kind = 'bot call' and lane = v_lane and given_up_at is null limit 50) as w;
    if v_waiting = 50 then
      v_lane := 'left out/' || v_bot;
      v_call := v_call || jsonb_build_object('left_out', true);
      continue when exists (
        select from outbox where realm_id = p_realm and kind = 'bot call' and lane = v_lane and given_up_at is null);
    end if;
    perform add_outbox_v1(p_realm, 'bot call', v_call, null, v_lane);
  end loop;
  return (select jsonb_agg(null::text) from jsonb_array_elements(p_calls));
end $$;

-- What a called program is told of a message; null where it is gone. `member_key`: of a direct message, the ids of its people.
create or replace function called_message_v1(p_realm integer, p_message bigint) returns json language sql stable as $$
  select json_build_object(
      'sender_id', m.sender_id, 'channel_id', m.channel_id, 'topic', m.topic, 'conversation_id', m.conversation_id,
      'content', m.content, 'rendered', m.rendered, 'client', m.client, 'sent_at', m.sent_at,
      'member_key', (select c.member_key from conversation c where c.realm_id = p_realm and c.id = m.conversation_id))
    from message m where m.realm_id = p_realm and m.id = p_message
$$;

-- Counts a failure of a bot. Answers how many there were since its owner was last told, this one included; null where they were
-- told less than p_quiet milliseconds ago.
create or replace function note_bot_failure_v1(p_realm integer, p_user integer, p_now bigint, p_quiet bigint)
returns integer language sql as $$
  insert into bot_failure as f (realm_id, user_id, failed) values (p_realm, p_user, 1)
  on conflict (realm_id, user_id) do update set failed = f.failed + 1
  returning case when f.told_at is null or f.told_at + p_quiet <= p_now or f.told_at > p_now then f.failed end
$$;

-- A step: the owners of bots are told of their failures. Calls: {"user_id", "at"}.
create or replace function bot_failures_told_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
begin
  update bot_failure as f set failed = 0, told_at = c.at
    from jsonb_to_recordset(p_calls) as c(user_id integer, at bigint)
   where f.realm_id = p_realm and f.user_id = c.user_id;
  return (select jsonb_agg(null::text) from jsonb_array_elements(p_calls));
end $$;
