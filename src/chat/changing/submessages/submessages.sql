-- Submessages: what people do in polls and to-do lists.

-- About how many bytes a submessage has in an answer.
create or replace function submessage_bytes_v1(p_content text) returns integer language sql immutable as $$
  select 120 + octet_length(p_content)
$$;

-- Applies rows of the type submessage. `beside`: {"msg_type"}; {"subject"}: null, or what it is about, where only the last
-- one of a sender counts; {"most_bytes"}: of all submessages of a message. Refuses with "full".
create or replace function apply_submessage_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
declare
  v_message bigint := (p_payload ->> 'message_id')::bigint;
  v_sender integer := (p_payload ->> 'sender_id')::integer;
  v_content text := p_payload ->> 'content';
  v_subject text := p_beside ->> 'subject';
  v_replaced integer := coalesce((
    select sum(submessage_bytes_v1(content)) from submessage
     where realm_id = p_realm and message_id = v_message and sender_id = v_sender and subject = v_subject), 0);
  v_all integer := (
    select sum(submessage_bytes_v1(content)) from submessage where realm_id = p_realm and message_id = v_message);
begin
  if v_all - v_replaced + submessage_bytes_v1(v_content) > (p_beside ->> 'most_bytes')::integer then
    return 'full';
  end if;
  delete from submessage
   where realm_id = p_realm and message_id = v_message and sender_id = v_sender and subject = v_subject;
  insert into submessage (realm_id, message_id, id, sender_id, msg_type, content, subject)
  values (p_realm, v_message, p_position, v_sender, p_beside ->> 'msg_type', v_content, v_subject);
  perform add_to_message_v1(p_realm, v_message, submessage_bytes_v1(v_content) - v_replaced);
  return null;
end $$;

-- Adds submessages. Each call: {"row", "policies"?}, as submessages.ts makes it. Outcome: {}, or {"refused": word} with a word of
-- apply_submessage_v1 or of write_about_message_v1.
create or replace function add_submessages_v1(p_realm integer, p_calls jsonb) returns jsonb language plpgsql as $$
declare
  v_call jsonb;
  v_row jsonb;
  v_refusal text;
  v_outcomes jsonb := '[]';
begin
  for v_call in select value from jsonb_array_elements(p_calls) loop
    v_row := v_call -> 'row';
    v_refusal := write_about_message_v1(p_realm, v_row);
    if v_refusal is null then
      perform take_part_v1(p_realm, (v_row #>> '{payload,sender_id}')::integer,
                           (v_row #>> '{payload,message_id}')::bigint, v_call -> 'policies');
    end if;
    v_outcomes := v_outcomes || case when v_refusal is null then '{}' else jsonb_build_object('refused', v_refusal) end;
  end loop;
  return v_outcomes;
end $$;
