-- The newest messages of topics, each found by one step in an index. p_wanted: [{"place", "realm", "channel", "folded", "reader",
-- "held"}, ...]; `held`: only messages count that the reader has received since they subscribed. The topic is asked for as a
-- range and sorted by, because PostgreSQL may otherwise go backwards through all messages of the realm until it meets the
-- topic. In plpgsql, which keeps its plan; sequential scans are off, because it may be made while the table is empty.
create or replace function newest_of_topics_v1(p_wanted jsonb) returns table (place integer, id bigint)
language plpgsql stable set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return query
    select w.place, found.id
      from jsonb_to_recordset(p_wanted) as w(
             place integer, realm integer, channel integer, folded text, reader integer, held boolean)
     cross join lateral (
       select case when not w.held then 0 else (
         select s.reads_from from subscription_span s
          where s.realm_id = w.realm and s.channel_id = w.channel and s.user_id = w.reader and s.closed is null
          limit 1) end as id) as least
     cross join lateral (
       select m.id from message m
        where m.realm_id = w.realm and m.channel_id = w.channel
          and m.topic_folded >= w.folded collate "C" and m.topic_folded <= w.folded collate "C"
          and m.id >= least.id
        order by m.topic_folded desc, m.id desc limit 1) as found;
end $$;
