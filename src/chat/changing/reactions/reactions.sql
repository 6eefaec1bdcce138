-- Reactions: emoji that people put under messages.

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
  if v_channel is not null and not holds_by_span_v1(p_realm, v_user, v_channel, (p_beside ->> 'since')::bigint) then
    insert into personal_message (realm_id, user_id, message_id, historical)
    values (p_realm, v_user, v_message, true) on conflict do nothing;
  end if;
  return null;
end $$;

-- Puts reactions under messages, and takes them away. Each call: {"row", "policies"?}, as reactions.ts makes it: the name that an
-- earlier user gave the emoji replaces its own. Outcome: {}, or {"refused": word} with a word of apply_reaction_v1 or of
-- write_about_message_v1.
create or replace function react_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_row jsonb;
  v_name text;
  v_refusal text;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_row := v_call -> 'row';
    select emoji_name into v_name from reaction
     where realm_id = p_realm and message_id = (v_row #>> '{payload,message_id}')::bigint
       and reaction_type = v_row #>> '{payload,reaction_type}' and emoji_code = v_row #>> '{payload,emoji_code}';
    if v_name is not null then
      v_row := jsonb_set(v_row, '{payload,emoji_name}', to_jsonb(v_name));
    end if;
    v_refusal := write_about_message_v1(p_realm, v_row);
    if v_refusal is null then
      perform take_part_v1(p_realm, (v_row #>> '{payload,user_id}')::integer, (v_row #>> '{payload,message_id}')::bigint,
                           v_call -> 'policies');
    end if;
    v_outcomes := v_outcomes || case when v_refusal is null then '{}' else jsonb_build_object('refused', v_refusal) end;
  end loop;
  return v_outcomes;
end $$;
