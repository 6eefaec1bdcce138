-- Saved snippets: texts that a user keeps to send again.

-- A user's snippets, oldest first. `version`: the position of the newest row about each.
create or replace function section_saved_snippets_v1(p_realm integer, p_user integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object('id', id, 'title', title, 'content', content, 'version', version,
                                             'date_created', created_at / 1000) order by id), '[]')
    from saved_snippet where realm_id = p_realm and user_id = p_user
$$;

-- Applies rows of the type saved_snippets. `beside`: {"user_id", "most"}: the owner, and how many snippets they may
-- have. Refuses with "full"; with "gone"; with "overtaken" if the row was made from an older version than the table's.
create or replace function apply_saved_snippets_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
  v_id bigint := (p_payload ->> 'id')::bigint;
  v_version bigint := (select version from saved_snippet where realm_id = p_realm and user_id = v_user and id = v_id);
begin
  if p_payload ->> 'op' = 'add' then
    if (select count(*) from saved_snippet where realm_id = p_realm and user_id = v_user) >= (p_beside ->> 'most')::integer then
      return 'full';
    end if;
    insert into saved_snippet (realm_id, user_id, id, title, content, created_at, version)
    values (p_realm, v_user, p_position, p_payload ->> 'title', p_payload ->> 'content', now_v1(), p_position);
  elsif v_version is null then
    return 'gone';
  elsif p_payload ->> 'op' = 'remove' then
    delete from saved_snippet where realm_id = p_realm and user_id = v_user and id = v_id;
  elsif v_version <> (p_payload ->> 'based_on')::bigint then
    return 'overtaken';
  else
    update saved_snippet set title = p_payload ->> 'title', content = p_payload ->> 'content', version = p_position
     where realm_id = p_realm and user_id = v_user and id = v_id;
  end if;
  return null;
end $$;
