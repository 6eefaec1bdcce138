-- The start page of a user by the words of the API.
update account
   set settings = jsonb_set(settings, '{web_home_view}',
                            case settings ->> 'web_home_view' when 'recent' then '"recent_topics"'::jsonb
                                                              else '"all_messages"' end)
 where settings ->> 'web_home_view' in ('recent', 'all');

-- How long the drafts of a user are together is limited.
alter table own_item add column bytes integer not null default 0;
update own_item set bytes = octet_length(value::text);

-- Whose invitations were mailed of late, to whom, and when links for many were used.
alter table invitations_mailed add column inviter_id integer;
create table invitation_mail (
  realm_id integer not null references realm,
  email_folded text collate "C" not null,
  at bigint not null
);
create index invitation_mail_to on invitation_mail (realm_id, email_folded, at);
create table invitation_use (
  realm_id integer not null references realm,
  invitation_id bigint not null,
  at bigint not null
);
create index invitation_use_of on invitation_use (realm_id, invitation_id, at);

-- Whom open invitations are to.
create index invitation_to on invitation (realm_id, email_folded) where ended_at is null;
