create index message_channel_sender on message (realm_id, channel_id, sender_id, id);
drop index message_sender;
