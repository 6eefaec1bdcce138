-- Files that users uploaded, and the messages that link them.

-- The messages of a file that its owner may know of, the newest ones, as clients read them.
create or replace function attachment_messages_v1(p_realm integer, p_attachment bigint) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'date_sent', m.sent_at / 1000) order by m.id), '[]')
    from (select am.message_id from attachment_message am
           where am.realm_id = p_realm and am.attachment_id = p_attachment and am.shown
           order by am.message_id desc limit 100) as newest
   cross join lateral (select m.id, m.sent_at from message m
                        where m.realm_id = p_realm and m.id = newest.message_id offset 0) as m
$$;

-- A file as its owner reads it.
create or replace function attachment_json_v1(p_realm integer, p_attachment bigint) returns jsonb language sql stable as $$
  select jsonb_build_object('id', id, 'name', name, 'path_id', path_id, 'size', size, 'create_time', created_at / 1000,
                            'messages', attachment_messages_v1(p_realm, id))
    from attachment where realm_id = p_realm and id = p_attachment
$$;

-- Bytes of all files of an organization.
create or replace function upload_space_v1(p_realm integer) returns bigint language sql stable as $$
  select coalesce((select used from upload_space where realm_id = p_realm), 0)
$$;

-- Applies rows of the type attachment. `beside` of an `add`: {"owner_id", "content_type", "quota", and of pictures "width",
-- "height", "is_animated"}, quota in bytes; refuses with "full" where there is no room for the file. `beside` of a
-- `remove`: {"owner_id"}, and "unclaimed" for a file that goes only if no message links it; refuses with "gone" or
-- "claimed". An `update` only tells: links follow the rows of their messages.
create or replace function apply_attachment_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_file jsonb := p_payload -> 'attachment';
  v_size bigint;
begin
  if p_payload ->> 'op' = 'add' then
    v_size := (v_file ->> 'size')::bigint;
    if upload_space_v1(p_realm) + v_size > (p_beside ->> 'quota')::bigint then
      return 'full';
    end if;
    insert into attachment (realm_id, id, owner_id, name, path_id, size, content_type, created_at, width, height, is_animated)
    values (p_realm, p_position, (p_beside ->> 'owner_id')::integer, v_file ->> 'name', v_file ->> 'path_id', v_size,
            p_beside ->> 'content_type', now_v1(), (p_beside ->> 'width')::integer, (p_beside ->> 'height')::integer,
            coalesce((p_beside ->> 'is_animated')::boolean, false));
    insert into upload_space as s (realm_id, used) values (p_realm, v_size)
    on conflict (realm_id) do update set used = s.used + v_size;
  elsif p_payload ->> 'op' = 'remove' then
    if (p_beside ->> 'unclaimed')::boolean and exists (
      select from attachment_message where realm_id = p_realm and attachment_id = (v_file ->> 'id')::bigint) then
      return 'claimed';
    end if;
    delete from attachment
     where realm_id = p_realm and id = (v_file ->> 'id')::bigint and owner_id = (p_beside ->> 'owner_id')::integer
    returning size into v_size;
    if v_size is null then
      return 'gone';
    end if;
    delete from attachment_message where realm_id = p_realm and attachment_id = (v_file ->> 'id')::bigint;
    update upload_space set used = used - v_size where realm_id = p_realm;
  end if;
  return null;
end $$;

-- Adds and removes files. Each call: {"row"}, as attachment-event.ts makes it; the space that is used afterwards is filled
-- in here. Outcome: {}, or {"refused": word} with a word of apply_attachment_v1.
create or replace function change_attachments_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_row jsonb;
  v_refusal text;
  v_outcomes jsonb := '[]';
begin
  for v_row in select value -> 'row' from jsonb_array_elements(p_calls) loop
    v_refusal := follow_row_v1(p_realm, v_row);
    if v_refusal is null then
      perform append_row_v1(p_realm,
        jsonb_set(v_row, '{payload,upload_space_used}', to_jsonb(upload_space_v1(p_realm))));
    end if;
    v_outcomes := v_outcomes || case when v_refusal is null then '{}' else jsonb_build_object('refused', v_refusal) end;
  end loop;
  return v_outcomes;
end $$;
