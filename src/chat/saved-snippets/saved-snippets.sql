-- Texts that people save to send again.

-- A user's snippets, oldest first, each with the position of the newest row about it.
create or replace function section_saved_snippets_v1(p_realm integer, p_user integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', id, 'title', title, 'content', content, 'created_at', created_at, 'changed', changed) order by id), '[]')
    from saved_snippet where realm_id = p_realm and user_id = p_user
$$;

-- Rows of the type saved_snippets. Beside: {"user_id", "most"}: whose they are, and how many somebody may have. Refuses with
-- "many", with "gone", and with "overtaken" where the row was made from an older state of the snippet.
create or replace function apply_saved_snippets_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
  v_known saved_snippet;
begin
  if p_payload ->> 'op' = 'add' then
    if (p_beside ->> 'most')::integer <= (select count(*) from saved_snippet where realm_id = p_realm and user_id = v_user) then
      return 'many';
    end if;
    insert into saved_snippet (realm_id, user_id, id, title, content, created_at, changed)
    values (p_realm, v_user, p_position, p_payload ->> 'title', p_payload ->> 'content', now_v1(), p_position);
    return null;
  end if;
  select * into v_known from saved_snippet
   where realm_id = p_realm and user_id = v_user and id = (p_payload ->> 'id')::bigint;
  if not found then
    return 'gone';
  elsif p_payload ->> 'op' = 'remove' then
    delete from saved_snippet where realm_id = p_realm and user_id = v_user and id = v_known.id;
  elsif v_known.changed <> (p_payload ->> 'was')::bigint then
    return 'overtaken';
  else
    update saved_snippet set title = p_payload ->> 'title', content = p_payload ->> 'content', changed = p_position
     where realm_id = p_realm and user_id = v_user and id = v_known.id;
  end if;
  return null;
end $$;
