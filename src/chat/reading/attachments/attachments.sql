-- Files that users uploaded, and the messages that link them.

-- The messages of a file that its owner may know of, the newest `p_most`, as clients read them.
create or replace function attachment_messages_v1(p_realm integer, p_attachment bigint, p_most integer) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'date_sent', m.sent_at / 1000) order by m.id), '[]')
    from (select am.message_id from attachment_message am
           where am.realm_id = p_realm and am.attachment_id = p_attachment and am.shown
           order by am.message_id desc limit p_most) as newest
   cross join lateral (select m.id, m.sent_at from message m
                        where m.realm_id = p_realm and m.id = newest.message_id offset 0) as m
$$;

-- A file as its owner reads it.
create or replace function attachment_json_v1(p_realm integer, p_attachment bigint, p_most integer) returns jsonb
language sql stable as $$
  select jsonb_build_object('id', id, 'name', name, 'path_id', path_id, 'size', size, 'create_time', created_at / 1000,
                            'messages', attachment_messages_v1(p_realm, id, p_most))
    from attachment where realm_id = p_realm and id = p_attachment
$$;

-- Bytes of all files of an organization.
create or replace function upload_space_v1(p_realm integer) returns bigint language sql stable as $$
  select coalesce((select used from upload_space where realm_id = p_realm), 0)
$$;

-- Whether a message links a file, or one that is to be sent later.
create or replace function is_file_claimed_v1(p_realm integer, p_file bigint) returns boolean language sql stable as $$
  select exists (select from attachment_message where realm_id = p_realm and attachment_id = p_file)
      or exists (select from scheduled_item where realm_id = p_realm and value -> 'files' @> to_jsonb(p_file))
$$;

-- Applies rows of the type attachment. `beside` of an `add`: {"owner_id", "content_type", "quota", "most", and of
-- pictures "width", "height", "is_animated"}: the quota in bytes, the most files of a user; refuses with "full" where
-- there is no room for the file, with "many" where its owner has too many. `beside` of a `remove`: {"owner_id"}, and
-- "unclaimed" for a file that goes only if no message links it; refuses with "gone" or "claimed". An `update` only
-- tells: links follow the rows of their messages.
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
    elsif (select count(*) from attachment where realm_id = p_realm and owner_id = (p_beside ->> 'owner_id')::integer)
          >= (p_beside ->> 'most')::integer then
      return 'many';
    end if;
    insert into attachment (realm_id, id, owner_id, name, path_id, size, content_type, created_at, width, height, is_animated)
    values (p_realm, p_position, (p_beside ->> 'owner_id')::integer, v_file ->> 'name', v_file ->> 'path_id', v_size,
            p_beside ->> 'content_type', now_v1(), (p_beside ->> 'width')::integer, (p_beside ->> 'height')::integer,
            coalesce((p_beside ->> 'is_animated')::boolean, false));
    if p_beside ->> 'width' is not null then
      insert into thumbnail_work (realm_id, owner_id, attachment_id)
      values (p_realm, (p_beside ->> 'owner_id')::integer, p_position);
    end if;
    insert into upload_space as s (realm_id, used) values (p_realm, v_size)
    on conflict (realm_id) do update set used = s.used + v_size;
  elsif p_payload ->> 'op' = 'remove' then
    if (p_beside ->> 'unclaimed')::boolean and is_file_claimed_v1(p_realm, (v_file ->> 'id')::bigint) then
      return 'claimed';
    end if;
    delete from attachment
     where realm_id = p_realm and id = (v_file ->> 'id')::bigint and owner_id = (p_beside ->> 'owner_id')::integer
    returning size into v_size;
    if v_size is null then
      return 'gone';
    end if;
    delete from attachment_message where realm_id = p_realm and attachment_id = (v_file ->> 'id')::bigint;
    delete from thumbnail_work where realm_id = p_realm and attachment_id = (v_file ->> 'id')::bigint;
    update upload_space set used = used - v_size where realm_id = p_realm;
  end if;
  return null;
end $$;

-- Adds and removes files. Each call: {"row"}, as chat/ground/kinds/attachment-row.ts makes it; the space that is used
-- afterwards is filled in here. Outcome: {}, or {"refused": word} with a word of apply_attachment_v1.
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

-- Most messages that the events about a file list, if one commit has events about `p_files` files: a hundred, but of
-- all files together 500, because the lock is held while they are read.
create or replace function told_messages_v1(p_files bigint) returns integer language sql immutable as $$
  select 500 / greatest(5, least(500, p_files))::integer
$$;

-- Whether the owner of a file may read a message that links it and that was shown to them: they may have lost its channel. Who
-- reads a private channel by a group only, which is known to the program, counts as out of it.
create or replace function owner_reads_v1(p_realm integer, p_owner integer, p_message message) returns boolean
language sql stable as $$
  select p_message.channel_id is null or reads_held_v1(p_realm, p_owner, p_message.channel_id, null)
$$;

-- Tells the owners of files about them, as a set: a message may link a hundred, and the lock is held meanwhile. `p_row`:
-- linkedFileRow of chat/ground/kinds, completed here. What attachment_json_v1 makes is made here in one query, in half the time.
create or replace function tell_files_v1(p_realm integer, p_attachments bigint[], p_row jsonb, p_most integer) returns void
language plpgsql as $$
declare
  v_payload jsonb := (p_row -> 'payload') || jsonb_build_object('upload_space_used', upload_space_v1(p_realm));
begin
  if cardinality(p_attachments) = 0 then
    return;
  end if;
  perform append_rows_v1(p_realm, (
    select jsonb_agg(p_row || jsonb_build_object(
             'payload', v_payload || jsonb_build_object('attachment', jsonb_build_object(
               'id', a.id, 'name', a.name, 'path_id', a.path_id, 'size', a.size, 'create_time', a.created_at / 1000,
               'messages', coalesce(newest.messages, '[]'))),
             'audience', jsonb_build_object('kind', 'users', 'users', jsonb_build_array(a.owner_id))) order by a.id)
      from unnest(p_attachments) as told(id)
     cross join lateral (select * from attachment where realm_id = p_realm and id = told.id offset 0) as a
      left join lateral (
        select jsonb_agg(jsonb_build_object('id', m.id, 'date_sent', m.sent_at / 1000) order by m.id) as messages
          from (select am.message_id from attachment_message am
                 where am.realm_id = p_realm and am.attachment_id = a.id and am.shown
                 order by am.message_id desc limit p_most) as l
         cross join lateral (
            select id, sent_at from message o
             where o.realm_id = p_realm and o.id = l.message_id and owner_reads_v1(p_realm, a.owner_id, o) offset 0) as m
      ) as newest on true));
end $$;

-- Notes that a message links files: {"id", "shown"} each. Those that are gone by now are passed over.
create or replace function link_files_v1(p_realm integer, p_message bigint, p_files jsonb, p_row jsonb) returns void
language plpgsql as $$
declare
  v_told bigint[];
begin
  with linked as (
    insert into attachment_message (realm_id, attachment_id, message_id, shown)
    select p_realm, a.id, p_message, f.shown
      from (select distinct on (id) id, shown from jsonb_to_recordset(p_files) as f(id bigint, shown boolean) order by id) as f
     cross join lateral (select id from attachment where realm_id = p_realm and id = f.id offset 0) as a
    on conflict do nothing
    returning attachment_id, shown
  )
  select coalesce(array_agg(attachment_id) filter (where shown), '{}') into v_told from linked;
  perform tell_files_v1(p_realm, v_told, p_row, told_messages_v1(jsonb_array_length(p_files)));
end $$;

-- Notes that a message links these files and no others, for an edit of it; `[]` where it is deleted. Answers those of
-- `p_editor` that no message links any more, as their owner reads them; null: nobody's.
create or replace function relink_files_v1(p_realm integer, p_message bigint, p_files jsonb, p_row jsonb, p_editor integer)
returns jsonb language plpgsql as $$
declare
  v_gone bigint[];
  v_told bigint[];
  v_detached jsonb;
begin
  with gone as (
    delete from attachment_message l
     where l.realm_id = p_realm and l.message_id = p_message
       and l.attachment_id <> all (array(select (f.value ->> 'id')::bigint from jsonb_array_elements(p_files) as f))
    returning l.attachment_id, l.shown
  )
  select coalesce(array_agg(attachment_id), '{}'), coalesce(array_agg(attachment_id) filter (where shown and (
           select owner_reads_v1(p_realm, a.owner_id, m) from attachment a
             join message m on m.realm_id = p_realm and m.id = p_message
            where a.realm_id = p_realm and a.id = gone.attachment_id)), '{}')
    into v_gone, v_told from gone;
  if cardinality(v_gone) > 0 then
    update attachment a set unlinked_at = now_v1()
     where a.realm_id = p_realm and a.id = any(v_gone) and not exists (
       select from attachment_message l where l.realm_id = p_realm and l.attachment_id = a.id);
    perform tell_files_v1(p_realm, v_told, p_row, told_messages_v1(cardinality(v_gone)));
    select coalesce(jsonb_agg(attachment_json_v1(p_realm, a.id, 1) order by a.id), '[]') into v_detached
      from unnest(v_gone) as gone(id)
     cross join lateral (select id, owner_id from attachment where realm_id = p_realm and id = gone.id offset 0) as a
     where a.owner_id = p_editor and not exists (
       select from attachment_message l where l.realm_id = p_realm and l.attachment_id = a.id);
  end if;
  perform link_files_v1(p_realm, p_message, p_files, p_row);
  return coalesce(v_detached, '[]');
end $$;
