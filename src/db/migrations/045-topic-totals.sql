-- How many topics with a policy a user has, kept instead of counted; and those that are muted, found without the others.
create index user_topic_muted on user_topic (realm_id, user_id) where policy = 1;

create table user_topic_total (
  realm_id integer not null,
  user_id integer not null,
  topics integer not null,
  muted integer not null,
  primary key (realm_id, user_id)
) with (fillfactor = 50);

insert into user_topic_total (realm_id, user_id, topics, muted)
select realm_id, user_id, count(*), count(*) filter (where policy = 1) from user_topic group by realm_id, user_id;
