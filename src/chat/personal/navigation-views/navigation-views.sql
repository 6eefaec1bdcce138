-- Views that users keep in their navigation.

-- A user's views, oldest first.
create or replace function section_navigation_views_v1(p_realm integer, p_user integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('fragment', fragment, 'is_pinned', is_pinned, 'name', name) order by id), '[]')
    from navigation_view where realm_id = p_realm and user_id = p_user
$$;

-- Applies rows of the type navigation_view. `beside`: {"user_id", "most"}: the owner, and how many views they may have. Refuses
-- with "taken" if another view has the fragment or the name; with "full"; with "gone"; with "same" if nothing would change.
create or replace function apply_navigation_view_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
  v_fragment text := p_payload ->> 'fragment';
  v_said jsonb := coalesce(p_payload -> 'data', p_payload);
  v_known record;
begin
  select is_pinned, name into v_known from navigation_view
   where realm_id = p_realm and user_id = v_user and fragment = v_fragment;
  if p_payload ->> 'op' = 'add' then
    if found then
      return 'taken';
    end if;
  elsif not found then
    return 'gone';
  elsif p_payload ->> 'op' = 'remove' then
    delete from navigation_view where realm_id = p_realm and user_id = v_user and fragment = v_fragment;
    return null;
  end if;
  if v_said ->> 'name' is not null and exists (
      select from navigation_view
       where realm_id = p_realm and user_id = v_user and name = v_said ->> 'name' and fragment <> v_fragment) then
    return 'taken';
  end if;
  if p_payload ->> 'op' = 'add' then
    if (select count(*) from navigation_view where realm_id = p_realm and user_id = v_user) >= (p_beside ->> 'most')::integer then
      return 'full';
    end if;
    insert into navigation_view (realm_id, user_id, fragment, id, is_pinned, name)
    values (p_realm, v_user, v_fragment, p_position, (v_said ->> 'is_pinned')::boolean, v_said ->> 'name');
    return null;
  end if;
  if coalesce((v_said ->> 'is_pinned')::boolean, v_known.is_pinned) = v_known.is_pinned
     and coalesce(v_said ->> 'name', v_known.name) is not distinct from v_known.name then
    return 'same';
  end if;
  update navigation_view
     set is_pinned = coalesce((v_said ->> 'is_pinned')::boolean, is_pinned), name = coalesce(v_said ->> 'name', name)
   where realm_id = p_realm and user_id = v_user and fragment = v_fragment;
  return null;
end $$;
