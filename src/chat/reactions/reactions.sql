-- Reactions: emoji that people put under messages.

-- Whether a user received the messages that came into a channel at a position.
create or replace function received_v1(p_realm integer, p_user integer, p_channel integer, p_since bigint)
returns boolean language sql stable as $$
  select coalesce((
    select closed is null or p_since < closed from subscription_span
     where realm_id = p_realm and user_id = p_user and channel_id = p_channel and opened <= p_since
     order by opened desc limit 1), false)
$$;

-- Those who hold a message of a channel though no subscription says so: each has a row of their own about it. An
-- audience of the kind "holders" names them.
create or replace function other_holders_v1(p_realm integer, p_message bigint, p_channel integer, p_since bigint)
returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(h.user_id order by h.user_id), '[]') from personal_message h
   where h.realm_id = p_realm and h.message_id = p_message
     and not received_v1(p_realm, h.user_id, p_channel, p_since)
$$;

-- Notes how many bytes more, or fewer, the reactions and submessages of a message have.
create or replace function add_to_message_v1(p_realm integer, p_message bigint, p_bytes integer) returns void
language sql as $$
  insert into message_addition as a (realm_id, message_id, bytes) values (p_realm, p_message, p_bytes)
  on conflict (realm_id, message_id) do update set bytes = a.bytes + p_bytes
$$;

-- Applies rows of the type reaction. `beside`: {"channel_id", "since"}: where the message is, null for a direct message;
-- {"most_kinds", "most_own", "most"}: how many different emoji a message has at most, how many of a user, and how many
-- reactions in all; {"bytes"}: of a reaction; {"is_valid"}: whether the emoji may be put under a message that does not have it yet. Refuses with "exists", "missing",
-- "invalid" or "full". Whoever reacts to a message that they did not receive holds it from then on, as one that they have
-- read.
create or replace function apply_reaction_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_message bigint := (p_payload ->> 'message_id')::bigint;
  v_user integer := (p_payload ->> 'user_id')::integer;
  v_type text := p_payload ->> 'reaction_type';
  v_code text := p_payload ->> 'emoji_code';
  v_channel integer := (p_beside ->> 'channel_id')::integer;
  v_users integer[] := (
    select users from reaction
     where realm_id = p_realm and message_id = v_message and reaction_type = v_type and emoji_code = v_code);
  v_kinds bigint;
  v_own bigint;
  v_all bigint;
begin
  if p_payload ->> 'op' = 'remove' then
    if v_users is null or v_user <> all (v_users) then
      return 'missing';
    end if;
    if cardinality(v_users) = 1 then
      delete from reaction
       where realm_id = p_realm and message_id = v_message and reaction_type = v_type and emoji_code = v_code;
    else
      update reaction set users = array_remove(users, v_user)
       where realm_id = p_realm and message_id = v_message and reaction_type = v_type and emoji_code = v_code;
    end if;
    perform add_to_message_v1(p_realm, v_message, -(p_beside ->> 'bytes')::integer);
    return null;
  end if;

  if v_user = any (v_users) then
    return 'exists';
  elsif v_users is null and not (p_beside ->> 'is_valid')::boolean then
    return 'invalid';
  end if;
  select count(*), count(*) filter (where v_user = any (users)), coalesce(sum(cardinality(users)), 0)
    into v_kinds, v_own, v_all from reaction
   where realm_id = p_realm and message_id = v_message;
  if v_all >= (p_beside ->> 'most')::integer or v_own >= (p_beside ->> 'most_own')::integer
     or (v_users is null and v_kinds >= (p_beside ->> 'most_kinds')::integer) then
    return 'full';
  end if;
  insert into reaction as r (realm_id, message_id, reaction_type, emoji_code, emoji_name, users, position)
  values (p_realm, v_message, v_type, v_code, p_payload ->> 'emoji_name', array[v_user], p_position)
  on conflict (realm_id, message_id, reaction_type, emoji_code) do update set users = r.users || v_user;
  perform add_to_message_v1(p_realm, v_message, (p_beside ->> 'bytes')::integer);
  if v_channel is not null and not received_v1(p_realm, v_user, v_channel, (p_beside ->> 'since')::bigint) then
    insert into personal_message (realm_id, user_id, message_id, historical)
    values (p_realm, v_user, v_message, true) on conflict do nothing;
  end if;
  return null;
end $$;

-- Puts reactions under messages, and takes them away. Each call: {"row"}, as reactions.ts makes it: the name that an
-- earlier user gave the emoji replaces its own, and those who hold the message by a row of their own are added to its
-- audience. Outcome: {} or {"refused": word}: a word of apply_reaction_v1, or "moved" where the message is not, or not any
-- more, where the requester was found to read it.
create or replace function react_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_row jsonb;
  v_message record;
  v_name text;
  v_refusal text;
  v_outcomes jsonb := '[]';
begin
  for v_row in select value -> 'row' from jsonb_array_elements(p_calls) loop
    select id, channel_id, channel_since into v_message from message
     where realm_id = p_realm and id = (v_row #>> '{payload,message_id}')::bigint;
    if v_message.id is null or v_message.channel_id is distinct from (v_row #>> '{beside,channel_id}')::integer
       or v_message.channel_since is distinct from (v_row #>> '{beside,since}')::bigint then
      v_outcomes := v_outcomes || '{"refused": "moved"}'::jsonb;
      continue;
    end if;
    select emoji_name into v_name from reaction
     where realm_id = p_realm and message_id = v_message.id
       and reaction_type = v_row #>> '{payload,reaction_type}' and emoji_code = v_row #>> '{payload,emoji_code}';
    if v_name is not null then
      v_row := jsonb_set(v_row, '{payload,emoji_name}', to_jsonb(v_name));
    end if;
    v_refusal := follow_row_v1(p_realm, v_row);
    if v_refusal is not null then
      v_outcomes := v_outcomes || jsonb_build_object('refused', v_refusal);
      continue;
    end if;
    if v_message.channel_id is not null then
      v_row := jsonb_set(v_row, '{audience,also}',
        other_holders_v1(p_realm, v_message.id, v_message.channel_id, v_message.channel_since));
    end if;
    perform append_row_v1(p_realm, v_row);
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
