-- Mails that development mode keeps instead of sending them. Called by kept-mail-store.ts, without the log's lock.

-- Keeps a mail unless it is kept already: an attempt may be repeated. The newest p_most stay. One at a time, else each of some
-- at once would not see the others', and more would stay.
create or replace function keep_mail_v1(p_message_id text, p_now bigint, p_mail jsonb, p_most integer)
returns void language sql as $$
  select pg_advisory_xact_lock(hashtext('keep_mail'));
  insert into kept_mail (message_id, kept_at, mail) values (p_message_id, p_now, p_mail)
    on conflict (message_id) do nothing;
  delete from kept_mail where id <= (select id from kept_mail order by id desc offset p_most limit 1);
$$;
