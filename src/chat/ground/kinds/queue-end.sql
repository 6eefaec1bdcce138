-- Deletes the event queues of users for whom a change has too many events. Their clients register again.

create or replace function apply_queue_end_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  delete from event_queue
   where realm_id = p_realm and user_id = any(array(select value::integer from jsonb_array_elements_text(p_payload -> 'user_ids')));
  return null;
end $$;
