-- When a message last stopped linking a file that no other one linked.
alter table attachment add column unlinked_at bigint;
