/**
 * Scheduled messages of many authors, all due in the same minute, and a server that is killed three times while it sends
 * them: each is sent once, those of an author in the order of their times, and none is lost. PARLEY_DEEP_SCHEDULED says how
 * many; without it there are a few hundred.
 */
import t from "tap"
import { after, left, schedule } from "../chat/personal/scheduled/scheduled-scene.ts"
import { Dice } from "../faults/kill/dice.ts"
import { channelId } from "../kit/channel-scene.ts"
import { until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"
import { announceSeed, sized } from "./budget.ts"

const count = Number(process.env["PARLEY_DEEP_SCHEDULED"] ?? sized(400, 120))
/** As many as one account may have. */
const ofOne = 200
const kills = 3
const timeout = (150 + count / 5) * 1000

const emailOf = (author: number) => `author${author}@test.example`

/** Accounts that may post to lobby. */
const makeAuthors = async (server: TestServer, authors: number): Promise<void> => {
  const iago = server.as("iago")
  for (let author = 0; author < authors; author++)
    await iago.must.post("/users", {
      email: emailOf(author),
      password: "a long password",
      full_name: `author ${author}`,
    })
}

const sentCount = async (server: TestServer): Promise<number> =>
  Number((await server.rows("select count(*)::integer as n from message where content like 'n %'"))[0]?.["n"])

t.test("each is sent once, in the order of an author's times, whatever is killed", { timeout }, (t) =>
  withServer(t, { channels: [{ name: "lobby", users: [] }], config: { rateLimit: false } }, async (server) => {
    const dice = new Dice(announceSeed("scheduled"))
    const authors = Math.ceil(count / Math.min(ofOne, Math.ceil(count / 4)))
    await makeAuthors(server, authors)
    const minute = after(server, 3600)
    const [to, whole] = [channelId(server, "lobby"), { type: "channel", topic: "t" }]
    /** By author: the times of their messages, in the order in which they were made. */
    const times = Array.from({ length: authors }, (): Array<number> => [])
    const makeOf = async (author: number) => {
      const person = server.asEmail(emailOf(author))
      for (let n = author; n < count; n += authors) {
        const scheduled_delivery_timestamp = minute + dice.between(0, 59)
        await person.must.post("/scheduled_messages", {
          ...whole,
          to,
          content: `n ${author} ${times[author]?.length}`,
          scheduled_delivery_timestamp,
        })
        times[author]?.push(scheduled_delivery_timestamp)
      }
    }
    await Promise.all(times.map((_, author) => makeOf(author)))
    await schedule(server, "of another hour", { by: "iago", scheduled_delivery_timestamp: minute + 7200 })

    const began = performance.now()
    server.clock.advance((minute + 60 - after(server, 0)) * 1000)
    for (let kill = 1; kill <= kills; kill++) {
      const goal = Math.floor((count * kill) / (kills + 1)) - dice.between(0, Math.min(20, count / 20))
      await until(`${goal} are sent`, timeout, async () => {
        server.clock.advance(20)
        return (await sentCount(server)) >= goal
      })
      await server.faults.kill()
    }
    const inKills = await sentCount(server)
    t.ok(inKills < count, `the last kill came before the end: ${inKills}`)
    // What the killed ones had claimed is free again when their claims are over.
    await until("all are sent", timeout, async () => {
      server.clock.advance(20)
      return (await sentCount(server)) >= count
    })
    await left(server, 1)
    const seconds = (performance.now() - began) / 1000
    process.stderr.write(
      `scheduled: ${count} of ${authors} authors, killed ${kills} times, in ${seconds.toFixed(1)} s\n`,
    )

    const rows = await server.rows("select content from message where content like 'n %' order by id")
    const sent = rows.map((row) => String(row["content"]))
    t.equal(sent.length, count, "as many as were made")
    t.equal(new Set(sent).size, count, "each once")
    for (const [author, made] of times.entries()) {
      const order = made.map((time, n) => ({ time, n })).sort((a, b) => a.time - b.time || a.n - b.n)
      const want = order.map(({ n }) => `n ${author} ${n}`)
      const got = sent.filter((content) => content.startsWith(`n ${author} `))
      t.same(got, want, `author ${author}, seed ${dice.seed}`)
    }
    t.match(await server.rows("select count(*)::integer as n from scheduled_item where sent_at is null"), [{ n: 1 }])
    const failed = await server.rows("select 1 from scheduled_item where (value ->> 'failed')::boolean")
    t.same(failed, [], "none failed")
  }),
)
