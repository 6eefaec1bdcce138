-- Links that are mailed to people.
create table account_link (
  realm_id integer not null references realm,
  link_hash text not null,
  user_id integer not null,
  purpose text not null,
  email text not null,
  email_folded text collate "C" not null,
  made_at bigint not null,
  expires_at bigint not null,
  ended_at bigint,
  primary key (realm_id, link_hash),
  foreign key (realm_id, user_id) references account
);
create index account_link_of on account_link (realm_id, user_id, made_at);
create index account_link_to on account_link (realm_id, email_folded, made_at);
create index account_link_made on account_link (made_at);

-- Up to when clients know who has become a full member.
update realm
   set settings = settings
         || jsonb_build_object('full_members_at', (extract(epoch from clock_timestamp()) * 1000)::bigint)
 where coalesce((settings ->> 'waiting_period_days')::numeric, 0) > 0;

drop function if exists apply_account_state_v2(integer, bigint, jsonb, jsonb);
