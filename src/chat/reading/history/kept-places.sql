-- Kept places: channels that messages have left for others which all may read, and by which people go on to hold them.

-- Whether a user keeps what came to a channel at `p_since` and left it at `p_until`: they held it there, at the move in a
-- private channel, and could read it where it went. Who has been a guest since has lost it, but for what is open to
-- guests. Likewise `howKept` (realm/kept-messages.ts).
create or replace function kept_by_v1(
  p_realm integer, p_user integer, p_channel integer, p_since bigint, p_until bigint, p_was_private boolean,
  p_for_guests boolean
) returns boolean language sql stable as $$
  select exists (
      select from subscription_span
       where realm_id = p_realm and channel_id = p_channel and user_id = p_user and opened < p_until
         and reads_from <= p_since and (closed is null or p_since < closed))
    and (not p_was_private or received_v1(p_realm, p_user, p_channel, p_until))
    and (p_for_guests or exists (
        select from role_span
         where realm_id = p_realm and user_id = p_user and role < 600
           and opened <= p_until and (closed is null or p_until < closed))
      and not exists (
        select from role_span
         where realm_id = p_realm and user_id = p_user and role >= 600 and (closed is null or p_until < closed)))
$$;

-- The kept places that count for a message which is in this channel: those of before it was private, or guests could not
-- read it, do not any more.
create or replace function kept_now_v1(p_realm integer, p_message bigint, p_channel integer)
returns table (
  message_id bigint, channel_id integer, since bigint, until bigint, was_private boolean, was_shared boolean,
  for_guests boolean
) language sql stable as $$
  select k.message_id, k.channel_id, k.since, k.until, k.was_private, k.was_shared,
         k.for_guests and k.until > c.guests_kept_after
    from channel c cross join lateral (
      select * from kept_place o where o.realm_id = p_realm and o.message_id = p_message offset 0) k
   where c.realm_id = p_realm and c.id = p_channel and k.until > c.kept_after
$$;

-- Whether a user keeps a message that is in this channel now, which is open to them.
create or replace function keeps_v1(p_realm integer, p_user integer, p_message bigint, p_channel integer) returns boolean
language plpgsql stable set enable_seqscan = off as $$
begin
  return exists (
      select from channel c
       where c.realm_id = p_realm and c.id = p_channel and not c.is_private
         and (c.is_web_public or exists (
           select from role_span r
            where r.realm_id = p_realm and r.user_id = p_user and r.closed is null and r.role < 600)))
    and exists (
      select from kept_now_v1(p_realm, p_message, p_channel) k
       where kept_by_v1(p_realm, p_user, k.channel_id, k.since, k.until, k.was_private, k.for_guests));
end $$;

-- The kept places of some messages of a channel, {"audience": [...], "messages": [...], "is_partly"}, as the audience of a row
-- about them has them (KeptPlace) and as NamedMessages has them; null where there are none. A row names a hundred channels at
-- most. `is_partly`: somebody may keep some of the messages, and not others.
create or replace function kept_places_v1(p_realm integer, p_ids bigint[], p_channel integer) returns jsonb
language plpgsql stable set enable_seqscan = off as $$
begin
  if not exists (select from unnest(p_ids) as each(id) cross join lateral (
       select from kept_place o where o.realm_id = p_realm and o.message_id = each.id limit 1) k)
     or (select is_private from channel where realm_id = p_realm and id = p_channel) then
    return null;
  end if;
  return (
    with kept as materialized (
      select k.* from unnest(p_ids) as each(id) cross join lateral kept_now_v1(p_realm, each.id, p_channel) k),
    channels as (
      select jsonb_build_object(
               'channel', channel_id, 'since', min(since), 'through', max(since), 'from', min(until), 'until', max(until),
               'isPrivate', was_private, 'historyShared', was_shared, 'forGuests', for_guests) as each
        from kept group by channel_id, was_private, was_shared, for_guests, case when cardinality(p_ids) = 1 then until end
       order by max(until) desc limit 100),
    moves as (
      select jsonb_strip_nulls(jsonb_build_object(
               'channel_id', channel_id, 'until', until, 'was_private', was_private, 'was_shared', was_shared,
               'for_guests', for_guests, 'ids', range_agg(int8range(message_id, message_id, '[]'))::text,
               'since', case when bool_or(since <> message_id) then jsonb_agg(since order by message_id) end)) as each
        from kept group by channel_id, until, was_private, was_shared, for_guests),
    whole as (
      select channel_id, was_shared, count(distinct message_id) as messages, min(since) as since, max(until) as until
        from kept group by channel_id, was_shared)
    select jsonb_build_object('audience', (select jsonb_agg(each) from channels),
                              'messages', (select jsonb_agg(each) from moves),
                              'is_partly', (
                                select bool_or(w.messages < cardinality(p_ids) or exists (
                                    select from subscription_span s
                                     where s.realm_id = p_realm and s.channel_id = w.channel_id
                                       and (s.closed > w.since and s.closed <= w.until
                                         or not w.was_shared and s.opened > w.since and s.opened <= w.until)))
                                  from whole w))
     where exists (select from kept));
end $$;

-- A row about one message, or some of one channel, with their kept places in its audience, which is of holders, and where it
-- names the messages.
create or replace function with_kept_v1(p_realm integer, p_row jsonb, p_ids bigint[], p_channel integer) returns jsonb
language plpgsql stable as $$
declare
  v_kept jsonb := case when p_channel is not null then kept_places_v1(p_realm, p_ids, p_channel) end;
  v_row jsonb := p_row;
begin
  if v_kept is null then
    return p_row;
  end if;
  v_row := jsonb_set(v_row, '{audience,kept}', v_kept -> 'audience');
  return case when v_row #> '{payload,messages}' is null then v_row
              else jsonb_set(v_row, '{payload,messages,kept}', v_kept -> 'messages') end;
end $$;

-- Notes, for messages that came to the channel `p_from` at the positions `p_since` and leave it at this one, that their people
-- keep them: `p_keeps`: {"was_private", "was_shared", "for_guests"}; null: nobody does. Of each message the newest eight places
-- are kept; of one that goes to a private channel, where only present access counts, none. `p_had`: some may have places.
create or replace function keep_places_v1(
  p_realm integer, p_position bigint, p_ids bigint[], p_since bigint[], p_from integer, p_to integer, p_keeps jsonb,
  p_had boolean
) returns void language plpgsql set enable_seqscan = off as $$
begin
  if p_had then
    delete from kept_place k using channel c
     where k.realm_id = p_realm and k.message_id = any(p_ids)
       and c.realm_id = p_realm and c.id = p_from and k.until <= c.kept_after;
    update kept_place k set for_guests = false from channel c
     where k.realm_id = p_realm and k.message_id = any(p_ids) and k.for_guests
       and c.realm_id = p_realm
       and (c.id = p_from and k.until <= c.guests_kept_after or c.id = p_to and not c.is_web_public);
  end if;
  if (select is_private from channel where realm_id = p_realm and id = p_to) then
    delete from kept_place where realm_id = p_realm and message_id = any(p_ids);
  elsif p_keeps is not null then
    insert into kept_place (realm_id, message_id, channel_id, since, until, was_private, was_shared, for_guests)
    select p_realm, m.id, p_from, m.since, p_position, (p_keeps ->> 'was_private')::boolean,
           (p_keeps ->> 'was_shared')::boolean, (p_keeps ->> 'for_guests')::boolean
      from unnest(p_ids, p_since) as m(id, since);
    if p_had then
      delete from kept_place k using (
        select o.message_id, o.until from unnest(p_ids) as each(id) cross join lateral (
          select * from kept_place p
           where p.realm_id = p_realm and p.message_id = each.id order by p.until desc offset 8) o) old
       where k.realm_id = p_realm and k.message_id = old.message_id and k.until = old.until;
    end if;
  end if;
end $$;

-- Whether a user goes on to hear of such a message: they keep it, or could read it as a subscriber when it left.
create or replace function hears_kept_v1(
  p_realm integer, p_user integer, p_channel integer, p_since bigint, p_until bigint, p_was_private boolean,
  p_was_shared boolean, p_for_guests boolean
) returns boolean language sql stable as $$
  select kept_by_v1(p_realm, p_user, p_channel, p_since, p_until, p_was_private, p_for_guests)
    or p_was_shared and received_v1(p_realm, p_user, p_channel, p_until)
      and kept_by_v1(p_realm, p_user, p_channel, p_until - 1, p_until, false, p_for_guests)
$$;

-- The pairs of some users and messages of which they hear so, of one public channel or (`p_channel` null) of all that guests do
-- not read, and that they do not hold otherwise; null where more than `p_most` places would have to be looked at.
create or replace function kept_pairs_v1(
  p_realm integer, p_users integer[], p_channel integer, p_most integer,
  out users integer[], out messages bigint[], out channels integer[]
) language plpgsql stable set enable_seqscan = off as $$
declare
  v_places record;
begin
  -- Of one channel: its messages, and of each channel that they have left those who were there.
  with places as materialized (
    select k.channel_id, k.message_id, k.until from (
        select m.id from message m join channel c on c.realm_id = m.realm_id and c.id = m.channel_id
         where m.realm_id = p_realm and m.channel_id = p_channel and not c.is_private limit p_most + 1) m
     cross join lateral (
      select o.* from kept_place o where o.realm_id = p_realm and o.message_id = m.id offset 0) k
     limit p_most + 1),
  people as materialized (
    select distinct s.channel_id, s.user_id from (select distinct channel_id from places) p cross join lateral (
        select o.channel_id, o.user_id from subscription_span o
         where o.realm_id = p_realm and o.channel_id = p.channel_id offset 0) s
      join unnest(p_users) as u(id) on u.id = s.user_id),
  found as (
    select p.user_id, k.message_id, k.until from places k join people p on p.channel_id = k.channel_id
    union all
    select s.user_id, k.message_id, k.until from (
        select distinct o.user_id, o.channel_id from subscription_span o
         where p_channel is null and o.realm_id = p_realm and o.user_id = any(p_users)) s
     cross join lateral (
      select o.message_id, o.until from kept_place o
       where o.realm_id = p_realm and o.channel_id = s.channel_id limit p_most + 1) k
     limit p_most + 1)
  select array_agg(user_id) as users, array_agg(message_id) as messages, array_agg(until) as untils,
         greatest(count(*), (select count(*) from places)) as n into v_places from found;
  if v_places.n > p_most then
    return;
  end if;
  select coalesce(array_agg(pair.user_id), '{}'), coalesce(array_agg(pair.id), '{}'), coalesce(array_agg(pair.channel_id), '{}')
    into users, messages, channels
    from (
      select distinct p.user_id, m.id, m.channel_id
        from unnest(v_places.users, v_places.messages, v_places.untils) as p(user_id, message_id, until) cross join lateral (
          select o.id, o.channel_id, o.channel_since from message o
           where o.realm_id = p_realm and o.id = p.message_id and (p_channel is null or o.channel_id = p_channel) offset 0) m
        join channel c on c.realm_id = p_realm and c.id = m.channel_id
       cross join lateral (
         select o.* from kept_now_v1(p_realm, m.id, m.channel_id) o where o.until = p.until offset 0) k
       where not c.is_private and (p_channel is not null or not c.is_web_public)
         and hears_kept_v1(p_realm, p.user_id, k.channel_id, k.since, k.until, k.was_private, k.was_shared, k.for_guests)
         and not holds_by_span_v1(p_realm, p.user_id, m.channel_id, m.channel_since)
         and not exists (select from personal_message o
                          where o.realm_id = p_realm and o.user_id = p.user_id and o.message_id = m.id)) pair;
end $$;
