-- Exports of an organization.

-- The list as the projection holds it.
create or replace function load_realm_exports_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(
    (select json_build_object('last_id', last_id, 'exports', exports) from realm_exports where realm_id = p_realm),
    '{"last_id": 0, "exports": []}')
$$;

-- Applies rows of the type realm_export, which have the whole list.
create or replace function apply_realm_export_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  insert into realm_exports (realm_id, last_id, exports)
  values (p_realm, (p_payload ->> 'last_id')::integer, p_payload -> 'exports')
  on conflict (realm_id) do update set last_id = excluded.last_id, exports = excluded.exports;
  return null;
end $$;
