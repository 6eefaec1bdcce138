-- Queues are loaded by (realm_id, id). An index that begins with realm_id, too, seemed as good to a database that knew of few queues,
-- and all of an organization's were read for each.
drop index event_queue_owner;
create index event_queue_owner on event_queue (user_id, realm_id);
