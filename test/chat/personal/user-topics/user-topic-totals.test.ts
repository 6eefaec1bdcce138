/** How many topics with a policy somebody has is kept, not counted: what is kept is right, and a send does not read the others. */
import t from "tap"
import { topicForms } from "../../../../src/chat/ground/kinds/user-topic-row.ts"
import { openMigratedDatabase } from "../../../../src/db/open/open-database.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import { createDatabase, openLayer } from "../../../kit/test-database.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia"] } as const
const [none, muted, unmuted, followed] = [0, 1, 2, 3]

/** Of everybody who has or had a policy: what is kept, and what is counted. */
const totals = (server: TestServer) =>
  server.rows(
    `select t.user_id, t.topics, t.muted, count(u.*)::integer as counted, count(u.*) filter (where u.policy = 1)::integer as silent
       from user_topic_total t left join user_topic u on u.realm_id = t.realm_id and u.user_id = t.user_id
      group by t.user_id, t.topics, t.muted order by t.user_id`,
  )

t.test("the kept numbers are those of the rows, whoever changes them", (t) =>
  withServer(t, { channels: [lobby] }, async (server) => {
    const set = (who: Name, topic: string, visibility_policy: number) =>
      server.as(who).must.post("/user_topics", { stream_id: channelId(server, "lobby"), topic, visibility_policy })
    for (const [topic, ...policies] of [
      ["a", muted, followed],
      ["b", muted],
      ["c", unmuted, muted, none],
      ["d", followed, followed, muted, muted],
      ["e", none],
    ] as const)
      for (const policy of policies) await set("hamlet", topic, policy)
    await set("cordelia", "b", followed)
    // A send, and topics that move onto each other.
    await server.as("cordelia").must.patch("/settings", { automatically_follow_topics_policy: 2 })
    const id = await server.as("cordelia").send("lobby", "c", { topic: "sent" })
    await server.as("iago").must.patch(`/messages/${id}`, { topic: "b", propagate_mode: "change_all" })
    const moved = await server.as("hamlet").send("lobby", "c", { topic: "d" })
    await server.as("iago").must.patch(`/messages/${moved}`, { topic: "new", propagate_mode: "change_all" })
    const [hamlet, cordelia] = [server.idOf("hamlet"), server.idOf("cordelia")]
    t.match(await totals(server), [
      { user_id: hamlet, topics: 3, muted: 2, counted: 3, silent: 2 },
      { user_id: cordelia, topics: 1, muted: 0, counted: 1, silent: 0 },
    ])
  }),
)

t.test("what a send reads for its sender's policy does not grow with the policies that they have", async (t) => {
  const { query } = await openLayer(t, openMigratedDatabase(await createDatabase(t)))
  await query("insert into realm (id, host, epoch, settings, created_at) values (1, 'a', 'e', '{}', 0)")
  const [few, many] = [
    { user: 1, topics: 3 },
    { user: 2, topics: 9000 },
  ]
  for (const { user, topics } of [few, many]) {
    await query(
      `insert into user_topic (realm_id, user_id, channel_id, topic, topic_folded, policy, updated_at)
       select 1, $1::integer, 1, 'topic ' || n, 'topic ' || n, 3, 0 from generate_series(1, $2::integer) n`,
      [user, topics],
    )
    await query("insert into user_topic_total values (1, $1::integer, $2::integer, 0)", [user, topics])
  }
  await query("analyze user_topic")
  let position = 0
  const pagesOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): number => {
    const [{ Plan: plan }] = Object(Object.values(rows[0] ?? {})[0])
    return Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"])
  }
  /** Pages that one policy takes; the parts of a plan inside a function are not told, what they read is. */
  const pages = async (user: number, topic: string): Promise<number> => {
    position += 100
    const wishes = [{ user_id: user, policy: 3, is_first: true, keeps_muted: false }]
    const rows = await query(
      `explain (analyze, buffers, timing off, format json)
       select automatic_policies_v1(1, $1::integer, 1, $2::text, $2::text, $3::text::jsonb)
         from set_config('parley.position', $4::text, true) as a, set_config('parley.time', '0', true) as b`,
      [user, topic, JSON.stringify({ wishes, forms: topicForms }), String(position)],
    )
    return pagesOf(rows)
  }
  // What the functions' own plans are made of is read at the first times.
  for (const { user } of [few, many]) for (const topic of ["x", "y", "z"]) await pages(user, topic)
  const [ofFew, ofMany] = [await pages(1, "last"), await pages(2, "last")]
  t.ok(ofFew > 5, `${ofFew} pages`)
  const counted = pagesOf(
    await query(
      "explain (analyze, buffers, timing off, format json) select count(*) from user_topic where user_id = 2",
    ),
  )
  t.ok(counted > 50, `to count them would take ${counted} more`)
  t.ok(ofMany < ofFew + 15, `${ofMany} pages for one of ${many.topics}, ${ofFew} for one of ${few.topics}`)
  t.match(await query("select user_id, topics from user_topic_total order by user_id"), [
    { user_id: 1, topics: 7 },
    { user_id: 2, topics: 9004 },
  ])
})
