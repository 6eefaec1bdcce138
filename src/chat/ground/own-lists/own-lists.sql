-- Items of the lists that only their owners see (own-list.ts).

-- Items of a user's list in the form that own-list.ts reads. No more are looked into than those up to which they have
-- p_bytes together: a value may be long, and is stored compressed.

-- What a register has of a list: the 1,000 items that were changed last, or fewer if they are long; the oldest first.
-- `version`: the position of the newest row about each.
create or replace function section_own_items_v2(p_realm integer, p_user integer, p_noun text) returns json
language plpgsql stable as $$
declare
  v_item record;
  v_items jsonb[] := '{}';
  v_left integer := 1000000;
begin
  for v_item in
    select id, version, value from own_item where realm_id = p_realm and user_id = p_user and noun = p_noun
     order by version desc limit 1000
  loop
    v_left := v_left - octet_length(v_item.value::text);
    exit when v_left < 0 and v_items <> '{}';
    v_items := array_append(v_items, v_item.value || jsonb_build_object('id', v_item.id, 'version', v_item.version));
  end loop;
  return (select coalesce(json_agg(item order by item -> 'id'), '[]') from unnest(v_items) item);
end $$;

-- Those of these ids that there are.
create or replace function own_items_v1(p_realm integer, p_user integer, p_noun text, p_ids bigint[]) returns json
language sql stable as $$
  select coalesce(json_agg(value || jsonb_build_object('id', id, 'version', version)), '[]')
    from own_item where realm_id = p_realm and user_id = p_user and noun = p_noun and id = any(p_ids)
$$;

-- How long the items after one are, of as many as have a megabyte together: [[id, bytes, the field p_by or the id], ...].
create or replace function own_item_sizes_v1(p_realm integer, p_user integer, p_noun text, p_after bigint, p_by text)
returns json language plpgsql stable as $$
declare
  v_item record;
  v_sizes json[] := '{}';
  v_left integer := 1000000;
begin
  for v_item in
    select id, value from own_item where realm_id = p_realm and user_id = p_user and noun = p_noun and id > p_after
     order by id limit 1000
  loop
    v_left := v_left - octet_length(v_item.value::text);
    v_sizes := array_append(v_sizes, json_build_array(
      v_item.id, octet_length(v_item.value::text), coalesce(v_item.value -> p_by, to_jsonb(v_item.id))));
    exit when v_left < 0;
  end loop;
  return array_to_json(v_sizes);
end $$;

-- How long the items of a user's list are together.
create or replace function own_bytes_v1(p_realm integer, p_user integer, p_noun text) returns bigint language sql stable as $$
  select coalesce(sum(bytes), 0) from own_item where realm_id = p_realm and user_id = p_user and noun = p_noun
$$;

-- Applies rows about items. `beside`: {"user_id", "noun", "most", "bytes", "most_bytes"}: the owner, which list it is, how
-- many items of it they may have before the row, how long the item is, and how long all may be after the row (the most, where
-- absent: nobody asks). Refuses with "full"; with "long" for what makes the list longer than that; with "gone"; with
-- "overtaken" if the row was made from an older version than the table's.
create or replace function apply_own_item_v3(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
  v_noun text := p_beside ->> 'noun';
  v_id bigint := (p_payload ->> 'id')::bigint;
  v_value jsonb := p_payload - '{op,id,based_on}'::text[];
  v_bytes integer := coalesce((p_beside ->> 'bytes')::integer, 0);
  v_known record;
begin
  select version, bytes into v_known from own_item
   where realm_id = p_realm and user_id = v_user and noun = v_noun and id = v_id;
  if p_payload ->> 'op' = 'add' then
    if p_beside ? 'most' and (p_beside ->> 'most')::integer <= (
      select count(*) from own_item where realm_id = p_realm and user_id = v_user and noun = v_noun) then
      return 'full';
    end if;
    if p_beside ? 'most_bytes' and (p_beside ->> 'most_bytes')::integer < v_bytes + own_bytes_v1(p_realm, v_user, v_noun) then
      return 'long';
    end if;
    insert into own_item (realm_id, user_id, noun, id, version, value, bytes)
    values (p_realm, v_user, v_noun, p_position, p_position, v_value, v_bytes);
  elsif v_known.version is null then
    return 'gone';
  elsif p_payload ->> 'op' = 'remove' then
    delete from own_item where realm_id = p_realm and user_id = v_user and noun = v_noun and id = v_id;
  elsif v_known.version <> (p_payload ->> 'based_on')::bigint then
    return 'overtaken';
  else
    -- Who has too much may always make it shorter.
    if p_beside ? 'most_bytes' and v_bytes > v_known.bytes
       and (p_beside ->> 'most_bytes')::integer < v_bytes - v_known.bytes + own_bytes_v1(p_realm, v_user, v_noun) then
      return 'long';
    end if;
    update own_item set value = v_value, version = p_position, bytes = v_bytes
     where realm_id = p_realm and user_id = v_user and noun = v_noun and id = v_id;
  end if;
  return null;
end $$;
