-- Alert words: one row with all words of a user.

-- [user, words] of everybody who has some.
create or replace function load_alert_words_v1(p_realm integer) returns json language sql stable as $$
  select coalesce(json_agg(json_build_array(user_id, words) order by user_id), '[]')
    from alert_words where realm_id = p_realm
$$;

-- Applies rows of the type alert_words, which hold all words of the user.
create or replace function apply_alert_words_v1(p_realm integer, p_position bigint, p_payload jsonb, p_beside jsonb)
returns text language plpgsql as $$
begin
  if p_payload -> 'words' = '[]' then
    delete from alert_words where realm_id = p_realm and user_id = (p_payload ->> 'user_id')::integer;
  else
    insert into alert_words (realm_id, user_id, words)
    values (p_realm, (p_payload ->> 'user_id')::integer, p_payload -> 'words')
    on conflict (realm_id, user_id) do update set words = excluded.words;
  end if;
  return null;
end $$;
