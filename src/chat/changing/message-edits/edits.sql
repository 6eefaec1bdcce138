-- Contents of messages that are edited, or rendered anew, and what is read of edited messages.

-- Copies the content of a message into the row of its event before the first edit: an event never changes.
create or replace function keep_original_v1(p_realm integer, p_message bigint) returns void
language sql set enable_seqscan = off as $$
  update log set payload = payload || jsonb_build_object('original', (
      select jsonb_build_array(m.content, m.rendered) from message m where m.realm_id = p_realm and m.id = p_message))
   where realm_id = p_realm and position = p_message and not payload ? 'original'
$$;

-- Notes the users whom a message mentions by name from now on: each gets a row of their own, which does not make it
-- unread. Whoever is not mentioned any more keeps the message.
create or replace function set_mentioned_v1(p_realm integer, p_message bigint, p_named integer[]) returns void
language plpgsql set enable_seqscan = off as $$
declare
  m record;
begin
  select channel_id, channel_since into m from message where realm_id = p_realm and id = p_message;
  update personal_message p
     set mentioned = false,
         historical = historical or (m.channel_id is not null
           and not holds_by_span_v1(p_realm, p.user_id, m.channel_id, m.channel_since))
   where realm_id = p_realm and message_id = p_message and mentioned and user_id <> all (p_named);
  insert into personal_message (realm_id, user_id, message_id, mentioned, historical)
  select p_realm, named, p_message, true,
         m.channel_id is not null and not holds_by_span_v1(p_realm, named, m.channel_id, m.channel_since)
    from unnest(p_named) as named
      on conflict (realm_id, user_id, message_id) do update set mentioned = true;
  delete from personal_message
   where realm_id = p_realm and message_id = p_message
     and not (mentioned or starred or collapsed or historical) and unread_since is null;
end $$;

-- Gives a message another content: {"content": {"raw", "rendered", ...}, "marks", "named": [user], "parts"}. Its event keeps
-- the original; who is mentioned and what is searched follow.
create or replace function change_content_v2(p_realm integer, p_message bigint, p_edit jsonb)
returns void language plpgsql set enable_seqscan = off as $$
declare
  v_marks jsonb := p_edit -> 'marks';
begin
  perform keep_original_v1(p_realm, p_message);
  update message
     set content = p_edit #>> '{content,raw}', rendered = p_edit #>> '{content,rendered}',
         edited_at = now_v1(),
         channel_wildcard = v_marks ? 'channel',
         -- A message that was moved mentions those who received it where it is.
         wildcard_in = case when v_marks ? 'channel' and channel_since <> id then channel_id end,
         wildcard_at = case when v_marks ? 'channel' and channel_since <> id then channel_since end,
         group_mentioned = (v_marks ->> 'group')::int4multirange,
         topic_wildcard = (v_marks ->> 'topic')::int4multirange,
         alerted = (v_marks ->> 'alerted')::int4multirange,
         has_link = (p_edit #>> '{parts,has_link}')::boolean,
         has_image = (p_edit #>> '{parts,has_image}')::boolean,
         has_attachment = (p_edit #>> '{parts,has_attachment}')::boolean
   where realm_id = p_realm and id = p_message;
  perform set_mentioned_v1(p_realm, p_message, array(
    select each::integer from jsonb_array_elements_text(p_edit -> 'named') as each));
  -- Those who hold it though they did not receive it there: the ones just named among them, and who was given it.
  update message m
     set wildcard_also = case when m.channel_wildcard then (
       select range_agg(int4range(h.user_id, h.user_id, '[]')) from (
         select p.user_id from personal_message p
          where p.realm_id = p_realm and p.message_id = p_message
            and not received_v1(p_realm, p.user_id, m.channel_id, m.channel_since)
         union all
         select s.user_id from subscription_span s
          where s.realm_id = p_realm and s.channel_id = m.channel_id
            and s.opened > m.channel_since and s.reads_from <= m.channel_since) as h) end
   where m.realm_id = p_realm and m.id = p_message and m.channel_id is not null
     and (m.channel_wildcard or m.wildcard_also is not null);
end $$;

-- Appends the row of the type update_message about a message's content: with everybody's flags as they are now, also to
-- those who hold a channel's message by a row of their own, as write_about_message_v1 does.
create or replace function append_content_row_v1(p_realm integer, p_message message, p_row jsonb) returns void
language plpgsql set enable_seqscan = off as $$
declare
  v_row jsonb := jsonb_set(p_row, '{payload,flags}', message_flags_v1(p_realm, p_message.id, null));
begin
  if p_message.channel_id is not null then
    v_row := jsonb_set(v_row, '{audience,also}', coalesce(v_row #> '{audience,also}', '[]')
      || other_readers_v1(
        p_realm, p_message.id, p_message.channel_id, p_message.channel_since, p_row #> '{beside,readers}'));
  end if;
  perform append_row_v1(p_realm, with_kept_v1(p_realm, v_row, array[p_message.id], p_message.channel_id));
end $$;

-- Calls: {"row", "content": {"raw", "rendered", "orig_raw", "orig_rendered"}, "marks", "named": [user], "others": [user],
-- "parts", "editor_id", "files", "file_row", "most_edits"}. `others`: who was found to hold it by a row of their own.
-- `row`: of the type update_message, as edit-content.ts makes it, with
-- {"channel_id", "since"} beside it: where the message was found. Outcome: {"detached": the files of the editor that no message links any more}, or {"refused": "moved"}
-- where the message is elsewhere by now, is gone, has another content than the one that was edited, or other holders.
create or replace function edit_messages_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  m message;
  v_outcomes jsonb := '[]';
begin
  for v_call in
    select * from jsonb_to_recordset(p_calls) as c(
      "row" jsonb, content jsonb, marks jsonb, named integer[], others jsonb, parts jsonb, editor_id integer,
      files jsonb, file_row jsonb, most_edits integer)
  loop
    select * into m from message
     where realm_id = p_realm and id = (v_call."row" #>> '{payload,message_id}')::bigint;
    if m.id is null or m.channel_id is distinct from (v_call."row" #>> '{beside,channel_id}')::integer
       or m.channel_since is distinct from (v_call."row" #>> '{beside,since}')::bigint
       or m.content <> v_call.content ->> 'orig_raw' or m.rendered <> v_call.content ->> 'orig_rendered'
       or (m.channel_id is not null
         and other_holders_v1(p_realm, m.id, m.channel_id, m.channel_since) <> v_call.others) then
      v_outcomes := v_outcomes || '{"refused": "moved"}'::jsonb;
      continue;
    end if;
    perform change_content_v2(p_realm, m.id, jsonb_build_object('content', v_call.content, 'marks', v_call.marks,
      'named', v_call.named, 'parts', v_call.parts));
    insert into message_edit (realm_id, message_id, position, editor_id, at, prev_content, prev_rendered)
    values (p_realm, m.id, current_setting('parley.position')::bigint + 1, v_call.editor_id, now_v1(),
            m.content, m.rendered);
    perform add_edits_v1(p_realm, array[m.id], v_call.most_edits);
    perform search_changed_v1(p_realm, array[m.id]);
    perform append_content_row_v1(p_realm, m, v_call."row");
    v_outcomes := v_outcomes || jsonb_build_object('detached',
      relink_files_v1(p_realm, m.id, v_call.files, v_call.file_row, v_call.editor_id));
  end loop;
  return v_outcomes;
end $$;

-- Those of some users who hold a message and for whom it is read, in ascending order. 1,000 take some 10 ms.
create or replace function readers_v1(p_realm integer, p_message bigint, p_users integer[]) returns integer[]
language plpgsql stable set enable_seqscan = off as $$
declare
  m message;
  v_sent_in integer;
  v_place bigint;
begin
  select * into m from message where realm_id = p_realm and id = p_message;
  v_sent_in := coalesce(m.moved_from, m.channel_id);
  v_place := place_v1(v_sent_in, m.conversation_id);
  return array(
    select u.id from unnest(p_users) as u(id)
      cross join lateral (select read_floor_v1(p_realm, u.id) as floor offset 0) f
     where m.id is not null
       -- The participants of a direct message hold it: the caller names nobody else.
       and (m.channel_id is null or holds_by_span_v1(p_realm, u.id, m.channel_id, m.channel_since) or exists (
         select from personal_message h where h.realm_id = p_realm and h.user_id = u.id and h.message_id = m.id))
       and not (
       (m.id > f.floor and not read_from_start_v1(u.id, m.sender_id, m.read_by_sender, m.muted_for)
        and case when m.channel_id is null then true
            else holds_now_v1(p_realm, u.id, v_sent_in, m.id)
              and (m.moved_from is null or holds_now_v1(p_realm, u.id, m.channel_id, m.channel_since)) end
        and not coalesce((
          select r.ranges from read_ranges r
           where r.realm_id = p_realm and r.user_id = u.id and r.place = v_place and r.low <= m.id
           order by r.low desc limit 1) @> m.id, false))
       or exists (
         select from personal_message p
          where p.realm_id = p_realm and p.user_id = u.id and p.message_id = m.id and p.unread_since > f.floor
            and not exists (select from left_since_v1(p_realm, u.id, m.channel_id, m.moved_from, p.unread_since))))
     order by u.id);
end $$;
