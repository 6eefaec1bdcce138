-- Items of the lists that only their owners see (own-list.ts).

-- A user's items of a list, the oldest first. `version`: the position of the newest row about each.
create or replace function section_own_items_v1(p_realm integer, p_user integer, p_noun text) returns json
language sql stable as $$
  select coalesce(json_agg(value || jsonb_build_object('id', id, 'version', version) order by id), '[]')
    from own_item where realm_id = p_realm and user_id = p_user and noun = p_noun
$$;

-- Applies rows about items. `beside`: {"user_id", "noun", "most"}: the owner, which list it is, and how many items of it
-- they may have. Refuses with "full"; with "gone"; with "overtaken" if the row was made from an older version than the
-- table's.
create or replace function apply_own_item_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
  v_noun text := p_beside ->> 'noun';
  v_id bigint := (p_payload ->> 'id')::bigint;
  v_value jsonb := p_payload - '{op,id,based_on}'::text[];
  v_version bigint := (
    select version from own_item where realm_id = p_realm and user_id = v_user and noun = v_noun and id = v_id);
begin
  if p_payload ->> 'op' = 'add' then
    if (select count(*) from own_item where realm_id = p_realm and user_id = v_user and noun = v_noun)
        >= (p_beside ->> 'most')::integer then
      return 'full';
    end if;
    insert into own_item (realm_id, user_id, noun, id, version, value)
    values (p_realm, v_user, v_noun, p_position, p_position, v_value);
  elsif v_version is null then
    return 'gone';
  elsif p_payload ->> 'op' = 'remove' then
    delete from own_item where realm_id = p_realm and user_id = v_user and noun = v_noun and id = v_id;
  elsif v_version <> (p_payload ->> 'based_on')::bigint then
    return 'overtaken';
  else
    update own_item set value = v_value, version = p_position
     where realm_id = p_realm and user_id = v_user and noun = v_noun and id = v_id;
  end if;
  return null;
end $$;
