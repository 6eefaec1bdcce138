-- Policies of users for a topic go with its messages: those who muted or follow it do so where they are now.

-- Calls: {"channel_id", "topic_folded", "to_channel", "to_topic", "to_folded", "readers", "is_whole", "most", "forms",
-- "before"?}. Of users with a policy for the topic, `most` at most: the policy is taken from the topic that was
-- moved, and given to the one that it was moved to, for who may read that (`readers` as in may_read_v1) and has not a
-- stronger one there. Nothing is done if only a part was moved and messages are left; what came from position `before` on does not count:
-- in later commits of a move that is the notice of where they are now. A topic that only gets another spelling is the same
-- topic: its policies get the new one too, and messages are left if some of the newest 1,000 have another.
create or replace function move_policies_v3(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  v_user record;
  v_is_same boolean;
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      channel_id integer, topic_folded text, to_channel integer, to_topic text, to_folded text, readers jsonb,
      is_whole boolean, most integer, forms jsonb, before bigint)
  loop
    v_is_same := v_call.channel_id = v_call.to_channel and v_call.topic_folded = v_call.to_folded;
    continue when not v_call.is_whole and exists (
      select from (
        select topic from message
         where realm_id = p_realm and channel_id = v_call.channel_id and topic_folded = v_call.topic_folded
           and (v_call.before is null or id < v_call.before)
         order by id desc limit 1000) as left_there
       where not v_is_same or topic <> v_call.to_topic);
    for v_user in
      select u.user_id, u.policy, u.topic
        from jsonb_to_recordset((
          select coalesce(jsonb_agg(each), '[]') from (
            select user_id, policy, topic from user_topic
             where realm_id = p_realm and channel_id = v_call.channel_id and topic_folded = v_call.topic_folded
               and (not v_is_same or topic <> v_call.to_topic)
             order by user_id limit v_call.most) as each)) as u(user_id integer, policy integer, topic text)
    loop
      perform set_user_topic_v1(p_realm, v_user.user_id, v_call.channel_id, v_user.topic, v_call.topic_folded, 0,
                                v_call.forms);
      if may_read_v1(p_realm, v_user.user_id, v_call.to_channel, v_call.readers)
         and topic_policy_v1(p_realm, v_user.user_id, v_call.to_channel, v_call.to_folded) < v_user.policy then
        perform set_user_topic_v1(p_realm, v_user.user_id, v_call.to_channel, v_call.to_topic, v_call.to_folded,
                                  v_user.policy, v_call.forms);
      end if;
    end loop;
  end loop;
  return '[]';
end $$;
