-- Messages that are sent later, and reminders (scheduled-lists.ts). Each that is neither sent nor failed has a row in the outbox,
-- which is due at its time; it is another one after each change, so that whoever works on the one before finds it gone.

create or replace function section_scheduled_items_v1(p_realm integer, p_user integer, p_noun text) returns json
language sql stable as $$
  select coalesce(json_agg(value || jsonb_build_object('id', id, 'version', version) order by id), '[]')
    from scheduled_item where realm_id = p_realm and user_id = p_user and noun = p_noun and sent_at is null
$$;

create or replace function section_scheduled_messages_v1(p_realm integer, p_user integer) returns json language sql stable as $$
  select section_scheduled_items_v1(p_realm, p_user, 'scheduled_message')
$$;

create or replace function section_reminders_v1(p_realm integer, p_user integer) returns json language sql stable as $$
  select section_scheduled_items_v1(p_realm, p_user, 'reminder')
$$;

-- One of a user's, null where there is none: {"stored": as the section has it, null once it was sent, "sent_at", "due_at",
-- "claim": of who works on it}.
create or replace function scheduled_item_v1(p_realm integer, p_user integer, p_noun text, p_id bigint) returns json
language sql stable as $$
  select json_build_object('stored', s.value || jsonb_build_object('id', s.id, 'version', s.version),
                           'sent_at', s.sent_at, 'due_at', (s.value ->> 'scheduled_delivery_timestamp')::bigint * 1000,
                           'claim', o.claim)
    from scheduled_item s left join outbox o on o.id = s.outbox_id
   where s.realm_id = p_realm and s.user_id = p_user and s.noun = p_noun and s.id = p_id
$$;

-- Applies rows about items of a list. `beside`: {"user_id", "most"}: the owner, and how many of them they may have. Refuses with
-- "full", also for more than a million characters in all; with "gone"; with "overtaken" if the row was made from an older
-- version than the table's.
create or replace function apply_scheduled_item_v1(
  p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb, p_noun text
) returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
  v_is_new boolean := p_payload ->> 'op' = 'add';
  v_id bigint := coalesce((p_payload ->> 'id')::bigint, p_position);
  v_value jsonb := p_payload - '{op,id,based_on}'::text[];
  v_characters integer := length(v_value ->> 'content') + length(v_value ->> 'rendered_content');
  v_known record;
  v_others record;
  v_outbox bigint;
begin
  select version, outbox_id into v_known from scheduled_item
   where realm_id = p_realm and user_id = v_user and noun = p_noun and id = v_id and sent_at is null;
  if not v_is_new and v_known.version is null then
    return 'gone';
  elsif p_payload ->> 'op' = 'remove' then
    delete from scheduled_item where realm_id = p_realm and user_id = v_user and noun = p_noun and id = v_id;
    perform drop_outbox_v1(p_realm, v_known.outbox_id);
    return null;
  elsif not v_is_new and v_known.version <> (p_payload ->> 'based_on')::bigint then
    return 'overtaken';
  end if;
  if not (v_value ->> 'failed')::boolean then
    select count(*) as items, coalesce(sum(characters), 0) as characters into v_others from scheduled_item
     where realm_id = p_realm and user_id = v_user and noun = p_noun and id <> v_id and sent_at is null;
    if v_others.characters + v_characters > 1000000
       or (v_is_new and v_others.items >= (p_beside ->> 'most')::integer) then
      return 'full';
    end if;
    v_outbox := add_outbox_v1(
      p_realm, 'scheduled', jsonb_build_object('noun', p_noun, 'user', v_user, 'id', v_id),
      (v_value ->> 'scheduled_delivery_timestamp')::bigint * 1000, 'user ' || v_user);
  end if;
  perform drop_outbox_v1(p_realm, v_known.outbox_id);
  insert into scheduled_item as s (realm_id, user_id, noun, id, version, value, characters, outbox_id)
  values (p_realm, v_user, p_noun, v_id, p_position, v_value, v_characters, v_outbox)
  on conflict (realm_id, user_id, noun, id) do update
     set version = p_position, value = v_value, characters = v_characters, outbox_id = v_outbox;
  return null;
end $$;

create or replace function apply_scheduled_messages_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language sql as $$
  select apply_scheduled_item_v1(p_realm, p_position, p_payload, p_beside, 'scheduled_message')
$$;

create or replace function apply_reminders_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language sql as $$
  select apply_scheduled_item_v1(p_realm, p_position, p_payload, p_beside, 'reminder')
$$;

-- A step: notes that items were sent, after their rows are gone. Calls: {"noun", "user", "id"}.
create or replace function remember_sent_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
begin
  insert into scheduled_item (realm_id, user_id, noun, id, version, characters, sent_at)
  select p_realm, "user", noun, id, current_setting('parley.position')::bigint, 0, now_v1()
    from jsonb_to_recordset(p_calls) as c(noun text, "user" integer, id bigint);
  return (select jsonb_agg(null::text) from jsonb_array_elements(p_calls));
end $$;

-- A guard: the attempt of the outbox goes on (is_outbox_claimed_v1, "gone"), the author may begin the conversation if there is
-- none (may_begin_v1, "begin"), and a message that is quoted is where it was found (is_still_there_v1, "moved"). Args: {"entry",
-- "begin"?, "quoted"?}, each the arguments of its function.
create or replace function may_deliver_v1(p_realm integer, p_args jsonb) returns text language sql as $$
  select coalesce(
    is_outbox_claimed_v1(p_realm, p_args -> 'entry'),
    case when p_args ? 'begin' then may_begin_v1(p_realm, p_args -> 'begin') end,
    case when p_args ? 'quoted' then is_still_there_v1(p_realm, p_args -> 'quoted') end)
$$;
