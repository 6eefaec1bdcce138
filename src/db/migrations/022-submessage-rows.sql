-- Deleting a message takes the contents of all its submessages from the log, those too that others replaced.
create index log_submessage on log (realm_id, ((payload ->> 'message_id')::bigint)) where type = 'submessage';
