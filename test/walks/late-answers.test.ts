/**
 * A request for a long list may wait for room (large-answers.ts). What it lists is taken when it gets room: else its
 * answer would be older than events that its client has got meanwhile.
 */
import * as Effect from "effect/Effect"
import t from "tap"
import { LargeAnswers } from "../../src/fairness/large-answers.ts"
import type { Fields } from "../kit/client.ts"
import { recordsIn } from "../kit/records.ts"
import { until } from "../kit/test-database.ts"
import { withServer } from "../kit/with-server.ts"

/** Numbers of records that make each of the lists a large answer. */
const [channelCount, groupCount] = [56, 58]

const channels = Array.from({ length: channelCount }, (_, n) => ({ name: `channel ${n}`, users: ["hamlet"] as const }))

t.test("what a list shows is as of the moment in which there is room for it", (t) =>
  withServer(t, { channels }, async (server) => {
    const [hamlet, iago] = [server.as("hamlet"), server.as("iago")]
    await Promise.all(
      Array.from({ length: groupCount }, (_, n) =>
        iago.must.post("/user_groups/create", { name: `group ${n}`, description: "", members: [] }),
      ),
    )
    const { clock, config } = server
    const all = Effect.flatMap(LargeAnswers, (answers) =>
      answers.answer("somebody", config.limits.unreadBytes, Effect.succeed([])),
    )
    const taken = await server.run(all)
    // Each request that waits has a timer.
    const timers = clock.pending()
    const asked = Promise.all([
      hamlet.must.get("/user_groups"),
      hamlet.must.get("/users/me/subscriptions"),
      hamlet.must.get("/streams"),
    ])
    await until("all three wait", 10_000, () => clock.pending() === timers + 3)

    const group = [...server.realm.realm.groups.values()].find(({ name }) => name === "group 7")
    const channel = [...server.realm.realm.channels.values()].find(({ name }) => name === "channel 7")
    await iago.must.patch(`/user_groups/${group?.id}`, { name: "another group" })
    await iago.must.patch(`/streams/${channel?.id}`, { new_name: "another channel" })
    const pinned = { stream_id: channel?.id, property: "pin_to_top", value: true }
    await hamlet.must.post("/users/me/subscriptions/properties", { subscription_data: [pinned] })
    if (taken._tag === "Text") taken.reservation?.leave()

    const [groups, subscriptions, streams] = await asked
    const named = (answer: Fields, key: string, name: string) =>
      recordsIn(answer[key]).find((record) => record["name"] === name)
    t.ok(named(groups, "user_groups", "another group"))
    t.match(named(subscriptions, "subscriptions", "another channel"), { pin_to_top: true })
    t.ok(named(streams, "streams", "another channel"))
  }),
)
