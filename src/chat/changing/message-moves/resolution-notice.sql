-- The notice that a topic is resolved, or that this is undone, is read from the start for most.

-- Calls: those of send_messages_v5, and "folded_before", the topic that has got another name; "always" and "never": the users
-- for whom it is to be read even if they follow the topic, and to be unread. For all others it is unread if they follow the
-- topic by either name. It is marked as read for everybody without ends but these, so it takes no more room where many have
-- set nothing.
create or replace function send_resolution_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
begin
  return send_messages_v5(p_realm, (
    select jsonb_agg(jsonb_set(c.call, '{payload,marks}', jsonb_build_object('muted', (
        int4multirange(int4range(null, null)) - (c.call ->> 'never')::int4multirange - (
          coalesce(f.followers, '{}') - (c.call ->> 'always')::int4multirange))::text)) order by c.n)
      from jsonb_array_elements(p_calls) with ordinality as c(call, n) cross join lateral (
        select range_agg(int4range(t.user_id, t.user_id, '[]')) as followers from user_topic t
         where t.realm_id = p_realm and t.channel_id = (c.call ->> 'channel_id')::integer
           and t.topic_folded in (c.call ->> 'topic_folded', c.call ->> 'folded_before') and t.policy = 3) f));
end $$;
