-- Event queues that end because their users see more or less now than rows can tell.

create or replace function apply_queue_end_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  delete from event_queue
   where realm_id = p_realm and user_id in (select value::integer from jsonb_array_elements_text(p_payload -> 'user_ids'));
  return null;
end $$;
