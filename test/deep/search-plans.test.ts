/**
 * Reads of searches, at a million messages: every statement is run by EXPLAIN ANALYZE as well, in the embedded database
 * with the plan that it has there, and the rows that it took from the tables of messages and of their words are
 * counted. Nine tenths of the messages are in a private channel that the reader may not see, and written by everybody
 * whom the reader searches for.
 */
import * as Effect from "effect/Effect"
import t from "tap"
import { findMessages, type MessageRange, type Scope } from "../../src/chat/reading/history/fetch-messages-store.ts"
import type { Matcher } from "../../src/chat/reading/history/narrows/matcher.ts"
import type { Narrow } from "../../src/chat/reading/history/narrows/narrow.ts"
import { rowsAtOnce } from "../../src/chat/reading/history/walk/search-walk.ts"
import { readSearchText } from "../../src/chat/reading/search/search-words.ts"
import type { Row } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import type { UserRead } from "../../src/db/reads.ts"
import { ChannelId, MessageId, RealmId, UserId } from "../../src/ids.ts"
import { explainer, rowsRead } from "../kit/plan-rows.ts"
import { createDatabase, openLayer } from "../kit/test-database.ts"
import { isShort } from "./budget.ts"

/** A short run looks at fewer: making a million takes most of its time. */
const messages = isShort ? 100_000 : 1_000_000
const hidden = 1
const own = Array.from({ length: 20 }, (_, n) => 10 + n)
const open = 5
const realm = RealmId(1)
const reader = UserId(7)

const seed = [
  `insert into subscription_span (realm_id, channel_id, user_id, opened, closed, reads_from)
   select 1, 10 + n, 7, 1, null, 1 from generate_series(0, 19) n`,
  `insert into conversation (realm_id, id, member_key) select 1, n, 1000 + n || ',7' from generate_series(1, 40) n`,
  "insert into conversation_member (realm_id, user_id, conversation_id) select 1, 7, n from generate_series(1, 40) n",
  // Ninety of a hundred messages are hidden, five are of an open channel that the reader is not in, four of own
  // channels and one is a direct message.
  `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, conversation_id, content,
                        rendered, client, read_by_sender, sent_at, channel_wildcard, alerted, has_link,
                        has_image, has_attachment)
   select 1, n, n % 50, channel, case when channel is not null then n end, topic, topic,
          case when channel is null then 1 + (n / 100) % 40 end, text, '<p>' || text || '</p>', 'test', false, n,
          n % 51 = 0, case when n % 71 = 0 then '{[7,8)}'::int4multirange end,
          n % 17 = 0, n % 170 = 0, n % 340 = 0
     from (
       select n, case when n % 100 < 90 then ${hidden} when n % 100 < 95 then ${open}
                      when n % 100 < 99 then 10 + (n / 100) % 20 end as channel,
              case when n % 100 < 99 then case when n % 29 = 0 then '✔ ' else '' end || 'topic ' || n % 7 else '' end
                as topic,
              'some text' || case when n % 100 < 90 then ' secret' when n % 50000 = 95 then ' seldom' else '' end as text
         from generate_series($1::bigint, $2::bigint) n) as made
    where (channel is not distinct from ${hidden}) = $3::boolean`,
]

/** As the server adds what is said after a message, and the words of messages, to tables of their own. */
const additions = [
  `insert into reaction (realm_id, message_id, reaction_type, emoji_code, emoji_name, users, position)
   select 1, m.id, 'unicode_emoji', '1f44d', '+1', '{7}', m.id from message m
    where m.realm_id = 1 and m.id between $1::bigint and $2::bigint
      and (m.channel_id is not distinct from ${hidden}) = $3::boolean and m.id % 13 = 0`,
  `insert into message_search (realm_id, message_id, words)
   select 1, m.id, words_of_v3(m.topic, m.rendered) from message m
    where m.realm_id = 1 and m.id between $1::bigint and $2::bigint
      and (m.channel_id is not distinct from ${hidden}) = $3::boolean`,
  `with located as materialized (
     select place_v1(m.channel_id, m.conversation_id) as place, m.id, s.words
       from message m join message_search s on s.realm_id = 1 and s.message_id = m.id
      where m.realm_id = 1 and m.id between $1::bigint and $2::bigint
        and (m.channel_id is not distinct from ${hidden}) = $3::boolean),
   chunk as (
     insert into search_chunk (realm_id, place, low, messages)
     select 1, place, $1::bigint - 1, count(*) from located group by place)
   insert into search_word (realm_id, place, low, word, messages)
   select 1, place, $1::bigint - 1, word, case when count(*) > 16 then '{}' else array_agg(id order by id) end
     from located cross join lateral search_keys_v2(words) as word group by place, word`,
]

/** The tables that hold something of every message. */
const counted: ReadonlySet<unknown> = new Set(["message", "message_search", "search_word", "reaction"])

/** A glance for a hundred messages, and what it looks up of each. */
const mostGlanced = 500

const condition = (matcher: Matcher, negated = false) => ({ matcher, negated })
const channels = own.map((id) => ChannelId(id))

const narrows: Readonly<Record<string, Narrow>> = {
  everything: { conditions: [], history: [] },
  "a sender": { conditions: [condition({ kind: "sender", sender: UserId(45) })], history: [] },
  "a sender of hidden messages": { conditions: [condition({ kind: "sender", sender: UserId(33) })], history: [] },
  "a sender who wrote nothing": { conditions: [condition({ kind: "sender", sender: UserId(77) })], history: [] },
  "a topic": { conditions: [condition({ kind: "topic", topic: "topic 3" })], history: [] },
  "a topic that only hidden messages have": {
    conditions: [condition({ kind: "topic", topic: "none" })],
    history: [],
  },
  "a topic and a sender": {
    conditions: [condition({ kind: "topic", topic: "topic 3" }), condition({ kind: "sender", sender: UserId(33) })],
    history: [],
  },
  "public channels": {
    conditions: [condition({ kind: "channels", channels: [...channels, ChannelId(open)] })],
    history: [...channels, ChannelId(open)],
  },
  "public channels, a sender": {
    conditions: [
      condition({ kind: "channels", channels: [...channels, ChannelId(open)] }),
      condition({ kind: "sender", sender: UserId(33) }),
    ],
    history: [...channels, ChannelId(open)],
  },
  "the hidden channel": { conditions: [condition({ kind: "channel", channel: ChannelId(hidden) })], history: [] },
  "all but one's own channels": {
    conditions: channels.map((channel) => condition({ kind: "channel", channel }, true)),
    history: [],
  },
  "without a sender and a topic": {
    conditions: [
      condition({ kind: "sender", sender: UserId(33) }, true),
      condition({ kind: "topic", topic: "topic 3" }, true),
    ],
    history: [],
  },
  "direct messages": { conditions: [condition({ kind: "direct" })], history: [] },
  "a conversation": { conditions: [condition({ kind: "conversation", memberKey: "1005,7" })], history: [] },
  unread: { conditions: [condition({ kind: "flag", flag: "unread" })], history: [] },
  "unread in a topic": {
    conditions: [condition({ kind: "flag", flag: "unread" }), condition({ kind: "topic", topic: "topic 3" })],
    history: [],
  },
  read: { conditions: [condition({ kind: "flag", flag: "unread" }, true)], history: [] },
  starred: { conditions: [condition({ kind: "flag", flag: "starred" })], history: [] },
  mentioned: { conditions: [condition({ kind: "flag", flag: "mentioned" })], history: [] },
  alerted: { conditions: [condition({ kind: "flag", flag: "alerted" })], history: [] },
  "a user's direct messages": { conditions: [condition({ kind: "including", user: UserId(1005) })], history: [] },
  "group conversations with a user": { conditions: [condition({ kind: "group", user: UserId(1005) })], history: [] },
  links: { conditions: [condition({ kind: "part", part: "has_link" })], history: [] },
  images: { conditions: [condition({ kind: "part", part: "has_image" })], history: [] },
  attachments: { conditions: [condition({ kind: "part", part: "has_attachment" })], history: [] },
  "attachments in public channels": {
    conditions: [
      condition({ kind: "channels", channels: [...channels, ChannelId(open)] }),
      condition({ kind: "part", part: "has_attachment" }),
    ],
    history: [...channels, ChannelId(open)],
  },
  "without links and images": {
    conditions: [
      condition({ kind: "part", part: "has_link" }, true),
      condition({ kind: "part", part: "has_image" }, true),
    ],
    history: [],
  },
  reactions: { conditions: [condition({ kind: "reaction" })], history: [] },
  "without reactions": { conditions: [condition({ kind: "reaction" }, true)], history: [] },
  resolved: { conditions: [condition({ kind: "resolved" })], history: [] },
  unresolved: { conditions: [condition({ kind: "resolved" }, true)], history: [] },
  followed: { conditions: [condition({ kind: "followed" })], history: [] },
  "not followed": { conditions: [condition({ kind: "followed" }, true)], history: [] },
  muted: { conditions: [condition({ kind: "muted", channels: channels.slice(0, 5) })], history: [] },
  home: { conditions: [condition({ kind: "home", channels: channels.slice(0, 5) })], history: [] },
  "a channel excluded": {
    conditions: [condition({ kind: "channel", channel: ChannelId(12) }, true)],
    history: [],
  },
  "public channels excluded": {
    conditions: [condition({ kind: "channels", channels: [...channels, ChannelId(open)] }, true)],
    history: [],
  },
  "a conversation excluded": {
    conditions: [condition({ kind: "conversation", memberKey: "1005,7" }, true)],
    history: [],
  },
  "a user's direct messages excluded": {
    conditions: [condition({ kind: "including", user: UserId(1005) }, true)],
    history: [],
  },
  "no direct messages": { conditions: [condition({ kind: "direct" }, true)], history: [] },
  "not mentioned": { conditions: [condition({ kind: "flag", flag: "mentioned" }, true)], history: [] },
  "not starred": { conditions: [condition({ kind: "flag", flag: "starred" }, true)], history: [] },
  "a message excluded": { conditions: [condition({ kind: "message", message: MessageId(4998) }, true)], history: [] },
  "a common word": { conditions: [condition({ kind: "text", text: readSearchText("text") })], history: [] },
  "a rare word": { conditions: [condition({ kind: "text", text: readSearchText("seldom") })], history: [] },
  "a word that only hidden messages have": {
    conditions: [condition({ kind: "text", text: readSearchText("secret") })],
    history: [],
  },
  "a word of a channel": {
    conditions: [
      condition({ kind: "text", text: readSearchText("text") }),
      condition({ kind: "channel", channel: ChannelId(12) }),
    ],
    history: [ChannelId(12)],
  },
  "without a word": { conditions: [condition({ kind: "text", text: readSearchText("seldom") }, true)], history: [] },
  "a phrase": { conditions: [condition({ kind: "text", text: readSearchText('"some text"') })], history: [] },
  "a hidden message": { conditions: [condition({ kind: "message", message: MessageId(5000) })], history: [] },
}

t.test(`searches among ${messages} messages`, async (t) => {
  const { query, database } = await openLayer(t, openMigratedDatabase(await createDatabase(t)))
  await query("insert into realm (id, host, epoch, settings, created_at) values (1, 'a', 'e', '{}', 0)")
  const [spans = "", conversations = "", members = "", insert = ""] = seed
  await query(spans)
  await query(conversations)
  await query(members)
  // Half of everything is read, but for the first messages of each place.
  await query(
    `insert into read_ranges (realm_id, user_id, place, low, ranges)
     select 1, 7, place, 0, $1::int8multirange from (
       select 2 * channel_id as place from subscription_span union all
       select 2 * conversation_id + 1 from conversation_member) p`,
    [`{[${messages / 10},${messages / 2})}`],
  )
  await query(`insert into user_topic (realm_id, user_id, channel_id, topic, topic_folded, policy, updated_at)
    select 1, 7, channel, topic, topic, policy, 0 from (values
      (11, 'topic 1', 1), (${hidden}, 'topic 1', 1), (12, 'topic 2', 2), (13, 'topic 3', 3), (${hidden}, 'topic 3', 3)
    ) as chosen(channel, topic, policy)`)
  await query("insert into search_progress (realm_id, through) values (1, $1::bigint)", [messages])
  /** In parts, so that the embedded database answers now and then. */
  const fill = async (isHidden: boolean) => {
    for (let at = 1; at <= messages; at += 50_000) {
      const part = [at, at + 49_999, isHidden]
      await query(insert, part)
      for (const addition of additions) await query(addition, part)
    }
    for (const table of counted) await query(`analyze ${table}`)
  }

  const explain = explainer(database)
  const measure = async (narrow: Narrow, range: MessageRange) => {
    const counts = { statements: 0, rows: 0, most: 0, glanced: 0 }
    const reading: UserRead = {
      query: Effect.fnUntraced(function* (sql, parameters = [], plan = "custom") {
        const explained = yield* explain(sql, parameters, plan)
        const rows = rowsRead(
          explained.flatMap((row: Row) => Object.values(row)),
          counted,
        )
        // A glance looks at what is hidden too, and may make all else needless: here it never does.
        if (sql.includes("'realm'")) {
          counts.glanced = Math.max(counts.glanced, rows)
          return [{ n: 0, count: Number.MAX_SAFE_INTEGER, last: null, found: [] }]
        }
        counts.statements += 1
        counts.rows += rows
        counts.most = Math.max(counts.most, rows)
        return yield* database.query(sql, parameters)
      }),
    }
    const scope: Scope = { realm, user: reader, head: messages, narrow, judge: { mayRead: (_channel, held) => held } }
    const wanted = { rendered: true, mostBytes: 10_000_000 }
    const found = await Effect.runPromise(findMessages(reading, scope, range, wanted))
    return { ...counts, ids: found.candidates.map(({ id }) => id) }
  }

  const ranges: Readonly<Record<string, MessageRange>> = {
    newest: { anchor: 10_000_000_000_000_000, before: 100, withAnchor: true, after: 0 },
    middle: { anchor: Math.floor(messages / 2), before: 50, withAnchor: true, after: 50 },
  }
  const searches = Object.entries(narrows).flatMap(([name, narrow]) =>
    Object.entries(ranges).map(([where, range]) => ({ what: `${name}, ${where}`, narrow, range })),
  )

  await fill(false)
  const before = new Map<string, Awaited<ReturnType<typeof measure>>>()
  for (const { what, narrow, range } of searches) before.set(what, await measure(narrow, range))
  await fill(true)
  for (const { what, narrow, range } of searches) {
    const { statements, rows, most, glanced, ids } = await measure(narrow, range)
    t.comment(`${what}: ${ids.length} found, ${rows} rows in ${statements} statements`)
    t.ok(most <= rowsAtOnce + 100, `${what}: no statement reads more than its share, but ${most}`)
    t.ok(glanced <= mostGlanced, `${what}: a glance reads ${glanced}`)
    const alone = before.get(what)
    t.same(ids, alone?.ids, `${what}: what was there before`)
    t.equal(rows, alone?.rows, `${what}: not one row more for nine times as many hidden messages`)
  }
})
