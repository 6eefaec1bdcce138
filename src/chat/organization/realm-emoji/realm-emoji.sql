-- Custom emoji of an organization.

-- Emoji as the projection holds them.
create or replace function load_realm_emoji_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', id, 'name', name, 'file', file, 'still', still, 'author_id', author_id, 'opened', opened, 'closed', closed)
      order by id), '[]')
    from custom_emoji where realm_id = p_realm
$$;

-- Applies rows of the type realm_emoji.
create or replace function apply_realm_emoji_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  if p_payload ->> 'op' = 'add' then
    insert into custom_emoji (realm_id, id, name, file, still, author_id, opened)
    select p_realm, e.id, e.name, e.file, e.still, e.author_id, p_position
      from jsonb_to_record(p_payload -> 'emoji') as e(id integer, name text, file text, still text, author_id integer);
  else
    update custom_emoji set closed = p_position where realm_id = p_realm and id = (p_payload ->> 'id')::integer;
  end if;
  return null;
end $$;
