-- The start page of a user by the words of the API.
update account
   set settings = jsonb_set(settings, '{web_home_view}',
                            case settings ->> 'web_home_view' when 'recent' then '"recent_topics"'::jsonb
                                                              else '"all_messages"' end)
 where settings ->> 'web_home_view' in ('recent', 'all');

-- How long the drafts of a user are together is limited.
alter table own_item add column bytes integer not null default 0;
update own_item set bytes = octet_length(value::text);
