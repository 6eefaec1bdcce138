-- Sections of register about a user's messages. The functions are stable, so they see the same snapshot as the
-- statement that also reads the log's head (I13).

-- The newest message of each of the user's conversations.
create or replace function newest_of_conversations_v1(p_realm integer, p_user integer)
returns table (conversation_id bigint, id bigint) language sql stable as $$
  select c.conversation_id, held.id from conversation_member c cross join lateral (
      select m.id from message m
       where m.realm_id = c.realm_id and m.conversation_id = c.conversation_id
       order by m.id desc limit 1) held
   where c.realm_id = p_realm and c.user_id = p_user
$$;

-- The newest message that the user holds; -1 where there is none. One index probe per subscription and conversation. A
-- message that was moved into a channel from before the user's time is not found: that would take a scan of the
-- channel.
create or replace function section_message_v1(p_realm integer, p_user integer) returns json
language plpgsql stable set enable_seqscan = off as $$
begin
  return to_json(greatest(
    (select max(held.id) from subscription_span s cross join lateral (
        select m.id from message m
         where m.realm_id = s.realm_id and m.channel_id = s.channel_id
           and m.id >= s.reads_from and m.id < coalesce(s.closed, 9223372036854775807)
           and m.channel_since < coalesce(s.closed, 9223372036854775807)
         order by m.id desc limit 1) held
      where s.realm_id = p_realm and s.user_id = p_user),
    (select max(n.id) from newest_of_conversations_v1(p_realm, p_user) n),
    -1));
end $$;

-- The thousand newest conversations of direct messages, the newest first, with the ids of the other participants. A
-- member_key is the ids of all participants in ascending order, joined by commas.
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
