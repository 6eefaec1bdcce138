-- Texts that people save to send again.

-- A user's snippets, oldest first, each with the position of the newest row about it.
create or replace function section_saved_snippets_v1(p_realm integer, p_user integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', id, 'title', title, 'content', content, 'date_created', created_at / 1000, 'changed', changed) order by id), '[]')
    from saved_snippet where realm_id = p_realm and user_id = p_user
$$;

-- Rows of the type saved_snippets. Beside: {"user_id", "most", "bytes"}: whose they are, how many somebody may have, and how
-- long they may be together. Refuses with "full", with "gone", and with "overtaken" where the row was made from an older state
-- of the snippet.
create or replace function apply_saved_snippets_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_user integer := (p_beside ->> 'user_id')::integer;
  v_id bigint := (p_payload ->> 'id')::bigint;
  v_known saved_snippet;
begin
  select * into v_known from saved_snippet where realm_id = p_realm and user_id = v_user and id = v_id;
  if p_payload ->> 'op' <> 'add' and v_known.id is null then
    return 'gone';
  elsif v_known.changed <> (p_payload ->> 'was')::bigint then
    return 'overtaken';
  elsif p_payload ->> 'op' = 'remove' then
    delete from saved_snippet where realm_id = p_realm and user_id = v_user and id = v_id;
    return null;
  elsif exists (
    select from saved_snippet where realm_id = p_realm and user_id = v_user and id is distinct from v_id
    having count(*) >= (p_beside ->> 'most')::integer
        or sum(octet_length(content)) + octet_length(p_payload ->> 'content') > (p_beside ->> 'bytes')::integer) then
    return 'full';
  end if;
  insert into saved_snippet (realm_id, user_id, id, title, content, created_at, changed)
  values (p_realm, v_user, coalesce(v_id, p_position), p_payload ->> 'title', p_payload ->> 'content', now_v1(), p_position)
      on conflict (realm_id, user_id, id) do update
     set title = excluded.title, content = excluded.content, changed = excluded.changed;
  return null;
end $$;
