-- Which database this is; null: nobody has asked yet.
alter table server_state add column if not exists id uuid;

drop function if exists list_invitations_v1(integer, integer, bigint);
