-- The words of a message, as the index and the searches have them. A word is what stands between separators, so that the
-- parts of a link, an address, a file's name or an identifier are words; search-words.ts reads what people search for in the
-- same way. Scripts that write no spaces (unspaced-scripts.ts) have pieces of two characters instead, which overlap.

-- The text of a message's HTML, without its tags: values of attributes have no < and >. `p_between` stands for each of them.
-- It is cut where no message's text goes on: ten thousand typed characters become more by the names of emoji.
create or replace function text_of_v2(p_rendered text, p_between text) returns text language sql immutable as $$
  select left(regexp_replace(p_rendered, '<[^>]*(?:>|$)', p_between, 'g'), 200000)
$$;

-- A message's topic and text with its words apart: separators are spaces, and what has no spaces is left out. Where anything
-- has camelCase, all stands once more behind that, with its parts apart. A topic has no tags, whatever it looks like.
create or replace function words_apart_v1(p_topic text, p_rendered text) returns text language plpgsql immutable as $$
declare
  v_text text := translate(p_topic, '<>&', '   ') || ' ' || text_of_v2(p_rendered, ' ');
begin
  if octet_length(v_text) > length(v_text) then
    v_text := regexp_replace(v_text, unspaced_v1() || '+', ' ', 'g');
  end if;
  if v_text ~ '[[:lower:]][[:digit:]]*[[:upper:]]|[[:upper:]]{2}[[:lower:]]{2}' then
    v_text := v_text || ' ' || regexp_replace(regexp_replace(v_text,
      '[[:lower:]][[:digit:]]*(?=[[:upper:]])', '\& ', 'g'), '[[:upper:]][[:lower:]]{2}', ' \&', 'g');
  end if;
  return regexp_replace(v_text, '[./_@:?+-]+', ' ', 'g');
end $$;

-- A character of a script that writes no spaces, as a regular expression: its letters, marks and digits.
create or replace function unspaced_v1() returns text language sql immutable as $$
  select '[\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109d\u1780-\u17d3\u17d7\u17dc-\u17f9'
    || '\u1950-\u19da\u1a20-\u1a99\u1aa7\u1b00-\u1b4c\u1b50-\u1b59\u3005-\u3007\u3021-\u302d\u3031-\u3035\u3038-\u303c'
    || '\u3041-\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\ua48c'
    || '\ua980-\ua9c0\ua9cf-\ua9d9\ua9e0-\ua9fe\uaa60-\uaa76\uaa7a-\uaadd\uf900-\ufad9\uff66-\uff9f'
    || '\U000116d0-\U0001173b\U00011740-\U00011746\U00016fe3-\U00016fe4\U00016ff0-\U0001b2fb\U00020000-\U0003347f]'
$$;

-- The pieces of two characters of a text's runs without spaces. Of a text with thousands of different ones only the sign '…'
-- is kept, under which a search looks into the text itself (texts-store.ts).
create or replace function pairs_of_v1(p_text text) returns tsvector language plpgsql immutable as $$
declare
  v_runs text := regexp_replace(p_text, replace(unspaced_v1(), '[', '[^') || '+', ' ', 'g');
  v_pairs tsvector := array_to_tsvector(array(
    select one || other from unnest(string_to_array(v_runs, null), string_to_array(substr(v_runs, 2), null)) as pair(one, other)
     where one <> ' ' and other <> ' '));
begin
  return case when length(v_pairs) > 2000 then array_to_tsvector(array['…']) else v_pairs end;
end $$;

-- Tags within a run are passed over: Chinese has `重<strong>要</strong>` without spaces, too.
create or replace function words_of_v3(p_topic text, p_rendered text) returns tsvector language plpgsql immutable as $$
declare
  v_words tsvector := strip(to_tsvector('english'::regconfig, words_apart_v1(p_topic, p_rendered)));
begin
  if p_topic ~ unspaced_v1() or p_rendered ~ unspaced_v1() then
    return v_words || pairs_of_v1(p_topic || E'\n' || text_of_v2(p_rendered, ''));
  end if;
  return v_words;
end $$;

-- Whether words stand side by side in a message or its topic. PostgreSQL keeps 255 places of a word at most: of a text that has
-- one of them as often as that nobody can say.
create or replace function has_sequence_v1(p_topic text, p_rendered text, p_sequence tsquery) returns boolean
language plpgsql immutable as $$
declare
  v_words tsvector := to_tsvector('english'::regconfig, words_apart_v1(p_topic, p_rendered));
begin
  return v_words @@ p_sequence or exists (
    select from unnest(v_words) as each
     where cardinality(each.positions) >= 255 and strpos(p_sequence::text, quote_literal(each.lexeme)) > 0);
end $$;

-- Whether a message or its topic has these runs without spaces, each as a whole. Of very long HTML the tags are not taken out.
create or replace function has_runs_v1(p_topic text, p_rendered text, p_runs jsonb) returns boolean
language plpgsql immutable as $$
declare
  v_text text;
begin
  if exists (select from jsonb_array_elements_text(p_runs) as run
              where strpos(p_rendered, left(run, 1)) = 0 and strpos(p_topic, left(run, 1)) = 0) then
    return false;
  end if;
  v_text := p_topic || E'\n' || case when octet_length(p_rendered) > 40000 then p_rendered else text_of_v2(p_rendered, '') end;
  return not exists (select from jsonb_array_elements_text(p_runs) as run where strpos(v_text, run) = 0);
end $$;

-- The keys under which a message is found: its words, very long ones by their beginning. Whoever writes very many
-- different words in one message gets the rest of them under the empty key, which every search looks at, so that no
-- statement writes thousands of rows.
create or replace function search_keys_v2(p_words tsvector) returns setof text language sql immutable rows 20 as $$
  (select distinct left(each.lexeme, 60) from unnest(p_words) as each where length(p_words) <= 1000)
  union all
  (select distinct left(each.lexeme, 60) from (
     select o.lexeme from unnest(p_words) as o where length(p_words) > 1000 limit 1000) as each)
  union all
  select '' where length(p_words) > 1000 or p_words @@ '''…'''::tsquery
$$;

-- Whether the words have this key of search_keys_v2.
create or replace function has_key_v2(p_words tsvector, p_key text) returns boolean language sql immutable as $$
  select case when p_key = '' then length(p_words) > 1000 or p_words @@ '''…'''::tsquery
              when length(p_key) < 60 then length(ts_delete(p_words, p_key)) < length(p_words)
              else exists (select from unnest(p_words) as each where left(each.lexeme, 60) = p_key) end
$$;
