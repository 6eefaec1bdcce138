create index event_queue_owner on event_queue (realm_id, user_id);
