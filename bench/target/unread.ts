/** Messages that nobody has read, in many channels, put into a database before a server starts on it. */
import * as Effect from "effect/Effect"
import { Database } from "../../src/db/database.ts"
import { copyChannel } from "./people.ts"

/** Messages of one statement. */
const atOnce = 10_000
const usualTopics = 3

/** $1: people, $2: channels. The first channel has its subscribers already. */
const spans = `insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
  select 1, c, n, 0, 0 from generate_series(2, $2::integer) c, generate_series(1, $1::integer) n`
const settings = `insert into subscription_setting (realm_id, user_id, channel_id, color)
  select 1, n, c, '#76ce90' from generate_series(2, $2::integer) c, generate_series(1, $1::integer) n`
const messages = `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content,
    rendered, client, read_by_sender, sent_at)
  select 1, n, 1, 1 + n % $3::integer, n, topic, topic, 'text', '<p>text</p>', 'bench', false, $4::bigint
    from generate_series($1::bigint, $2::bigint) n, lateral (select 'topic ' || n / $3::integer % $5::integer as topic) t`
/** The log's newest row is that of the newest message. */
const head = `insert into log (realm_id, position, type, payload, audience, at)
  values (1, $1::bigint, 'noop', '{}', '{"kind": "servers"}', 0)`

export const writeUnread = Effect.fnUntraced(function* (
  people: number,
  unread: { readonly channels: number; readonly messages: number; readonly topics?: number | undefined },
) {
  const { query } = yield* Database
  const now = Date.now()
  yield* copyChannel(unread.channels)
  yield* query(spans, [people, unread.channels])
  yield* query(settings, [people, unread.channels])
  for (let at = 1; at <= unread.messages; at += atOnce)
    yield* query(messages, [
      at,
      Math.min(at + atOnce - 1, unread.messages),
      unread.channels,
      now,
      unread.topics ?? usualTopics,
    ])
  yield* query(head, [unread.messages])
  // Nothing is searched: indexing them would only take the database's time from what is measured.
  yield* query("insert into search_progress (realm_id, through) values (1, $1::bigint)", [unread.messages])
  yield* query("analyze message")
})
