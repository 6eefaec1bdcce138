-- Organizations that somebody has asked for on the page at /new/, until a link confirms the address. No row of a log tells of
-- them: what they ask for is not there yet. Times are the program's.

-- Notes a wish and its mail, together. Answers "asked"; "often" where the address has got so many of these mails in the time that a
-- link works, and "many" where the server has sent so many in all: then nothing is noted. Done twice it is done once, by the hash.
create or replace function ask_sign_up_v1(
  p_now bigint, p_link_hash text, p_email text, p_email_folded text, p_name text, p_label text, p_mail text,
  p_milliseconds bigint, p_to_address integer, p_in_all integer
) returns text language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('ask_sign_up'));
  if exists (select from sign_up where link_hash = p_link_hash) then
    return 'asked';
  elsif p_to_address <= (
      select count(*) from sign_up where email_folded = p_email_folded and made_at > p_now - p_milliseconds) then
    return 'often';
  elsif p_in_all <= (select count(*) from sign_up where made_at > p_now - p_milliseconds) then
    return 'many';
  end if;
  insert into sign_up (link_hash, email, email_folded, name, label, made_at, expires_at)
  values (p_link_hash, p_email, p_email_folded, p_name, p_label, p_now, p_now + p_milliseconds);
  insert into outbox (realm_id, kind, payload, added_at, due_at, next_at)
  values (null, 'mail', p_mail::jsonb, p_now, p_now, 0);
  return 'asked';
end $$;

-- Deletes some that were asked for before a time; answers how many.
create or replace function forget_sign_ups_v1(p_before bigint) returns integer language sql as $$
  with gone as (
    delete from sign_up where link_hash in (select link_hash from sign_up where made_at < p_before limit 1000)
    returning 1)
  select count(*)::integer from gone
$$;
