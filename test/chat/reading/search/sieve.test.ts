/**
 * Searches by the index of words find what is there, over many chunks: words that one message has, some, and most, in
 * places that the reader may see.
 */
import * as Effect from "effect/Effect"
import t from "tap"
import {
  findMessages,
  type MessageRange,
  type Scope,
} from "../../../../src/chat/reading/history/fetch-messages-store.ts"
import { readSearchText } from "../../../../src/chat/reading/search/search-words.ts"
import { openMigratedDatabase } from "../../../../src/db/open/open-database.ts"
import type { UserRead } from "../../../../src/db/reads.ts"
import { readMigrations } from "../../../../src/db/sql/migrations.ts"
import { RealmId, UserId } from "../../../../src/ids.ts"
import { some } from "../../../kit/share.ts"
import { createDatabase, openLayer } from "../../../kit/test-database.ts"

const messages = 3000
/** Channel 1 is the reader's from message 500 on, channel 2 is not; the rest is a conversation. */
const placeOf = (id: number): "own" | "hidden" | "direct" => (id % 10 < 7 ? "own" : id % 10 < 9 ? "hidden" : "direct")
const maySee = (id: number): boolean => placeOf(id) === "direct" || (placeOf(id) === "own" && id >= 500)
const wordsOf: Readonly<Record<string, (id: number) => boolean>> = {
  common: () => true,
  frequent: (id) => id % 3 === 0,
  old: (id) => id < 900,
  scarce: (id) => id % 217 === 0,
  single: (id) => id === 1234,
  hidden: (id) => placeOf(id) === "hidden",
}
const textOf = (id: number): string =>
  Object.entries(wordsOf)
    .flatMap(([word, has]) => (has(id) ? [word] : []))
    .join(" ")

t.test("words in many chunks", async (t) => {
  const { query, database, script } = await openLayer(t, openMigratedDatabase(await createDatabase(t)))
  await query("insert into realm (id, host, epoch, settings, created_at) values (1, 'a', 'e', '{}', 0)")
  await query(
    "insert into subscription_span (realm_id, channel_id, user_id, opened, closed, reads_from) values (1, 1, 7, 500, null, 500)",
  )
  await query("insert into conversation (realm_id, id, member_key) values (1, 9, '7,8')")
  await query("insert into conversation_member (realm_id, user_id, conversation_id) values (1, 7, 9)")
  const ids = Array.from({ length: messages }, (_, n) => n + 1)
  const channels = { own: 1, hidden: 2, direct: null }
  await query(
    `insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, conversation_id, content,
                          rendered, client, read_by_sender, sent_at)
     select 1, id, 8, channel, case when channel is not null then id end, '', '', case when channel is null then 9 end,
            text, text, 'test', false, id
       from jsonb_to_recordset($1::text::jsonb) as made(id bigint, channel integer, text text)`,
    [JSON.stringify(ids.map((id) => ({ id, channel: channels[placeOf(id)], text: textOf(id) })))],
  )
  /** The newest messages stay without the index. */
  const indexed = 2900
  for (let done = 0; done < indexed; ) {
    const [row] = await query("select index_messages_v3(1, 100, 1000000) as count")
    done += Number(row?.["count"])
  }
  const reading: UserRead = { query: (sql, parameters) => database.query(sql, parameters) }
  const chunks = await query("select count(*)::integer as count from search_chunk where realm_id = 1 and place = 2")
  t.match(chunks, [{ count: 2 }], "the channel has more than one chunk")

  const search = async (text: string, range: MessageRange) => {
    const conditions = [{ matcher: { kind: "text", text: readSearchText(text) }, negated: false }] as const
    const scope: Scope = {
      realm: RealmId(1),
      user: UserId(7),
      head: messages,
      narrow: { conditions, history: [] },
      judge: { mayRead: (_channel, held) => held },
    }
    const wanted = { rendered: true, mostBytes: 10_000_000 }
    const found = await Effect.runPromise(findMessages(reading, scope, range, wanted))
    return found.candidates.map(({ id }): number => id)
  }
  const texts = [
    ...Object.keys(wordsOf),
    "common old",
    "frequent scarce",
    "single scarce",
    "old frequent scarce",
    "nowhere",
  ]
  for (const text of some(texts, 2, "words in chunks")) {
    const fitting = ids.filter((id) => maySee(id) && text.split(" ").every((word) => wordsOf[word]?.(id) ?? false))
    const newest = { anchor: messages + 1, before: 50, withAnchor: false, after: 0 }
    t.same(await search(text, newest), fitting.slice(-50), `${text}, the newest`)
    t.same(
      await search(text, { anchor: 0, before: 0, withAnchor: false, after: 50 }),
      fitting.slice(0, 50),
      `${text}, the oldest`,
    )
    const middle = { anchor: 1500, before: 20, withAnchor: true, after: 20 }
    const about = [
      ...fitting.filter((id) => id < 1500).slice(-20),
      ...fitting.filter((id) => id === 1500),
      ...fitting.filter((id) => id > 1500).slice(0, 20),
    ]
    t.same(await search(text, middle), about, `${text}, around the middle`)
  }

  // One before the reader came, into the first chunk, and one into the second.
  const moved = [97, 2508]
  const list = `{${moved.join(",")}}`
  await query(
    `select place_messages_v2(1, ${messages - 1}, $1::bigint[], 1, 'elsewhere', 'elsewhere', 0,
       array[''], null)`,
    [list],
  )
  await query(`select search_moved_v1(1, 2, ${messages - 1}, $1::bigint[])`, [list])
  const all = { anchor: messages + 1, before: 50, withAnchor: false, after: 0 }
  t.same(await search("hidden", all), moved, "moved messages are found before they are indexed anew")
  t.same(await search("elsewhere", all), moved, "by the words of their new topic, too")
  t.same(await search("hidden elsewhere nowhere", all), [])
  for (let isMore = true; isMore; ) {
    const [row] = await query("select index_messages_v3(1, 1, 1000000) as count")
    isMore = Number(row?.["count"]) > 0
  }
  t.match(await query("select count(*)::integer as n from search_moved"), [{ n: 0 }], "they are indexed, one by one")
  t.match(await query("select 1 as n from search_word where place = 2 and word = 'hidden' and messages = '{97}'"), [
    { n: 1 },
  ])
  t.same(await search("hidden elsewhere", all), moved, "and found by the index")

  // An older program indexed the first 40,000 characters of the HTML.
  const long = 2995
  await query("update message set rendered = repeat('<b>x</b> ', 6000) || 'okapi' where realm_id = 1 and id = $1", [
    long,
  ])
  await query("select search_changed_v1(1, array[$1]::bigint[])", [long])
  const indexAll = async () => {
    for (let isMore = true; isMore; ) {
      const [row] = await query("select index_messages_v3(1, 16, 6400) as count")
      isMore = Number(row?.["count"]) > 0
    }
  }
  await indexAll()
  t.same(await search("okapi", all), [long])
  await query("delete from search_word where word = 'okapi'")
  await query("update message_search set words = to_tsvector('english', 'x') where realm_id = 1 and message_id = $1", [
    long,
  ])
  await indexAll()
  t.same(await search("okapi", all), [])
  const migration = (await readMigrations()).steps.find(({ version }) => version === 25)
  await script(migration?.sql ?? "")
  t.match(await query("select message_id::integer as id from search_pending"), [{ id: long }])
  await indexAll()
  t.same(await search("okapi", all), [long], "whose words are indexed anew")
})
