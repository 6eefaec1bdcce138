/**
 * Words that an older program indexed are made anew in the background: searches find meanwhile what they found before, a
 * server that is killed goes on where it was, and nothing of the older words is left.
 */
import t from "tap"
import { readMigrations } from "../../../../src/db/sql/migrations.ts"
import { pluck } from "../../../kit/records.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const contents = [
  "see https://docs.fox.example/guide",
  "sess.crate_types() fails",
  "今日は東京都の天気です",
  "plain words only",
  "a well-known zebra",
]

/** The index as the older program made it, of all messages. */
const ageIndex = async (server: TestServer) => {
  const migration = (await readMigrations()).steps.find(({ name }) => name.endsWith("-parts-of-words.sql"))
  if (migration === undefined) throw new Error("no migration has words made anew")
  const { rows } = server
  await rows(
    "update message_search s set words = words_of_v2(m.topic, m.rendered) from message m where m.id = s.message_id",
  )
  await rows("delete from search_word")
  await rows(`insert into search_word (realm_id, place, low, word, messages)
    select 1, place_v1(m.channel_id, m.conversation_id), 0, word, array_agg(m.id order by m.id)
      from message m join message_search s on s.message_id = m.id cross join lateral search_keys_v2(s.words) as word
     group by 2, 4`)
  await rows("alter table search_progress drop column renewing")
  await rows("alter table search_stale drop column waits")
  for (const statement of migration.sql.replaceAll(/^--.*$/gm, "").split(";"))
    if (statement.trim() !== "") await rows(statement)
}

t.test("an older index is renewed", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const send = async (content: string): Promise<number> => {
      const fields = { type: "channel", to: "lobby", topic: "t", content }
      return Number((await server.as("hamlet").must.post("/messages", fields))["id"])
    }
    const ids: Array<number> = []
    for (const content of contents) ids.push(await send(content))
    const [link, identifier, tokyo, plain, known] = ids
    const search = async (operand: string) => {
      const page = { anchor: "newest", num_before: 100, num_after: 0, narrow: [["search", operand]] }
      return pluck((await server.as("hamlet").must.get("/messages", page))["messages"], "id")
    }
    await search("plain")
    await server.rows("select index_messages_v3(1, 100, 100000)")
    await ageIndex(server)
    t.match(await server.rows("select through, renewing from search_progress"), [{ renewing: known }])
    t.match(await server.rows("select count(*)::integer as n from search_word where word = 'docs.fox.example'"), [
      { n: 1 },
    ])

    /** What the older program found is found at any time; `renewed` messages by their parts, too. */
    const check = async (how: string, renewed: number) => {
      for (const [operand, id] of [
        ["docs.fox.example", link],
        ["sess.crate_types", identifier],
        ["今日は東京都の天気です", tokyo],
        ["plain", plain],
        ["well-known", known],
        ['"fox.exam"', link],
      ] as const)
        t.same(await search(operand), [id], `${how}: ${operand}`)
      for (const [operand, n] of [
        ["guide", 0],
        ["sess", 1],
        ["天気", 2],
      ] as const)
        t.same(await search(operand), ids.length - n <= renewed ? [ids[n]] : [], `${how}: ${operand}`)
    }
    await check("before", 0)
    const renew = async () => Number((await server.rows("select renew_words_v1(1, 1, 6400) as n"))[0]?.["n"])
    t.equal(await renew(), 1)
    await check("one is renewed", 1)
    const edited = { content: "see https://docs.fox.example/guide and more" }
    await server.as("hamlet").must.patch(`/messages/${link}`, edited)
    await server.rows("select index_messages_v3(1, 100, 100000)")
    t.same(await search("docs.fox.example"), [link], "an edited one that waits has the words of both programs")
    t.same(await search("guide"), [link])
    t.equal(await renew(), 1)
    t.equal(await renew(), 1)
    t.same(await search("天気"), [tokyo])
    t.same(await search("sess"), [], "which is not renewed yet")
    const [progress] = await server.rows("select renewing from search_progress")
    t.equal(progress?.["renewing"], identifier, "how far it has come is stored with what was done")

    // Killed between two statements, it goes on from there.
    await server.faults.kill()
    await server.restart()
    const left = async () => Number((await server.rows("select renewing from search_progress"))[0]?.["renewing"])
    while ((await left()) > 0) await server.clock.advance(300)
    t.same(await search("sess"), [identifier], "the next start goes on")
    await check("after", ids.length)
    const stale = async () => Number((await server.rows("select count(*) as n from search_stale"))[0]?.["n"])
    while ((await stale()) > 0) await server.clock.advance(300)
    t.match(
      await server.rows(
        "select word from search_word where word in ('docs.fox.example', 'sess.crate', 'well-known') or length(word) > 8 and word > 'z'",
      ),
      [],
      "and takes the words of the older program away",
    )
    await check("at last", ids.length)
    t.equal(await renew(), 0)
  }),
)
