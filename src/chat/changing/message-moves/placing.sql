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

-- Moves the personal rows of messages to another channel, while the messages are still where they were. Rows of users
-- who may not read them there go. Messages that only a row says to be unread stay so for the subscribers of the new
-- channel, as if they had marked them at the move; for others they are read.
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
         select from message m
          cross join lateral left_since_v1(p_realm, p.user_id, m.channel_id, m.moved_from, p.unread_since)
          where m.realm_id = p_realm and m.id = p.message_id) then p_position end
   where p.realm_id = p_realm and p.message_id = any(p_ids) and p.unread_since is not null;
  delete from personal_message
   where realm_id = p_realm and message_id = any(p_ids)
     and not (mentioned or starred or collapsed or historical) and unread_since is null;
end $$;

-- Notes in message_move what a move replaces, for messages that are still where they were: one row for each spelling that
-- their topic had, in `p_topics`, one for each message. `p_channel` is null where they stay in their channel. Answers the
-- spellings, in the order of the ids of these rows.
create or replace function note_move_v1(
  p_realm integer, p_position bigint, p_topics text[], p_from integer, p_channel integer, p_topic text, p_editor integer
) returns text[] language plpgsql as $$
declare
  v_spellings text[] := array(select distinct each from unnest(p_topics) as each order by each);
begin
  insert into message_move (realm_id, id, editor_id, at, prev_topic, topic, prev_channel_id, channel_id, messages)
  select p_realm, p_position * 65536 + array_position(v_spellings, t.topic) - 1, p_editor, now_v1(),
         case when t.topic <> p_topic then t.topic end, case when t.topic <> p_topic then p_topic end,
         case when p_channel is not null then p_from end, p_channel, t.messages
    from (select each as topic, count(*) as messages from unnest(p_topics) as each group by each) as t;
  return v_spellings;
end $$;

-- Some messages do not name these moves any more; a move that none names goes.
create or replace function forget_moves_v1(p_realm integer, p_moves bigint[]) returns void
language plpgsql set enable_seqscan = off as $$
begin
  update message_move v set messages = v.messages - gone.messages
    from (select each as id, count(*) as messages from unnest(p_moves) as each group by each) as gone
   where v.realm_id = p_realm and v.id = gone.id;
  delete from message_move where realm_id = p_realm and id = any(p_moves) and messages <= 0;
end $$;

-- Makes room for one more move in messages that name 100: the oldest of them becomes a row of message_edit.
create or replace function keep_oldest_moves_v1(p_realm integer, p_ids bigint[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  v_moves bigint[] := array(
    select moves[100] from message where realm_id = p_realm and id = any(p_ids) and moves[100] is not null);
begin
  insert into message_edit (realm_id, message_id, position, editor_id, at, prev_topic, topic, prev_channel_id, channel_id)
  select p_realm, m.id, v.id / 65536, v.editor_id, v.at, v.prev_topic, v.topic, v.prev_channel_id, v.channel_id
    from message m join message_move v on v.realm_id = p_realm and v.id = m.moves[100]
   where m.realm_id = p_realm and m.id = any(p_ids);
  update message set moves = moves[1:99] where realm_id = p_realm and id = any(p_ids) and moves[100] is not null;
  perform forget_moves_v1(p_realm, v_moves);
end $$;

-- Puts messages of a channel into a topic, and, where `p_channel` is not null, into that channel at this position.
-- `p_moved_at` is null where the topic is only resolved. `p_spellings`: what note_move_v1 answered; `p_edited`: the message
-- that has a row of message_edit for this instead, or null.
create or replace function place_messages_v2(
  p_realm integer, p_position bigint, p_ids bigint[], p_channel integer, p_topic text, p_topic_folded text,
  p_moved_at bigint, p_spellings text[], p_edited bigint
) returns void language plpgsql set enable_seqscan = off as $$
begin
  update message
     set channel_id = coalesce(p_channel, channel_id),
         channel_since = case when p_channel is null then channel_since else p_position end,
         moved_from = case when p_channel is null then moved_from
                           else nullif(coalesce(moved_from, channel_id), p_channel) end,
         topic = p_topic, topic_folded = p_topic_folded, moved_at = coalesce(p_moved_at, moved_at),
         moves = case when id = p_edited then moves
                      else array_prepend(p_position * 65536 + array_position(p_spellings, topic) - 1, moves) end
   where realm_id = p_realm and id = any(p_ids);
end $$;
