-- Moving messages: what a move changes in the tables of messages and of personal rows.

-- Whether a user may read all messages of a channel. `p_readers`: {"who", "also"}: those who may, beside its subscribers:
-- "nobody", "members" (all but guests) or "everybody", and some users by id.
create or replace function may_read_v1(p_realm integer, p_user integer, p_channel integer, p_readers jsonb) returns boolean
language sql stable as $$
  select exists (select from subscription_span
                  where realm_id = p_realm and channel_id = p_channel and user_id = p_user and closed is null)
      or p_readers ->> 'who' = 'everybody'
      or (p_readers ->> 'who' = 'members' and (
        select role < 600 from role_span where realm_id = p_realm and user_id = p_user order by opened desc limit 1))
      or p_readers -> 'also' @> to_jsonb(p_user)
$$;

-- What a move to another channel does to the personal rows of messages, which are still where they were. Those of users
-- who may not read them there go. What a row alone says to be unread stays so for the subscribers of the new channel, as
-- if they had marked it at the move; for others it is read.
create or replace function move_personal_rows_v1(
  p_realm integer, p_position bigint, p_ids bigint[], p_channel integer, p_readers jsonb
) returns void language plpgsql set enable_seqscan = off as $$
begin
  delete from personal_message p
   where p.realm_id = p_realm and p.message_id = any(p_ids)
     and not may_read_v1(p_realm, p.user_id, p_channel, p_readers);
  update personal_message p set unread_since = case
      when p.unread_since > read_floor_v1(p_realm, p.user_id)
       and holds_now_v1(p_realm, p.user_id, p_channel, p_position)
       and not exists (
         select from message m join subscription_span s
             on s.realm_id = p_realm and s.user_id = p.user_id and s.channel_id in (m.channel_id, m.moved_from)
          where m.realm_id = p_realm and m.id = p.message_id and s.closed > p.unread_since) then p_position end
   where p.realm_id = p_realm and p.message_id = any(p_ids) and p.unread_since is not null;
  delete from personal_message
   where realm_id = p_realm and message_id = any(p_ids)
     and not (mentioned or starred or collapsed or historical) and unread_since is null;
end $$;

-- Puts messages of a channel into a topic, and, where `p_channel` is not null, into that channel at this position.
-- `p_moved_at` is null where the topic is only resolved.
create or replace function place_messages_v1(
  p_realm integer, p_position bigint, p_ids bigint[], p_channel integer, p_topic text, p_topic_folded text,
  p_readers jsonb, p_moved_at bigint
) returns void language plpgsql set enable_seqscan = off as $$
begin
  if p_channel is null then
    update message set topic = p_topic, topic_folded = p_topic_folded, moved_at = coalesce(p_moved_at, moved_at)
     where realm_id = p_realm and id = any(p_ids);
    return;
  end if;
  perform move_personal_rows_v1(p_realm, p_position, p_ids, p_channel, p_readers);
  update message
     set channel_id = p_channel, channel_since = p_position,
         moved_from = nullif(coalesce(moved_from, channel_id), p_channel),
         topic = p_topic, topic_folded = p_topic_folded, moved_at = coalesce(p_moved_at, moved_at)
   where realm_id = p_realm and id = any(p_ids);
end $$;
