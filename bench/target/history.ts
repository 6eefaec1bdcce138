/**
 * Messages with words in many channels, and the index of their words as the server would have made it, put into a
 * database before a server starts on it: a million of them set by set, because the index's own statements take minutes.
 */
import * as Effect from "effect/Effect"
import { Database } from "../../src/db/database.ts"
import { copyChannel } from "./people.ts"

export interface History {
  readonly channels: number
  readonly messages: number
  /** Number of messages in channel 2, each in a topic of its own, after all others. */
  readonly topics: number
}

/** Words that the scenario searches for: half of the messages have the first one, one in 100,000 the other. */
export const words = { common: "often", rare: "seldom" } as const
const rareStride = 100_000

/** Messages of one statement. */
const atOnce = 10_000
/** Channels whose words one statement gathers. */
const channelsAtOnce = 20
/** As the index divides a channel (src/chat/reading/search/search-index.sql). */
const chunkMessages = 1024
const mostListed = 16

/** $1: people, $2: channels. The first channel has its subscribers already. */
const spans = `insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
  select 1, c, n, 0, 0 from generate_series(2, $2::integer) c, generate_series(1, $1::integer) n`
const settings = `insert into subscription_setting (realm_id, user_id, channel_id, color)
  select 1, n, c, '#76ce90' from generate_series(2, $2::integer) c, generate_series(1, $1::integer) n`
/** Everybody has read all channels up to $2, and in each a few messages after it. $1: people, $3: channels. */
const ranges = `insert into read_ranges (realm_id, user_id, place, low, ranges)
  select 1, n, 2 * c, 0, int8multirange(int8range(0, $2::bigint), int8range($2::bigint + 20 * c, $2::bigint + 20 * c + 10))
    from generate_series(1, $3::integer) c, generate_series(1, $1::integer) n`
/** From $1 to $2; $3: channels, $4: now, $5: the first message with a topic of its own, $6: people. */
const messages = `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content,
    rendered, client, read_by_sender, sent_at)
  select 1, n, 1 + n % $6::integer, c, n, topic, topic, text, '<p>' || text || '</p>', 'bench', true, $4::bigint
    from generate_series($1::bigint, $2::bigint) n cross join lateral (
      select case when n < $5::bigint then 1 + n % $3::integer else 2 end as c,
             case when n < $5::bigint then 'topic ' || n / $3::integer % 5 else 'topic ' || n end as topic,
             concat_ws(' ', case when n / $3::integer % 2 = 0 then '${words.common}' end,
               case when n % ${rareStride} = ${rareStride - 1} then '${words.rare}' end,
               'v' || n * 31 % 50, 'w' || n * 37 % 300, 'x' || n * 41 % 2000, 'y' || n * 43 % 2000,
               'z' || n * 47 % 10000) as text
    ) as made`
/** These words are their own stems, so the database need not look for them. */
const indexed = `insert into message_search (realm_id, message_id, words)
  select 1, m.id, (m.topic || ' ' || m.content)::tsvector from message m
   where m.realm_id = 1 and m.id between $1::bigint and $2::bigint`
/** The channels $1 to $2; $3: the first message with a topic of its own. */
const located = `
  with located as materialized (
    select m.channel_id * 2::bigint as place, s.words, m.id, case when m.id < $3::bigint then 0
        else m.id - (m.id - $3::bigint) % ${chunkMessages} end as low
      from message m join message_search s on s.realm_id = 1 and s.message_id = m.id
     where m.realm_id = 1 and m.channel_id between $1::integer and $2::integer),
  chunk as (
    insert into search_chunk (realm_id, place, low, messages)
    select 1, place, low, count(*) from located group by place, low)
  insert into search_word (realm_id, place, low, word, messages)
  select 1, place, low, word, case when count(*) > ${mostListed} then '{}' else array_agg(id order by id) end
    from located cross join lateral unnest(tsvector_to_array(words)) as word
   group by place, low, word`
/** The log's newest row is that of the newest message. */
const head = `insert into log (realm_id, position, type, payload, audience, at)
  values (1, $1::bigint, 'noop', '{}', '{"kind": "servers"}', 0)`

export const writeHistory = Effect.fnUntraced(function* (people: number, history: History) {
  const { query } = yield* Database
  const now = Date.now()
  const firstApart = history.messages - history.topics + 1
  yield* copyChannel(history.channels)
  yield* query(spans, [people, history.channels])
  yield* query(settings, [people, history.channels])
  yield* query(ranges, [people, Math.floor((history.messages * 9) / 10), history.channels])
  yield* query("analyze")
  for (let at = 1; at <= history.messages; at += atOnce) {
    const last = Math.min(at + atOnce - 1, history.messages)
    yield* query(messages, [at, last, history.channels, now, firstApart, people])
    yield* query(indexed, [at, last])
  }
  // As a server's database does by itself, some time after they were sent.
  yield* query("vacuum analyze message")
  for (let at = 1; at <= history.channels; at += channelsAtOnce)
    yield* query(located, [at, at + channelsAtOnce - 1, firstApart])
  yield* query("insert into search_progress (realm_id, through) values (1, $1::bigint)", [history.messages])
  yield* query(head, [history.messages])
  yield* query("vacuum analyze search_word")
  yield* query("analyze")
})
