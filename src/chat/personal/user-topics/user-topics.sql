-- The policies of users for topics, by what they want to see: 1 muted, 2 unmuted in a muted channel, 3 followed; 0, and
-- no row, nothing of its own.

-- Applies rows of the type user_topic, and keeps user_topic_total: what anybody may have of them is asked with each send that gives
-- its sender a policy, and to count them took the longer the more there were. `beside`: {"topic_folded"}.
create or replace function apply_user_topic_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_payload ->> 'user_id')::integer;
  v_channel integer := (p_payload ->> 'channel_id')::integer;
  v_policy integer := (p_payload ->> 'policy')::integer;
  v_known integer := topic_policy_v1(p_realm, v_user, v_channel, p_beside ->> 'topic_folded');
begin
  if v_policy = 0 then
    delete from user_topic
     where realm_id = p_realm and user_id = v_user and channel_id = v_channel and topic_folded = p_beside ->> 'topic_folded';
  else
    insert into user_topic (realm_id, user_id, channel_id, topic, topic_folded, policy, updated_at)
    values (p_realm, v_user, v_channel, p_payload ->> 'topic', p_beside ->> 'topic_folded', v_policy, now_v1())
    on conflict (realm_id, user_id, channel_id, topic_folded) do update
       set topic = excluded.topic, policy = excluded.policy, updated_at = excluded.updated_at;
  end if;
  insert into user_topic_total as t (realm_id, user_id, topics, muted)
  values (p_realm, v_user, (v_policy <> 0)::integer - (v_known <> 0)::integer, (v_policy = 1)::integer - (v_known = 1)::integer)
  on conflict (realm_id, user_id) do update set topics = t.topics + excluded.topics, muted = t.muted + excluded.muted;
  return null;
end $$;

create or replace function topic_policy_v1(p_realm integer, p_user integer, p_channel integer, p_folded text)
returns integer language sql stable as $$
  select coalesce((select policy from user_topic
                    where realm_id = p_realm and user_id = p_user and channel_id = p_channel and topic_folded = p_folded), 0)
$$;

-- [name of the channel, topic, Unix seconds] of each topic that a user has muted, the oldest first. Those of a channel
-- that the user may not know of any more are left out, because its name may be another one by now; so are those of
-- private channels that they see only by their role or a group. No row tells of a channel that is renamed, or that comes into
-- sight or out of it: see docs/choices.md.
create or replace function section_muted_topics_v1(p_realm integer, p_user integer) returns json
language sql stable set enable_seqscan = off as $$
  select coalesce(json_agg(json_build_array(c.name, t.topic, t.updated_at / 1000)
                           order by t.updated_at, t.channel_id, t.topic_folded), '[]')
    from user_topic t join channel c on c.realm_id = p_realm and c.id = t.channel_id
   where t.realm_id = p_realm and t.user_id = p_user and t.policy = 1
     and (c.is_web_public or exists (
         select from subscription_span s
          where s.realm_id = p_realm and s.channel_id = c.id and s.user_id = p_user and s.closed is null)
       or (not c.is_private and exists (
         select from role_span r
          where r.realm_id = p_realm and r.user_id = p_user and r.closed is null and r.role < 600)))
$$;

-- All topics with a policy of a user as the text of their records, joined by commas; apart, those of the empty topic,
-- which some clients know by another name.
create or replace function section_user_topics_v1(p_realm integer, p_user integer) returns json
language sql stable set enable_seqscan = off as $$
  select json_build_object('named', coalesce(string_agg(record, ',') filter (where topic <> ''), ''),
                           'empty', coalesce(string_agg(record, ',') filter (where topic = ''), ''))
    from (
      select topic, '{"stream_id":' || channel_id || ',"topic_name":' || to_json(topic)
          || ',"last_updated":' || updated_at / 1000 || ',"visibility_policy":' || policy || '}' as record
        from user_topic where realm_id = p_realm and user_id = p_user) t
$$;

-- Gives a topic a policy for a user, with the rows that tell them, where it has another one. `p_forms`: see topicForms in
-- chat/ground/kinds/user-topic-row.ts. Answers null, or, having changed nothing: "same"; "full" where the user has too many
-- topics with a policy; "muted" where they have muted too many.
create or replace function set_user_topic_v1(
  p_realm integer, p_user integer, p_channel integer, p_topic text, p_folded text, p_policy integer, p_forms jsonb
) returns text language plpgsql set enable_seqscan = off as $$
declare
  v_known integer := topic_policy_v1(p_realm, p_user, p_channel, p_folded);
  v_audience jsonb := jsonb_build_object('kind', 'users', 'users', jsonb_build_array(p_user));
  v_row jsonb;
  v_total record;
begin
  if v_known = p_policy then
    return 'same';
  end if;
  select topics, muted into v_total from user_topic_total where realm_id = p_realm and user_id = p_user;
  if v_known = 0 and (p_forms ->> 'most')::integer <= coalesce(v_total.topics, 0) then
    return 'full';
  elsif p_policy = 1 and (p_forms ->> 'most_muted')::integer <= coalesce(v_total.muted, 0) then
    return 'muted';
  end if;
  v_row := p_forms -> 'row' || jsonb_build_object(
    'audience', v_audience,
    'beside', jsonb_build_object('topic_folded', p_folded),
    'payload', jsonb_build_object('user_id', p_user, 'channel_id', p_channel, 'topic', p_topic, 'policy', p_policy));
  if follow_row_v1(p_realm, v_row) is not null then
    raise exception 'a policy of a topic was refused';
  end if;
  if 1 in (v_known, p_policy) then
    perform append_row_v1(p_realm, p_forms -> 'muted_row' || jsonb_build_object(
      'audience', v_audience, 'payload', jsonb_build_object('topics', section_muted_topics_v1(p_realm, p_user))));
  end if;
  perform append_row_v1(p_realm, v_row);
  return null;
end $$;

-- Gives topics policies. A call: {"user_id", "channel_id", "topic", "topic_folded", "policy", "only_from", "forms"}.
-- `only_from`: null, or the policy that the topic must have, else nothing is done. Outcome: {}, or {"refused": word}.
create or replace function set_user_topics_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call record;
  v_refusal text;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      user_id integer, channel_id integer, topic text, topic_folded text, policy integer, only_from integer, forms jsonb)
  loop
    v_refusal := 'same';
    if v_call.only_from is null
       or v_call.only_from = topic_policy_v1(p_realm, v_call.user_id, v_call.channel_id, v_call.topic_folded) then
      v_refusal := set_user_topic_v1(p_realm, v_call.user_id, v_call.channel_id, v_call.topic, v_call.topic_folded,
                                     v_call.policy, v_call.forms);
    end if;
    v_outcomes := v_outcomes || case when v_refusal is null then '{}' else jsonb_build_object('refused', v_refusal) end;
  end loop;
  return v_outcomes;
end $$;

-- Gives a topic the policies that users want by what they or others have done there. `p_policies`: {"wishes": [{"user_id",
-- "policy", "is_first", "is_held_only", "keeps_muted"}, ...], "forms"}, see chat/sending/messages/automatic-topic-policies.ts. Of a user's wishes the first
-- one that applies counts. Answers the policy that `p_actor` has got; null where it is as before. Who has too many
-- policies gets no more.
create or replace function automatic_policies_v1(
  p_realm integer, p_actor integer, p_channel integer, p_topic text, p_folded text, p_policies jsonb
) returns integer language plpgsql set enable_seqscan = off as $$
declare
  v_wish record;
  v_known integer;
  v_done integer[] := '{}';
  v_result integer;
begin
  for v_wish in
    select * from jsonb_to_recordset(p_policies -> 'wishes') as w(
      user_id integer, policy integer, is_first boolean, is_held_only boolean, keeps_muted boolean)
  loop
    continue when v_wish.user_id = any(v_done) or (v_wish.is_first and exists (
      select from message where realm_id = p_realm and channel_id = p_channel and topic_folded = p_folded
        and id >= case when v_wish.is_held_only then coalesce((
          select s.reads_from from subscription_span s
           where s.realm_id = p_realm and s.channel_id = p_channel and s.user_id = v_wish.user_id and s.closed is null
           limit 1), 9223372036854775807) else 0 end));
    v_done := v_done || v_wish.user_id;
    v_known := topic_policy_v1(p_realm, v_wish.user_id, p_channel, p_folded);
    continue when v_known >= v_wish.policy or (v_wish.keeps_muted and v_known = 1);
    if set_user_topic_v1(p_realm, v_wish.user_id, p_channel, p_topic, p_folded, v_wish.policy, p_policies -> 'forms') is null
       and v_wish.user_id = p_actor then
      v_result := v_wish.policy;
    end if;
  end loop;
  return v_result;
end $$;

-- The same for somebody who takes part in the topic of a message. `p_policies`: null: they have no such settings.
create or replace function take_part_v1(p_realm integer, p_actor integer, p_message bigint, p_policies jsonb) returns void
language plpgsql as $$
declare
  v_message record;
begin
  if p_policies is not null then
    select channel_id, topic, topic_folded into v_message from message where realm_id = p_realm and id = p_message;
    perform automatic_policies_v1(p_realm, p_actor, v_message.channel_id, v_message.topic, v_message.topic_folded, p_policies);
  end if;
end $$;
