-- Functions for all rows about a message: where the message is, who holds it, how much was added to it.

-- Whether a user received the messages that came into a channel at a position: these may mention all who are there.
create or replace function received_v1(p_realm integer, p_user integer, p_channel integer, p_since bigint)
returns boolean language sql stable as $$
  select coalesce((
    select closed is null or p_since < closed from subscription_span
     where realm_id = p_realm and user_id = p_user and channel_id = p_channel and opened <= p_since
     order by opened desc limit 1), false)
$$;

-- Whether a user holds the messages that came into a channel at a position, because they received them or were given them
-- with their account; likewise `heldBySpan` (held-messages-store.ts) and `holders` (realm/subscription-spans.ts). Spans do not overlap, so of many
-- two are looked at: the last one before the position, and the next, which may read from earlier.
create or replace function holds_by_span_v1(p_realm integer, p_user integer, p_channel integer, p_since bigint)
returns boolean language sql stable as $$
  select received_v1(p_realm, p_user, p_channel, p_since) or coalesce((
      select reads_from <= p_since from subscription_span
       where realm_id = p_realm and user_id = p_user and channel_id = p_channel and opened > p_since
       order by opened limit 1), false)
$$;

-- Those who hold a message of a channel though no subscription says so: each has a row of their own about it.
create or replace function other_holders_v1(p_realm integer, p_message bigint, p_channel integer, p_since bigint)
returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(h.user_id order by h.user_id), '[]') from personal_message h
   where h.realm_id = p_realm and h.message_id = p_message
     and not holds_by_span_v1(p_realm, h.user_id, p_channel, p_since)
$$;

-- Whether somebody may read what they hold in a channel: of a private one only who is subscribed, and who reads it by a
-- group: some of `p_readers`, a list of users or null, as permissions are known to the program only.
create or replace function reads_held_v1(p_realm integer, p_user integer, p_channel integer, p_readers jsonb)
returns boolean language sql stable as $$
  select not (select is_private from channel where realm_id = p_realm and id = p_channel)
      or exists (select from subscription_span
                  where realm_id = p_realm and channel_id = p_channel and user_id = p_user and closed is null)
      or coalesce(p_readers @> to_jsonb(p_user), false)
$$;

-- The other holders of a message who may read it. An audience of the kind "holders" names them.
create or replace function other_readers_v1(
  p_realm integer, p_message bigint, p_channel integer, p_since bigint, p_readers jsonb
) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(h.user_id order by h.user_id), '[]') from personal_message h
   where h.realm_id = p_realm and h.message_id = p_message
     and not holds_by_span_v1(p_realm, h.user_id, p_channel, p_since)
     and reads_held_v1(p_realm, h.user_id, p_channel, p_readers)
$$;

-- Notes how many bytes more, or fewer, the reactions and submessages of a message have.
create or replace function add_to_message_v1(p_realm integer, p_message bigint, p_bytes integer) returns void
language sql as $$
  insert into message_addition as a (realm_id, message_id, bytes) values (p_realm, p_message, p_bytes)
  on conflict (realm_id, message_id) do update set bytes = a.bytes + p_bytes
$$;

-- About how many bytes a change takes where it is shown with its message.
create or replace function edit_bytes_v1(p_edit message_edit) returns bigint language sql immutable as $$
  select 200 + coalesce(octet_length(p_edit.prev_content) + octet_length(p_edit.prev_rendered), 0)
    + coalesce(octet_length(p_edit.prev_topic) + octet_length(p_edit.topic), 0)
$$;

-- The same for messages of which a row was just written to message_edit. `p_most`: so many of the newest changes are shown;
-- the one that is not shown any more does not count either.
create or replace function add_edits_v1(p_realm integer, p_messages bigint[], p_most integer) returns void
language sql set enable_seqscan = off as $$
  insert into message_addition as a (realm_id, message_id, bytes)
  select p_realm, m.id, sum(case when e.n = 1 then e.bytes else -e.bytes end)
    from unnest(p_messages) as m(id) cross join lateral (
      (select 1 as n, edit_bytes_v1(o) as bytes
         from message_edit o where o.realm_id = p_realm and o.message_id = m.id and o.editor_id is not null
        order by o.position desc limit 1)
      union all
      (select 2, edit_bytes_v1(o)
         from message_edit o where o.realm_id = p_realm and o.message_id = m.id and o.editor_id is not null
        order by o.position desc offset p_most limit 1)) e
   group by m.id
  on conflict (realm_id, message_id) do update set bytes = a.bytes + excluded.bytes
$$;

-- Writes a row about a message, with "message_id" in its payload, and beside it {"channel_id", "since", "readers"?}: where the
-- requester was found to read the message, null for a direct message, and who reads the channel by a group. Those who hold it
-- by a row of their own, and may read it, are added to the audience. Answers null, the word with which the row's table function refuses, or "moved" where the message is not,
-- or not any more, where it was found.
create or replace function write_about_message_v1(p_realm integer, p_row jsonb) returns text language plpgsql as $$
declare
  v_message record;
  v_row jsonb := p_row;
  v_refusal text;
begin
  select id, channel_id, channel_since into v_message from message
   where realm_id = p_realm and id = (p_row #>> '{payload,message_id}')::bigint;
  if v_message.id is null or v_message.channel_id is distinct from (p_row #>> '{beside,channel_id}')::integer
     or v_message.channel_since is distinct from (p_row #>> '{beside,since}')::bigint then
    return 'moved';
  end if;
  v_refusal := follow_row_v1(p_realm, p_row);
  if v_refusal is not null then
    return v_refusal;
  end if;
  if v_message.channel_id is not null then
    v_row := jsonb_set(p_row, '{audience,also}', coalesce(p_row #> '{audience,also}', '[]')
      || other_readers_v1(p_realm, v_message.id, v_message.channel_id, v_message.channel_since, p_row #> '{beside,readers}'));
  end if;
  perform append_row_v1(p_realm, with_kept_v1(p_realm, v_row, array[v_message.id], v_message.channel_id));
  return null;
end $$;
