-- Messages that are rendered anew without an edit, because what their links lead to has become known.

-- Calls: {"row", "content": {"raw", "rendered", "orig_raw", "orig_rendered"}}. `row`: of the type update_message, as
-- rerender.ts makes it, with {"channel_id", "since"} beside it: where the message was found. Whom the message marks and
-- what it contains stay as they are. Outcome: {}, or {"refused": "moved"} where it is elsewhere by now, or {"refused":
-- "changed"} where it is gone, or not shown any more as it was when its links were looked up.
create or replace function rerender_messages_v1(p_realm integer, p_calls jsonb) returns jsonb
language plpgsql set enable_seqscan = off as $$
declare
  v_call record;
  m message;
  v_outcomes jsonb := '[]';
begin
  for v_call in select * from jsonb_to_recordset(p_calls) as c("row" jsonb, content jsonb)
  loop
    select * into m from message
     where realm_id = p_realm and id = (v_call."row" #>> '{payload,message_id}')::bigint;
    if m.id is null or m.content <> v_call.content ->> 'orig_raw' or m.rendered <> v_call.content ->> 'orig_rendered' then
      v_outcomes := v_outcomes || '{"refused": "changed"}'::jsonb;
      continue;
    end if;
    if m.channel_id is distinct from (v_call."row" #>> '{beside,channel_id}')::integer
       or m.channel_since is distinct from (v_call."row" #>> '{beside,since}')::bigint then
      v_outcomes := v_outcomes || '{"refused": "moved"}'::jsonb;
      continue;
    end if;
    perform keep_original_v1(p_realm, m.id);
    update message set rendered = v_call.content ->> 'rendered' where realm_id = p_realm and id = m.id;
    -- So that a deletion finds this row, which carries the content.
    insert into message_edit (realm_id, message_id, position, at)
    values (p_realm, m.id, current_setting('parley.position')::bigint + 1, now_v1());
    perform search_changed_v1(p_realm, array[m.id]);
    perform append_content_row_v1(p_realm, m, v_call."row");
    v_outcomes := v_outcomes || '{}'::jsonb;
  end loop;
  return v_outcomes;
end $$;
