/**
 * What searches read, at a million messages: every statement is run by EXPLAIN ANALYZE as well, and the rows that it
 * took from the table of messages are counted. Nine tenths of the messages are in a private channel that the reader may
 * not see, and written by everybody whom the reader searches for.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import t from "tap"
import { findMessages, type Range, type Scope } from "../../src/chat/history/fetch-store.ts"
import type { Matcher } from "../../src/chat/history/narrows/matcher.ts"
import type { Narrow } from "../../src/chat/history/narrows/narrow.ts"
import { rowsAtOnce } from "../../src/chat/history/search-walk.ts"
import type { Row } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open.ts"
import type { Reading } from "../../src/db/reads.ts"
import { ChannelId, MessageId, RealmId, UserId } from "../../src/ids.ts"
import { createDatabase, openLayer } from "../kit/test-database.ts"
import { deepSeconds } from "./budget.ts"

/** A short run looks at fewer: making a million takes most of its time. */
const messages = deepSeconds < 10 ? 100_000 : 1_000_000
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
  // Of a hundred messages ninety are hidden, five of an open channel that the reader is not in, four of own channels
  // and one is a direct message.
  `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, conversation_id, content,
                        rendered, client, read_by_sender, sent_at, channel_wildcard, alerted)
   select 1, n, n % 50, channel, case when channel is not null then n end, topic, topic,
          case when channel is null then 1 + (n / 100) % 40 end, 'text', '<p>text</p>', 'test', false, n,
          n % 51 = 0, case when n % 71 = 0 then '{[7,8)}'::int4multirange end
     from (
       select n, case when n % 100 < 90 then ${hidden} when n % 100 < 95 then ${open}
                      when n % 100 < 99 then 10 + (n / 100) % 20 end as channel,
              case when n % 100 < 99 then 'topic ' || n % 7 else '' end as topic
         from generate_series($1::bigint, $2::bigint) n) as made
    where (channel is not distinct from ${hidden}) = $3::boolean`,
]

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)
const numberOf = (value: unknown): number => (Predicate.isNumber(value) ? value : 0)

/** The rows of messages that a plan took from table or index, those too that it threw away. */
const rowsRead = (plan: unknown): number => {
  if (isList(plan)) return plan.reduce<number>((sum, each) => sum + rowsRead(each), 0)
  if (!Predicate.isObject(plan)) return 0
  const below = rowsRead(plan["Plans"]) + rowsRead(plan["Plan"])
  if (plan["Relation Name"] !== "message") return below
  const each = numberOf(plan["Actual Rows"]) + numberOf(plan["Rows Removed by Filter"])
  // Of several loops the plan names the mean.
  return below + Math.round(each * numberOf(plan["Actual Loops"]))
}

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
  /** In parts, so that the embedded database answers now and then. */
  const fill = async (isHidden: boolean) => {
    for (let at = 1; at <= messages; at += 50_000) await query(insert, [at, at + 49_999, isHidden])
    await query("analyze message")
  }

  const measure = async (narrow: Narrow, range: Range) => {
    const counts = { statements: 0, rows: 0, most: 0 }
    const reading: Reading = {
      query: Effect.fnUntraced(function* (sql, parameters) {
        const explained = yield* database.query(`explain (analyze, timing off, format json) ${sql}`, parameters)
        const rows = rowsRead(explained.flatMap((row: Row) => Object.values(row)))
        counts.statements += 1
        counts.rows += rows
        counts.most = Math.max(counts.most, rows)
        return yield* database.query(sql, parameters)
      }),
    }
    const scope: Scope = { realm, user: reader, head: messages, narrow }
    const wanted = { rendered: true, mostBytes: 10_000_000 }
    const found = await Effect.runPromise(findMessages(reading, scope, range, wanted))
    return { ...counts, ids: found.candidates.map(({ id }) => id) }
  }

  const ranges: Readonly<Record<string, Range>> = {
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
    const { statements, rows, most, ids } = await measure(narrow, range)
    t.comment(`${what}: ${ids.length} found, ${rows} rows in ${statements} statements`)
    t.ok(most <= rowsAtOnce + 100, `${what}: no statement reads more than its share, but ${most}`)
    const alone = before.get(what)
    t.same(ids, alone?.ids, `${what}: what was there before`)
    t.equal(rows, alone?.rows, `${what}: not one row more for nine times as many hidden messages`)
  }
})
