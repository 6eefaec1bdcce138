/**
 * Short ways of messages through channels: whoever applies what they are told ends with what a request shows. Each way
 * is a line: the channel in which the messages are sent, then where they are moved to and what else is done.
 */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Reader } from "../../../kit/reader.ts"
import { some } from "../../../kit/share.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { asked, Picture } from "./picture.ts"

/**
 * hamlet and the guest polonius are in A and C, cordelia in A and B, othello in B, shiva in all but A; hamlet may read G
 * without being in it.
 */
const channels = [
  { name: "A", users: ["hamlet", "cordelia", "polonius", "iago"] },
  { name: "B", users: ["cordelia", "othello", "shiva", "iago"] },
  { name: "C", users: ["hamlet", "polonius", "shiva", "iago"] },
  { name: "P", users: ["shiva", "iago"], isPrivate: true, historyShared: true },
  { name: "Q", users: ["shiva", "iago"], isPrivate: true, historyShared: false },
  { name: "W", users: ["shiva", "iago"], isWebPublic: true },
  { name: "G", users: ["shiva", "iago"], isPrivate: true, historyShared: true },
] as const
const clients = ["hamlet", "cordelia", "othello", "polonius", "shiva"] as const
type Client = (typeof clients)[number]

const ways = `
P A
A P A
A B P A
A B topic
A B edit
A B react
A B delete
A B P
A B topic A
A B edit A
A B react A
A B topic edit react A
A B topic P A
A B C
A B C A
A B A B edit
A B C topic P
A B P B A
A C topic B edit A
A P edit A
A P topic react A
A P topic B edit A
A Q A
A Q topic A
A Q edit P A
A W edit
A W P A
A W B A
B A
B topic A
B edit A
B react A
B look edit A
B look react topic A
B look edit W A
B look P edit A
B P A
B P edit A
B look edit C
B A B A topic
C B P C
P edit A
P topic A
P B A
P B edit A
P Q A
P Q B A
Q A
Q A Q
Q A Q A
Q B A
Q topic A B edit
A star B topic A
A star P A
A star B P A
A star P edit B
B star P A
A -hamlet:A B edit A
A -hamlet:A B P A
A B -hamlet:A edit
A B -hamlet:A topic C
A B +hamlet:B edit -hamlet:B edit topic A
A B +hamlet:B P A
A -hamlet:A +hamlet:A B edit
B +hamlet:B A edit
B +hamlet:B C A edit
B +hamlet:B -hamlet:B edit
B +hamlet:B -hamlet:B A edit
P +hamlet:P A edit
P +hamlet:P B edit
P +hamlet:P B topic -hamlet:P edit
Q +hamlet:Q A edit
Q +hamlet:Q B edit A
Q +hamlet:Q edit B topic A
A P +hamlet:P A
A P +hamlet:P topic B edit
A B +othello:A A
A delete
A G
A G edit
A G topic B edit
A G A topic
A star G P A
A B G edit A
G A edit
G B topic A
G A G react
Q +hamlet:Q send A
Q +hamlet:Q send edit B edit A
Q +hamlet:Q send P A
P +hamlet:P send -hamlet:P A
A -hamlet:A send B edit A
A -hamlet:A send +hamlet:A B topic edit
A -hamlet:A send +hamlet:A B A topic
A send -hamlet:A B +hamlet:B C topic
A +othello:A send B C edit
A seen B A
A seen B C A topic
A B seen A
A B rename edit
`
  .trim()
  .split("\n")

const names: Readonly<Record<string, Name>> = { hamlet: "hamlet", othello: "othello" }

/** Does the steps of a way with two messages of a topic, or more; answers them. */
const goes = async (server: TestServer, way: string, tag: string, after: (ids: ReadonlyArray<number>) => unknown) => {
  const [first = "", ...steps] = way.split(" ")
  const iago = server.as("iago")
  const quiet = { send_notification_to_new_thread: false, propagate_mode: "change_all" }
  let [channel, topic, round] = [first, `way ${tag}`, 0]
  const one = await iago.send(first, "@**all** one", { topic })
  const two = await iago.send(first, "two", { topic })
  const ids = [one, two]
  await after(ids)
  const doings: Readonly<Record<string, () => Promise<unknown>>> = {
    topic: () => {
      topic = `way ${tag} ${round}`
      return iago.must.patch(`/messages/${one}`, { ...quiet, topic })
    },
    rename: () => iago.must.patch(`/messages/${two}`, { topic: `${topic} ${round}` }),
    edit: () => iago.must.patch(`/messages/${two}`, { content: `two ${round}` }),
    react: () => iago.must.post(`/messages/${two}/reactions`, { emoji_name: "tada" }),
    delete: () => iago.must.delete(`/messages/${two}`),
    send: async () => ids.push(await iago.send(channel, "three", { topic })),
    seen: () => flagged("read", one),
    star: () => flagged("starred", two),
    look: async () => {},
  }
  const flagged = async (flag: string, message: number) => {
    for (const name of clients) await server.as(name).post("/messages/flags", { op: "add", flag, messages: [message] })
  }
  const change = async (step: string) => {
    const [, sign, who = "", where] = /^([-+])(\w+):(\w+)$/.exec(step) ?? []
    const name = names[who]
    const subscriptions = sign === "-" ? [where] : [{ name: where }]
    if (name === undefined) throw new Error(`nobody can ${step}`)
    if (sign === "-") return server.as(name).must.delete("/users/me/subscriptions", { subscriptions })
    const principals = [server.idOf(name)]
    const untold = { send_new_subscription_messages: false }
    return iago.must.post("/users/me/subscriptions", { subscriptions, principals, ...untold })
  }
  for (const step of steps) {
    round += 1
    const doing = doings[step]
    if (doing !== undefined) await doing()
    else if (step.includes(":")) await change(step)
    else {
      channel = step
      await iago.must.patch(`/messages/${one}`, { ...quiet, stream_id: channelId(server, channel) })
    }
    await after(step === "look" ? ids : [])
  }
  return ids
}

const inOf = (server: TestServer, name: Client) =>
  channels.filter(({ users }) => users.some((each) => each === name)).map((channel) => channelId(server, channel.name))

const open = (server: TestServer) =>
  Promise.all(
    clients.map(async (name) => {
      const picture = (reader: Reader) => new Picture(server.as(name), reader, inOf(server, name))
      const [now, later] = [await server.queue(name, asked), await server.queue(name, asked)]
      return { name, now: picture(now), wake: () => picture(server.resume(name, later)) }
    }),
  )

/** Has those who came or went on a way back where they were. */
const restore = async (server: TestServer, way: string) => {
  for (const name of clients)
    for (const { name: channel, users } of channels) {
      if (!way.includes(`${name}:${channel}`)) continue
      const isIn = users.some((each) => each === name)
      const by = server.as("iago").must
      if (isIn)
        await by.post("/users/me/subscriptions", {
          subscriptions: [{ name: channel }],
          principals: [server.idOf(name)],
          send_new_subscription_messages: false,
        })
      else await by.delete("/users/me/subscriptions", { subscriptions: [channel], principals: [server.idOf(name)] })
    }
}

t.test("whatever way a message goes, each client ends with what the server shows", (t) =>
  withServer(t, { channels }, async (server) => {
    const all: Array<readonly [string, ReadonlyArray<number>]> = []
    const readers = { new: { direct_members: [server.idOf("hamlet")], direct_subgroups: [] } }
    await server.as("iago").must.patch(`/streams/${channelId(server, "G")}`, { can_subscribe_group: readers })
    const opened = await open(server)
    for (const [tag, way] of some(ways, 2, "ways of messages").entries()) {
      const ids = await goes(server, way, String(tag), async (looked) => {
        for (const { now } of opened) {
          await now.read()
          if (way.includes("look")) for (const id of looked) await now.look(id)
        }
      })
      for (const { name, now } of opened) {
        await now.settle()
        await now.compare(t, `${way}: ${name}`, ids)
      }
      all.push([way, ids])
      if (way.includes(":")) await restore(server, way)
    }
    await server.restart()
    for (const { name, wake } of opened) {
      const woken = wake()
      await woken.settle()
      for (const [way, ids] of all.slice(-20)) await woken.compare(t, `${way}: ${name}, from the log`, ids)
    }
  }),
)
