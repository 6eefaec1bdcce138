/** Topics that people follow or unmute by what they do there: which policy, its event, retries. */
import t from "tap"
import { newUserSettings } from "../../../../src/chat/ground/realm/user-settings.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "othello"] }] as const

/** The values of the settings: participation, sending, starting, never. */
const [part, send, start, never] = [1, 2, 3, 4]
const say = (server: TestServer, name: Name, topic: string, fields: Fields = {}) =>
  server.as(name).must.post("/messages", { type: "channel", to: "lobby", topic, content: "c", ...fields })
const wants = (server: TestServer, name: Name, follow = never, unmute = never) =>
  server.as(name).must.patch("/settings", {
    automatically_follow_topics_policy: follow,
    automatically_unmute_topics_in_muted_streams_policy: unmute,
  })
const setPolicy = (server: TestServer, name: Name, topic: string, visibility_policy: number) =>
  server.as(name).must.post("/user_topics", { stream_id: channelId(server, "lobby"), topic, visibility_policy })
const muteChannel = (server: TestServer, name: Name, value: boolean) =>
  server.as(name).must.post("/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: channelId(server, "lobby"), property: "is_muted", value }],
  })
const policyOf = async (server: TestServer, name: Name, topic: string): Promise<number> => {
  const { state } = await server.queue(name, { fetch_event_types: ["user_topic"] })
  const found = Object(state["user_topics"]).find((each: Fields) => each["topic_name"] === topic)
  return Object(found ?? { visibility_policy: 0 }).visibility_policy
}

t.test("a topic that began before its sender came, and that they may not read, is none to them", (t) =>
  withServer(
    t,
    { channels: [{ name: "lobby", users: ["othello"], isPrivate: true, historyShared: false }] },
    async (server) => {
      await wants(server, "hamlet", start)
      await say(server, "othello", "hidden")
      await server.as("othello").must.post("/users/me/subscriptions", {
        subscriptions: [{ name: "lobby" }],
        principals: [server.idOf("hamlet")],
      })
      await say(server, "othello", "seen")
      const followed = { automatic_new_visibility_policy: 3 }
      t.match(await say(server, "hamlet", "never"), followed)
      t.match(await say(server, "hamlet", "Hidden"), followed)
      t.equal((await say(server, "hamlet", "seen"))["automatic_new_visibility_policy"], undefined)
    },
  ),
)

t.test("a send follows or unmutes its topic, as the sender's settings say", (t) =>
  withServer(t, { channels }, async (server) => {
    const key = "automatic_new_visibility_policy"
    let topics = 0
    const lines = [
      { what: "nothing by default", expected: 0 },
      { what: "sending follows", follow: send, expected: 3 },
      { what: "who would follow by participating follows by sending", follow: part, expected: 3 },
      { what: "starting follows", follow: start, expected: 3 },
      {
        what: "who only follows what they start does not follow others' topics",
        follow: start,
        isOld: true,
        expected: 0,
      },
      { what: "unmuting in a muted channel", unmute: send, isMuted: true, expected: 2 },
      { what: "no unmuting in another channel", unmute: send, expected: 0 },
      {
        what: "nor in one that its sender has left, muted as it was",
        unmute: send,
        isMuted: true,
        isLeft: true,
        expected: 0,
      },
      { what: "following is more than unmuting", follow: send, unmute: send, isMuted: true, expected: 3 },
      { what: "the one that applies", follow: start, unmute: part, isMuted: true, isOld: true, expected: 2 },
      { what: "a followed topic is not unmuted", unmute: send, isMuted: true, before: 3, expected: 0 },
      { what: "a followed topic is followed already", follow: send, before: 3, expected: 0 },
      { what: "a muted topic is followed by who sends to it", follow: send, before: 1, expected: 3 },
    ]
    for (const {
      what,
      follow,
      unmute,
      isMuted = false,
      isLeft = false,
      isOld = false,
      before = 0,
      expected,
    } of lines) {
      const topic = `topic ${topics++}`
      await wants(server, "hamlet", follow, unmute)
      await muteChannel(server, "hamlet", isMuted)
      if (isLeft) await server.as("hamlet").must.delete("/users/me/subscriptions", { subscriptions: ["lobby"] })
      if (isOld) await say(server, "othello", topic)
      await setPolicy(server, "hamlet", topic, before)
      const queue = await server.queue("hamlet", { event_types: ["user_topic", "message"] })
      const others = await server.queue("cordelia", { event_types: ["user_topic"] })
      const answer = await say(server, "hamlet", topic.toUpperCase())
      t.equal(answer[key], expected === 0 ? undefined : expected, what)
      const told = expected === 0 ? [] : [{ type: "user_topic", visibility_policy: expected }]
      const events = await queue.rest()
      const expectedEvents = [...told, ...(isLeft ? [] : [{ type: "message" }])]
      t.match(events, expectedEvents, `${what}: the policy before the message`)
      t.equal(events.length, expectedEvents.length)
      if (isLeft) await server.as("hamlet").must.post("/users/me/subscriptions", { subscriptions: [{ name: "lobby" }] })
      t.same(await others.rest(), [])
    }
  }),
)

t.test("direct messages, bots' notices and retries", (t) =>
  withServer(t, { channels }, async (server) => {
    await wants(server, "hamlet", part, part)
    const direct = { type: "direct", to: [server.idOf("cordelia")], content: "c" }
    const queue = await server.queue("hamlet", { event_types: ["user_topic", "message"] })
    t.notOk("automatic_new_visibility_policy" in (await server.as("hamlet").must.post("/messages", direct)))
    const echo = { queue_id: queue.state["queue_id"], local_id: "1.1" }
    const first = await say(server, "hamlet", "t", echo)
    t.equal(first["automatic_new_visibility_policy"], 3)
    t.same(await say(server, "hamlet", "t", echo), first, "a retry gets the same answer")
    await setPolicy(server, "hamlet", "t", 0)
    t.same(await say(server, "hamlet", "t", echo), first, "and changes nothing again")
    t.equal(await policyOf(server, "hamlet", "t"), 0)
    const fresh = { ...echo, local_id: "1.2" }
    const both = await Promise.all([say(server, "hamlet", "t", fresh), say(server, "hamlet", "t", fresh)])
    t.same(both[0], both[1], "of two at once, too")
    t.equal((await queue.rest()).filter(({ type }) => type === "user_topic").length, 3)
    // A send that is refused by now finds the answer of the first one.
    await server.as("desdemona").must.delete(`/streams/${channelId(server, "lobby")}`)
    t.same(await say(server, "hamlet", "t", fresh), both[0])
  }),
)

t.test("reacting and voting take part; a mention follows", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = (await say(server, "othello", "poll", { content: "/poll Lunch?\nyes\nno" }))["id"]
    const other = (await say(server, "othello", "plain"))["id"]
    const react = (name: Name, message: unknown) =>
      server.as(name).must.post(`/messages/${message}/reactions`, { emoji_name: "tada" })
    await wants(server, "hamlet", send, send)
    await react("hamlet", other)
    t.equal(await policyOf(server, "hamlet", "plain"), 0, "who follows by sending does not by reacting")
    await wants(server, "cordelia", part)
    const queue = await server.queue("cordelia", { event_types: ["user_topic", "reaction", "submessage"] })
    await react("cordelia", other)
    const content = JSON.stringify({ type: "vote", key: "canned,0", vote: 1 })
    await server.as("cordelia").must.post("/submessage", { message_id: id, msg_type: "widget", content })
    t.match(await queue.rest(), [
      { type: "reaction" },
      { type: "user_topic", topic_name: "plain", visibility_policy: 3 },
      { type: "submessage" },
      { type: "user_topic", topic_name: "poll", visibility_policy: 3 },
    ])
    await setPolicy(server, "cordelia", "plain", 0)
    await server.as("cordelia").must.delete(`/messages/${other}/reactions`, { emoji_name: "tada" })
    t.equal(await policyOf(server, "cordelia", "plain"), 0, "taking it back is no part")
    const direct = { type: "direct", to: [server.idOf("cordelia")], content: "c" }
    await react("cordelia", (await server.as("othello").must.post("/messages", direct))["id"])

    await server.as("hamlet").must.patch("/settings", { automatically_follow_topics_where_mentioned: true })
    const name = server.realm.realm.users.get(server.idOf("hamlet"))?.full_name
    const answer = await say(server, "othello", "mention", { content: `@**${name}**` })
    t.notOk("automatic_new_visibility_policy" in answer, "the answer is about the sender")
    t.equal(await policyOf(server, "hamlet", "mention"), 3)
    await wants(server, "hamlet", never, send)
    const own = await say(server, "hamlet", "own", { content: `@**${name}**` })
    t.equal(own["automatic_new_visibility_policy"], 3, "whoever mentions themselves follows, and is told")
    t.equal(await policyOf(server, "hamlet", "own"), 3)
    await muteChannel(server, "hamlet", true)
    const both = await say(server, "hamlet", "both", { content: `@**${name}**` })
    t.equal(both["automatic_new_visibility_policy"], 3, "following is more than unmuting")
    await setPolicy(server, "hamlet", "muted by oneself", 1)
    await wants(server, "hamlet", send, send)
    await say(server, "hamlet", "muted by oneself", { content: `@**${name}**` })
    t.equal(await policyOf(server, "hamlet", "muted by oneself"), 3, "one's own deed undoes one's muting")
    await wants(server, "hamlet")
    await muteChannel(server, "hamlet", false)
    await say(server, "othello", "for all", { content: "@**all**" })
    await say(server, "othello", "silent", { content: `@_**${name}**` })
    await setPolicy(server, "hamlet", "muted", 1)
    await say(server, "othello", "muted", { content: `@**${name}**` })
    t.same(
      await Promise.all(["for all", "silent", "muted"].map((topic) => policyOf(server, "hamlet", topic))),
      [0, 0, 1],
    )
  }),
)

t.test("a new account follows what it starts and where it is mentioned, and unmutes where it sends", (t) =>
  withServer(t, { channels }, async (server) => {
    const form = { email: "new@test.example", password: "a long password", full_name: "Newcomer" }
    await server.as("iago").must.post("/users", form)
    const record = server.realm.realm.findUserByEmail(form.email)
    t.equal(record?.settings, newUserSettings, "one object for all who changed nothing")
    const { state } = await server.queue("iago")
    const policies = {
      automatically_follow_topics_policy: start,
      automatically_unmute_topics_in_muted_streams_policy: send,
      automatically_follow_topics_where_mentioned: true,
    }
    t.match(state["realm_user_settings_defaults"], policies)
    t.notMatch(state["user_settings"], policies, "who was there before an account began so keeps what they had")
    await server.restart()
    t.equal(server.realm.realm.findUserByEmail(form.email)?.settings, newUserSettings)
    await sameAfresh(t, server, "a new account")
    const id = Number(record?.id)
    await server.as("iago").must.post("/users/me/subscriptions", {
      subscriptions: [{ name: "lobby" }],
      principals: [id],
    })
    const policiesOf = () =>
      server.rows("select topic, policy from user_topic where user_id = $1 order by updated_at, topic", [id])
    await say(server, "othello", "named", { content: "@**Newcomer**" })
    t.match(await policiesOf(), [{ topic: "named", policy: 3 }])
  }),
)

t.test("I13: automatic policies settle", (t) =>
  withServer(t, { channels }, async (server) => {
    await wants(server, "hamlet", part)
    await setPolicy(server, "hamlet", "muted", 1)
    const seen = await settles(t, viewsOf(server, undefined, ["hamlet", "cordelia"]), "sends to topics", async () => {
      await say(server, "hamlet", "new")
      await say(server, "hamlet", "muted")
    })
    for (const kind of ["user_topic", "muted_topics", "message"]) t.ok(seen.has(kind), kind)
  }),
)
