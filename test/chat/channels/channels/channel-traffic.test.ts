/** The weekly traffic of channels and whether they are recently active: computed, counted daily and told. */
import t from "tap"
import { weeklyTraffic } from "../../../../src/chat/channels/channels/channel-traffic.ts"
import type { Reader } from "../../../kit/reader.ts"
import { recordsIn } from "../../../kit/records.ts"
import { until } from "../../../kit/test-database.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const day = 24 * 3600 * 1000
/** A queue that outlives the hours that pass here. */
const lasting = { idle_queue_timeout: 6 * 24 * 3600 }

t.test("the average number of messages in a week, rounded up to two significant digits", async (t) => {
  const table: ReadonlyArray<readonly [sent: number, days: number, traffic: number | null]> = [
    [0, 0, null],
    [1000, 6.99, null],
    [0, 7, 0],
    [10, 7, 10],
    [10, 14, 5],
    [3, 10, 3],
    [0, 28, 0],
    [1, 28, 1],
    [40, 28, 10],
    [41, 1000, 11],
    [396, 28, 99],
    [397, 28, 100],
    [404, 28, 110],
    [4000, 28, 1000],
    [4004, 28, 1100],
    [49_988, 28, 13_000],
  ]
  for (const [sent, days, traffic] of table)
    t.equal(weeklyTraffic(sent, days * day), traffic, `${sent} messages, ${days} days old`)
})

const channels = ["quiet", "hushed", "busy", "fresh", "young"].map((name) => ({ name, users: ["hamlet"] as const }))

/** Moves what has happened into the past: channels and messages get other times, as if the server had run for long. */
const backdate = async (server: TestServer, table: Readonly<Record<string, readonly [made: number, sent: number]>>) => {
  const now = server.clock.now()
  for (const [name, [made, sent]] of Object.entries(table)) {
    await server.rows("update channel set created_at = $1 where name = $2", [now - made * day, name])
    const of = "channel_id = (select id from channel where name = $2)"
    await server.rows(`update message set sent_at = $1 where ${of}`, [now - sent * day, name])
  }
  await server.restart()
}

const derivedOf = async (server: TestServer) => {
  const { streams } = await server.as("iago").must.get("/streams")
  return Object.fromEntries(
    recordsIn(streams).map((each) => [each["name"], [each["stream_weekly_traffic"], each["is_recently_active"]]]),
  )
}

/** The same from a register and the events after it. */
const followed = async (queue: Reader) => {
  const records = new Map(recordsIn(queue.state["streams"]).map((each) => [each["stream_id"], { ...each }]))
  await queue.rest()
  for (const event of queue.events) {
    const record = event["op"] === "update" ? records.get(event["stream_id"]) : undefined
    if (record !== undefined) Object.assign(record, { [String(event["property"])]: event["value"] })
  }
  return Object.fromEntries(
    [...records.values()].map((each) => [each["name"], [each["stream_weekly_traffic"], each["is_recently_active"]]]),
  )
}

t.test("the daily count", (t) =>
  withServer(t, { channels }, async (server) => {
    for (const name of ["quiet", "busy", "busy", "busy", "fresh", "young"]) await server.as("hamlet").send(name, "one")
    await backdate(server, { quiet: [300, 181], hushed: [181, 0], busy: [200, 20], fresh: [8, 5], young: [0, 0] })
    const countedAt = async () => Number((await server.rows("select traffic_counted_at as at from realm"))[0]?.["at"])
    const counted = async (wait: number) => {
      const before = await countedAt()
      server.clock.advance(wait)
      // The job looks again and again; while it is at work its time passes.
      await until("the traffic to be counted", 10_000, async () => {
        server.clock.advance(600_000)
        return (await countedAt()) > before
      })
    }
    const queue = await server.queue("polonius", lasting)
    const member = await server.queue("cordelia", lasting)

    await t.test("changed values are told, and nothing else", async (t) => {
      await counted(0)
      const derived = { quiet: [0, false], hushed: [0, false], busy: [1, true], fresh: [1, true], young: [null, true] }
      t.same(await derivedOf(server), derived)
      t.same(await followed(member), derived)
      const properties = member.events.filter(({ type }) => type === "stream").map(({ property }) => property)
      t.equal(properties.length, 6, "two rows of those that grew quiet, one of the others")
      const told = (await queue.rest()).filter(({ type }) => type !== "heartbeat")
      t.same(told, [], "who does not know of them is told nothing")
      await server.restart()
      t.same(await derivedOf(server), derived)
    })

    await t.test("it is repeated after a day, and writes no row if nothing has changed", async (t) => {
      const [before, at] = [server.realm.realm.changedAt(["stream"]), await countedAt()]
      await counted(day)
      t.equal(server.realm.realm.changedAt(["stream"]), before)
      t.ok((await countedAt()) - at >= day, "a day apart")
      t.same(await derivedOf(server), await followed(await server.queue("cordelia")))
    })

    await t.test("a message makes an inactive channel active at once", async (t) => {
      const late = await server.queue("hamlet")
      for (const name of ["quiet", "quiet", "hushed"]) await server.as("hamlet").send(name, "two")
      t.match(await derivedOf(server), { quiet: [0, true], hushed: [0, true] })
      t.same(await followed(late), await derivedOf(server))
      const kinds = late.events.map((event) => event["property"] ?? event.type)
      t.same(kinds, ["message", "is_recently_active", "message", "message", "first_message_id", "is_recently_active"])
    })
  }),
)

t.test("the first message to be counted is found by bisection", (t) =>
  withServer(t, { channels }, async (server) => {
    const first = async (time: number) =>
      Number((await server.rows("select messages_since_v1(1, $1) as id", [time]))[0]?.["id"])
    t.equal(await first(0), 0, "there are none")
    const ids: Array<number> = []
    for (let n = 0; n < 9; n++) {
      // Rows between messages: their ids have gaps.
      if (n % 3 === 0) await server.as("iago").must.post("/channel_folders/create", { name: `f${n}` })
      ids.push(await server.as("hamlet").send("quiet", "x"))
      server.clock.advance(1000 * (n % 2))
    }
    const stored = await server.rows("select id, sent_at from message order by id")
    t.equal(stored.length, ids.length)
    const times = new Set(stored.flatMap(({ sent_at }) => [-1, 0, 1].map((off) => Number(sent_at) + off)))
    for (const time of times) {
      const bound = await first(time)
      t.same(
        stored.filter(({ id }) => Number(id) >= bound),
        stored.filter(({ sent_at }) => Number(sent_at) >= time),
        `since ${time}`,
      )
    }
  }),
)

t.test("the traffic of an archived channel is not told to clients that do not show archived channels", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia"] }] }, async (server) => {
    await server.rows("update channel set created_at = $1", [server.clock.now() - 30 * day])
    await server.restart()
    const asked = { event_types: ["stream"], ...lasting }
    const { id } = server.realm.realm.findChannelByName("lobby") ?? {}
    await server.as("iago").must.delete(`/streams/${id}`)
    const older = await server.queue("hamlet", asked)
    const newer = await server.queue("hamlet", { ...asked, client_capabilities: { archived_channels: true } })
    // The notice of its end is a message in four weeks, where none was counted before.
    await until("the traffic to be counted", 10_000, async () => {
      server.clock.advance(600_000)
      return (await newer.rest()).some(({ property }) => property === "stream_weekly_traffic")
    })
    const told = (await older.rest()).filter(({ type }) => type === "stream")
    t.same(told, [], "older clients saw the channel go")
  }),
)
