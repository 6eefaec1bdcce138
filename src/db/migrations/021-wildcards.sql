-- A wildcard that an edit brings into a moved message mentions those who received the message where it was then. One of any
-- edit mentions those, too, who hold the message otherwise.
alter table message
  add column wildcard_in integer,
  add column wildcard_at bigint,
  add column wildcard_also int4multirange;
