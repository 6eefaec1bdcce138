/** The feed of committed rows, where a row cannot be applied to the projection. */
import * as Effect from "effect/Effect"
import t from "tap"
import { emptyUserSet } from "../../src/events/event.ts"
import { makeFeed } from "../../src/events/feed.ts"
import { RowRing } from "../../src/events/past/row-ring.ts"
import { ChannelId } from "../../src/ids.ts"
import { emit, further } from "../kit/further.ts"
import { withServer } from "../kit/with-server.ts"
import { noop } from "./model/drafts.ts"
import { Journal } from "./model/journal.ts"
import { ModelRealm } from "./model/model-realm.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

t.test("a row that cannot be applied reaches neither ring nor hub, and no later row does", async (t) => {
  const journal = new Journal({ users: [], channels: [], secret: ChannelId(1), roles: new Map(), subscribers: [] })
  const realm = new ModelRealm(journal)
  const ring = new RowRing(1_000_000)
  const put: Array<number> = []
  const stuck: Array<string> = []
  const advanced: Array<number> = []
  for (let count = 0; count < 4; count++) journal.commit(noop)
  const [, , third] = journal.entries
  const feed = makeFeed({
    onApplied: () => {},
    projection: {
      subscribers: () => emptyUserSet,
      subscribedAt: () => false,
      heldBetween: () => false,
      holders: () => emptyUserSet,
      keeps: () => false,
      keepers: () => [],
      activeAt: () => false,
      memberAt: () => false,
      administratorAt: () => false,
      channelsEver: () => [],
      get position() {
        return realm.position
      },
      apply: (row) => {
        if (row === third?.row) throw new Error("cannot be applied")
        realm.apply(row)
      },
    },
    ring,
    hub: { put: ({ position }) => void put.push(position) },
    read: () => Effect.sync(() => journal.page(realm.position, 4, 10)),
    onRow: ({ position }) => void advanced.push(position),
    onStuck: ({ position }, cause) => void stuck.push(`${position}: ${cause}`),
  })
  t.throws(() => feed.advance(journal.rows(0, 4)), /cannot be applied/)
  t.same([feed.position, feed.isStuck], [2, true])
  t.throws(() => feed.advance(journal.rows(2, 4)), /row 3 of the log could not be applied/)
  const exit = await Effect.runPromise(Effect.exit(feed.catchUp(4)))
  t.equal(exit._tag, "Failure")
  t.same([ring.newest?.position, put, advanced], [2, [1, 2], [1, 2]])
  t.same(stuck, ["3: Error: cannot be applied"], "it is told once")
})

t.test(
  "a server that cannot apply a row says so and ends, and does not answer its command with an error",
  async (t) => {
    // It moved its position over the row, and went on with a ring and a hub that lacked it.
    const reasons: Array<string> = []
    const onForeign = (why: string) => void reasons.push(why)
    await withServer(t, { channels, further, onForeign }, async (server) => {
      await server.as("hamlet").send("lobby", "before")
      const before = server.realm.feed.position
      const lost = emit(server, { type: "test_brittle", payload: { name: "bad", inapplicable: true } })
      await t.rejects(lost, { name: "OutcomeUnknown" })
      t.same(reasons, [`row ${before + 1} of the log, of type test_brittle, could not be applied`])
      const { feed, ring, hub } = server.realm
      t.same([feed.position, ring.newest?.position, hub.newest], [before, before, before])
      const later = { type: "channel", to: "lobby", topic: "t", content: "later" }
      t.match(await server.as("hamlet").post("/messages", later), { status: 503 }, "nothing is judged by it any more")
      const written = await server.rows("select type from log where position > $1", [before])
      t.same(written, [{ type: "test_brittle" }])
      await server.restart()
      t.equal(await server.as("hamlet").send("lobby", "after"), before + 2, "the next one loads its tables and goes on")
    })
  },
)
