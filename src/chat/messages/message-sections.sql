-- What register holds of a user's messages. Stable functions: they see what the statement sees that also reads the log's
-- head (I13).

-- Of each of the user's conversations the newest message.
create or replace function newest_of_conversations_v1(p_realm integer, p_user integer)
returns table (conversation_id bigint, id bigint) language sql stable as $$
  select c.conversation_id, held.id from conversation_member c cross join lateral (
      select m.id from message m
       where m.realm_id = c.realm_id and m.conversation_id = c.conversation_id
       order by m.id desc limit 1) held
   where c.realm_id = p_realm and c.user_id = p_user
$$;

-- The newest message that reached the user; -1 where none did. One index probe per subscription and conversation.
-- Messages are looked for by the id they were sent with: one that was moved into a channel is older than the span, and
-- finding it would mean to read the whole channel.
create or replace function section_message_v1(p_realm integer, p_user integer) returns json
language plpgsql stable set enable_seqscan = off as $$
begin
  return to_json(greatest(
    (select max(held.id) from subscription_span s cross join lateral (
        select m.id from message m
         where m.realm_id = s.realm_id and m.channel_id = s.channel_id
           and m.id >= s.opened and m.id < coalesce(s.closed, 9223372036854775807)
           and m.channel_since < coalesce(s.closed, 9223372036854775807)
         order by m.id desc limit 1) held
      where s.realm_id = p_realm and s.user_id = p_user),
    (select max(n.id) from newest_of_conversations_v1(p_realm, p_user) n),
    -1));
end $$;

-- The thousand newest conversations of direct messages, the newest first: with whom, oneself left out. A key is its
-- members' ids in order, joined by commas.
create or replace function section_recent_conversations_v1(p_realm integer, p_user integer) returns json
language plpgsql stable set enable_seqscan = off as $$
begin
  return (
    select coalesce(json_agg(json_build_object('max_message_id', newest.id, 'user_ids', (
        select coalesce(json_agg(member::integer), '[]')
          from unnest(string_to_array(c.member_key, ',')) with ordinality as m(member, n)
         where member <> p_user::text)) order by newest.id desc), '[]')
      from (select * from newest_of_conversations_v1(p_realm, p_user) n order by n.id desc limit 1000) newest
      join conversation c on c.realm_id = p_realm and c.id = newest.conversation_id);
end $$;
