-- The organization's own profile fields, and what people have in them.

-- The list of fields as the projection holds it.
create or replace function load_profile_fields_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(
    (select json_build_object('last_id', last_id, 'fields', fields) from custom_profile_fields where realm_id = p_realm),
    '{"last_id": 0, "fields": []}')
$$;

-- A page of at most p_limit values: {"values": [field, user, value, HTML] each, "last": the key of the last one, null where
-- there are no more}.
create or replace function load_profile_values_v1(p_realm integer, p_after jsonb, p_limit integer) returns json
language sql stable set enable_seqscan = off as $$
  with looked as materialized (
    select field_id, user_id, value, rendered from profile_value
     where realm_id = p_realm and (field_id, user_id) > ((p_after ->> 0)::integer, (p_after ->> 1)::integer)
     order by field_id, user_id limit p_limit)
  select json_build_object(
      'values', coalesce(json_agg(json_build_array(field_id, user_id, value, rendered) order by field_id, user_id), '[]'),
      'last', case when count(*) = p_limit then (
        select json_build_array(field_id, user_id) from looked order by field_id desc, user_id desc limit 1) end)
    from looked
$$;

-- Applies rows of the type custom_profile_fields, which have the whole list. A field goes with all of its values, and a
-- choice with those that name it.
create or replace function apply_custom_profile_fields_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_before jsonb := (select fields from custom_profile_fields where realm_id = p_realm);
  v_field record;
begin
  for v_field in
    select (before.value ->> 'id')::integer as id, after.value as after
      from jsonb_array_elements(v_before) as before
      left join jsonb_array_elements(p_payload -> 'fields') as after on after.value -> 'id' = before.value -> 'id'
     where after.value is null or after.value -> 'field_data' <> before.value -> 'field_data'
  loop
    if v_field.after is null then
      delete from profile_value where realm_id = p_realm and field_id = v_field.id;
    elsif v_field.after -> 'type' = '3' then
      delete from profile_value where realm_id = p_realm and field_id = v_field.id
         and not (v_field.after ->> 'field_data')::jsonb ? value;
    end if;
  end loop;
  insert into custom_profile_fields (realm_id, last_id, fields)
  values (p_realm, (p_payload ->> 'last_id')::integer, p_payload -> 'fields')
  on conflict (realm_id) do update set last_id = excluded.last_id, fields = excluded.fields;
  return null;
end $$;

-- What a row about a user's value changes; see apply_realm_user_v3. A value of null is none.
create or replace function set_profile_value_v1(p_realm integer, p_user integer, p_field jsonb) returns void
language plpgsql as $$
begin
  if p_field -> 'value' = 'null' then
    delete from profile_value where realm_id = p_realm and field_id = (p_field ->> 'id')::integer and user_id = p_user;
    return;
  end if;
  insert into profile_value (realm_id, field_id, user_id, value, rendered)
  values (p_realm, (p_field ->> 'id')::integer, p_user, p_field ->> 'value', p_field ->> 'rendered_value')
  on conflict (realm_id, field_id, user_id) do update set value = excluded.value, rendered = excluded.rendered;
end $$;
