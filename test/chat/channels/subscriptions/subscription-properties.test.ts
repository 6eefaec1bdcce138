/** A user's own settings for a channel, by either of the endpoints. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { withServer } from "../../../kit/with-server.ts"
import { listen, own } from "./subscription-fixture.ts"

t.test("a user's own settings for a channel", (t) =>
  withServer(
    t,
    {
      channels: [
        { name: "lobby", users: ["hamlet", "cordelia"] },
        { name: "square", users: ["cordelia"] },
        { name: "leads", users: ["cordelia"], isPrivate: true },
      ],
    },
    async (server) => {
      const hamlet = server.as("hamlet")
      const [lobby, square, leads] = ["lobby", "square", "leads"].map((name) => channelId(server, name))
      const check = await listen(t, server, ["hamlet", "cordelia"], { event_types: ["subscription"] })
      const update = (property: string, value: unknown) => ({
        type: "subscription",
        op: "update",
        stream_id: lobby,
        property,
        value,
      })
      const set = (...changes: ReadonlyArray<readonly [string, unknown]>) => ({
        subscription_data: changes.map(([property, value]) => ({ stream_id: lobby, property, value })),
      })
      const post = (fields: Fields) => hamlet.post(`${own}/properties`, fields)
      const plain = [
        "pin_to_top",
        "desktop_notifications",
        "audible_notifications",
        "push_notifications",
        "email_notifications",
        "wildcard_mentions_notify",
      ]

      await t.test("every setting", async (t) => {
        t.equal((await post(set(["color", "#ABC"], ...plain.map((name) => [name, true] as const)))).status, 200)
        await check("each", { hamlet: [update("color", "#aabbcc"), ...plain.map((name) => update(name, true))] })
        await post(set(["is_muted", true]))
        await post(set(["in_home_view", true]))
        await check("muting has two names, the older first", {
          hamlet: [
            update("in_home_view", false),
            update("is_muted", true),
            update("in_home_view", true),
            update("is_muted", false),
          ],
        })
        await post(set(["color", "#aabbcc"], ["is_muted", false], ["in_home_view", true]))
        await check("what is so already is not told", {})
        await hamlet.must.patch(`${own}/${lobby}`, { property: "color", value: "#123456" })
        await hamlet.must.patch(`${own}/${lobby}`, { property: "is_muted", value: true })
        await check("one alone", {
          hamlet: [update("color", "#123456"), update("in_home_view", false), update("is_muted", true)],
        })
        const expected = {
          name: "lobby",
          color: "#123456",
          is_muted: true,
          in_home_view: false,
          email_notifications: true,
        }
        const listed = async () => (await hamlet.must.get(own))["subscriptions"]
        t.match(await listed(), [expected])
        await server.restart()
        t.match((await server.as("hamlet").must.get(own))["subscriptions"], [expected], "stored as it was told")
      })

      await t.test("invalid changes are refused", async (t) => {
        const restarted = server.as("hamlet")
        const send = (fields: Fields) => restarted.post(`${own}/properties`, fields)
        const one = (stream_id: unknown, property: unknown, value: unknown) => ({
          subscription_data: [{ stream_id, property, value }],
        })
        const table: ReadonlyArray<Refusal> = [
          {
            when: "an unknown property",
            fields: one(lobby, "colour", "#fff"),
            msg: "Unknown subscription property: colour",
          },
          {
            when: "not subscribed",
            fields: one(square, "color", "#fff"),
            msg: `Not subscribed to channel ID ${square}`,
          },
          { when: "hidden", fields: one(leads, "color", "#fff"), msg: "Invalid channel ID" },
          { when: "unknown", fields: one(4711, "color", "#fff"), msg: "Invalid channel ID" },
          { when: "a word", fields: one(lobby, "color", "red"), msg: "color is not a valid hex color code" },
          { when: "a number", fields: one(lobby, "color", 7), msg: "color is not a valid hex color code" },
          { when: "no boolean", fields: one(lobby, "is_muted", "true"), msg: "is_muted is not a boolean" },
          {
            when: "no value",
            fields: { subscription_data: [{ stream_id: lobby, property: "color" }] },
            msg: 'subscription_data[0]["value"] field is missing',
          },
          {
            when: "nothing",
            fields: {},
            code: "REQUEST_VARIABLE_MISSING",
            msg: "Missing 'subscription_data' argument",
          },
        ]
        await refuses(t, table, send)
        const half = { ...set(["color", "#654321"], ["pin_to_top", 1], ["email_notifications", false]) }
        await refuses(t, [{ when: "half of it", fields: half, msg: "pin_to_top is not a boolean" }], send)
        t.match((await restarted.must.get(own))["subscriptions"], [
          { color: "#654321", pin_to_top: true, email_notifications: true },
        ])
        await refuses(
          t,
          [
            { when: "a word", fields: { property: "color", value: "red" }, msg: "color is not a valid hex color code" },
            {
              when: "no value",
              fields: { property: "color" },
              code: "REQUEST_VARIABLE_MISSING",
              msg: "Missing 'value' argument",
            },
          ],
          (fields) => restarted.patch(`${own}/${lobby}`, fields),
        )
      })
    },
  ),
)
