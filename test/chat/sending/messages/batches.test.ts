/** Messages of one commit, which are written together: retries among them, conversations and topics that they begin. */
import t from "tap"
import { systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { ask, type Told } from "../../../kit/at-once.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "othello", "desdemona"] }] as const
const toLobby = { type: "channel", to: "lobby", topic: "t", content: "c" }

const send = (server: TestServer, name: Name, fields: Fields) => ask(server, name, "POST /messages", fields)
const idOf = (told: Told): unknown => (told.told === "done" ? told.data["id"] : told)
const refusal = (told: Told): unknown => (told.told === "refused" ? told.error.msg : told)
/** The sends of one batch, after the channel has its first message: that one would end the batch. */
const inOneCommit = async (server: TestServer, sends: () => ReadonlyArray<Promise<Told>>) => {
  await server.as("desdemona").send("lobby", "first")
  server.faults.commits.length = 0
  const told = await Promise.all(sends())
  return { told, commits: [...server.faults.commits] }
}

t.test("a retry beside its first send posts once; another message with its key is refused", (t) =>
  withServer(t, { channels }, async (server) => {
    const queue = await server.queue("hamlet", { event_types: ["message"] })
    const echo = { queue_id: queue.state["queue_id"], local_id: "1.1" }
    const toCordelia = { ...echo, type: "direct", to: [server.idOf("cordelia")], content: "d", local_id: "1.3" }
    const { told, commits } = await inOneCommit(server, () => [
      send(server, "hamlet", { ...toLobby, ...echo }),
      send(server, "cordelia", { ...toLobby, content: "between" }),
      send(server, "hamlet", { ...toLobby, ...echo }),
      send(server, "hamlet", { ...toLobby, ...echo, content: "other" }),
      send(server, "hamlet", { ...toLobby, ...echo, local_id: "1.2" }),
      send(server, "hamlet", { ...toLobby, ...echo }),
      send(server, "hamlet", toCordelia),
      send(server, "hamlet", toCordelia),
    ])
    t.same(commits, ["send_messages_v5*8"])
    const [first, between, again, other, fresh, third, direct, directAgain] = told.map(idOf)
    t.type(first, "number")
    t.same([again, third, directAgain], [first, first, direct])
    t.same([between, fresh], [Number(first) + 1, Number(first) + 2])
    t.match(other, { error: { msg: "This local_id was used for another message from this queue" } })
    const later = await inOneCommit(server, () => [
      send(server, "hamlet", { ...toLobby, ...echo }),
      send(server, "hamlet", { ...toLobby, ...echo, content: "other" }),
      send(server, "hamlet", toCordelia),
    ])
    t.equal(idOf(later.told[2] ?? { told: "nothing" }), direct)
    t.equal(idOf(later.told[0] ?? { told: "nothing" }), first)
    t.match(later.told[1], { told: "refused" })
    const events = await queue.rest()
    t.same(
      events.map(({ message }) => Object(message).content),
      ["first", "c", "between", "c", "d", "first"],
    )
    t.same(
      events.map(({ local_message_id }) => local_message_id),
      [undefined, "1.1", undefined, "1.2", "1.3", undefined],
    )
  }),
)

t.test("who may not begin a conversation is refused again, and writes to it once another has begun it", (t) =>
  withServer(t, { channels }, async (server) => {
    await server
      .as("desdemona")
      .must.patch("/realm", { direct_message_initiator_group: { new: systemGroups["role:administrators"] } })
    const queue = await server.queue("hamlet", { event_types: ["message"] })
    const to = (name: Name, content: string) => ({ type: "direct", to: [server.idOf(name)], content })
    const echo = { queue_id: queue.state["queue_id"], local_id: "1.1" }
    const { told, commits } = await inOneCommit(server, () => [
      send(server, "hamlet", { ...to("desdemona", "early"), ...echo }),
      send(server, "hamlet", { ...to("desdemona", "early"), ...echo }),
      send(server, "hamlet", { ...toLobby, ...echo }),
      send(server, "desdemona", to("hamlet", "begun")),
      send(server, "hamlet", to("desdemona", "answered")),
    ])
    t.same(commits, ["send_messages_v5*5"])
    const why = "You do not have permission to initiate direct message conversations."
    t.same(told.slice(0, 2).map(refusal), [why, why])
    t.equal(refusal(told[2] ?? { told: "nothing" }), "This local_id was used for another message from this queue")
    t.same(
      told.slice(3).map(({ told }) => told),
      ["done", "done"],
    )
    const ids = told.slice(3).map(idOf)
    const found = await server.rows("select conversation_id from message where id = any ($1::bigint[])", [
      `{${ids.join(",")}}`,
    ])
    t.same(found, [{ conversation_id: ids[0] }, { conversation_id: ids[0] }])
    t.same(
      (await queue.rest()).map(({ message }) => Object(message).content),
      ["first", "begun", "answered"],
    )
    // Nothing is kept of what was refused.
    t.match(await send(server, "hamlet", { ...toLobby, ...echo }), { told: "done" })
  }),
)

t.test("one of them starts a topic", (t) =>
  withServer(t, { channels }, async (server) => {
    const starting = 3
    for (const name of ["hamlet", "cordelia", "othello"] as const) {
      await server.as(name).must.patch("/settings", { automatically_follow_topics_policy: starting })
    }
    const { told, commits } = await inOneCommit(server, () => [
      send(server, "cordelia", { ...toLobby, topic: "New" }),
      send(server, "hamlet", { ...toLobby, topic: "new" }),
      send(server, "othello", { ...toLobby, topic: "newer" }),
      send(server, "cordelia", { ...toLobby, topic: "newer" }),
    ])
    t.same(commits, ["send_messages_v5*4"])
    t.same(
      told.map((each) => (each.told === "done" ? each.data["automatic_new_visibility_policy"] : each)),
      [3, undefined, 3, undefined],
    )
    for (const [name, topics] of [
      ["cordelia", ["New"]],
      ["hamlet", []],
      ["othello", ["newer"]],
    ] as const) {
      const { state } = await server.queue(name, { fetch_event_types: ["user_topic"] })
      t.same(
        recordsIn(state["user_topics"]).map((topic) => topic["topic_name"]),
        topics,
        name,
      )
    }
  }),
)
