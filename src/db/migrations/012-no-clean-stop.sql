-- Whether a stop was clean told nothing of the disk: after a power cut the row may be an older one. Now a mark beside the
-- embedded database does (src/db/disk/durability.ts).
alter table server_state drop column clean_stop;
