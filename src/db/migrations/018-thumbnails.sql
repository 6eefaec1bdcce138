-- Pictures whose thumbnails are to be made.
create table thumbnail_work (
  realm_id integer not null,
  owner_id integer not null,
  attachment_id bigint not null,
  made_at bigint,
  primary key (realm_id, owner_id, attachment_id)
);
create unique index thumbnail_work_of on thumbnail_work (realm_id, attachment_id);
