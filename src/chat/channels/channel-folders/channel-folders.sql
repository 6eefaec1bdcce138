-- Channel folders.

-- Folders as the projection holds them.
create or replace function load_channel_folders_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_object(
      'id', id, 'name', name, 'description', description, 'rendered_description', rendered_description,
      'order', place, 'creator_id', creator_id, 'created_at', created_at, 'is_archived', is_archived) order by id), '[]')
    from channel_folder where realm_id = p_realm
$$;

-- Rows of the type channel_folder.
create or replace function apply_channel_folder_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_set jsonb := p_payload -> 'set';
begin
  case p_payload ->> 'op'
  when 'add' then
    insert into channel_folder (realm_id, id, name, description, rendered_description, place, creator_id, created_at,
                                is_archived)
    select p_realm, f.id, f.name, f.description, f.rendered_description, f."order", f.creator_id, f.created_at,
           f.is_archived
      from jsonb_to_record(p_payload -> 'folder') as f(
        id integer, name text, description text, rendered_description text, "order" integer, creator_id integer,
        created_at bigint, is_archived boolean);
  when 'update' then
    update channel_folder
       set name = coalesce(v_set ->> 'name', name),
           description = coalesce(v_set ->> 'description', description),
           rendered_description = coalesce(v_set ->> 'rendered_description', rendered_description),
           is_archived = coalesce((v_set ->> 'is_archived')::boolean, is_archived)
     where realm_id = p_realm and id = (p_payload ->> 'folder_id')::integer;
  when 'reorder' then
    update channel_folder f set place = o.n - 1
      from jsonb_array_elements_text(p_payload -> 'order') with ordinality as o(id, n)
     where f.realm_id = p_realm and f.id = o.id::integer;
  end case;
  return null;
end $$;
