-- Channel folders.

-- Calls: {"row": {"payload", "audience"}}: a channel_folder row, from which the change of the table follows. Outcome: {}.
create or replace function change_folders_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_payload jsonb;
  v_set jsonb;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_payload := v_call #> '{row,payload}';
    perform emit_v1(p_realm, 'channel_folder', true, v_payload, v_call #> '{row,audience}');
    case v_payload ->> 'op'
      when 'add' then
        insert into channel_folder (realm_id, id, name, description, rendered_description, place, creator_id, created_at,
                                    is_archived)
        select p_realm, f.id, f.name, f.description, f.rendered_description, f."order", f.creator_id, f.created_at,
               f.is_archived
          from jsonb_to_record(v_payload -> 'folder') as f(
            id integer, name text, description text, rendered_description text, "order" integer, creator_id integer,
            created_at bigint, is_archived boolean);
      when 'update' then
        v_set := v_payload -> 'set';
        update channel_folder
           set name = coalesce(v_set ->> 'name', name),
               description = coalesce(v_set ->> 'description', description),
               rendered_description = coalesce(v_set ->> 'rendered_description', rendered_description),
               is_archived = coalesce((v_set ->> 'is_archived')::boolean, is_archived)
         where realm_id = p_realm and id = (v_payload ->> 'folder_id')::integer;
      else
        update channel_folder f set place = o.n - 1
          from jsonb_array_elements_text(v_payload -> 'order') with ordinality as o(id, n)
         where f.realm_id = p_realm and f.id = o.id::integer;
    end case;
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
