/** What endpoints ignore of their parameters is told, also keys of the objects in a parameter, wherever a parameter has some. */
import t from "tap"
import { channelId } from "../kit/channel-scene.ts"
import type { Fields } from "../kit/client.ts"
import { withServer } from "../kit/with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "iago"] }] as const

t.test("keys that an endpoint does not know in the objects of a parameter are told", (t) =>
  withServer(t, { channels }, async (server) => {
    const lobby = channelId(server, "lobby")
    const [hamlet, owner] = [server.as("hamlet"), server.as("desdemona")]
    const { group_id } = await owner.must.post("/user_groups/create", { name: "crew", description: "", members: [] })
    const nobody = { direct_members: [], direct_subgroups: [], extra: 1 }
    const narrow = [
      { operator: "channel", operand: lobby, negated: false, why: "x" },
      { operator: "topic", operand: "t" },
    ]
    const window = { anchor: "newest", num_before: 1, num_after: 0 }
    const choice = { short_name: "a", long_name: "b", reply: "c", shade: "d" }
    const form = { widget_type: "zform", extra_data: { type: "choices", heading: "h", choices: [choice] }, size: 1 }
    const muted = { stream_id: lobby, property: "is_muted", value: true }
    const lines: ReadonlyArray<
      readonly [string, "get" | "post" | "patch", string, Fields, ReadonlyArray<string>, typeof hamlet]
    > = [
      [
        "each key once, of all elements, sorted, beside those of the request",
        "post",
        "/users/me/subscriptions/properties",
        {
          subscription_data: [
            { ...muted, zeta: null, ключ: 1 },
            { ...muted, zeta: 1, property: "color", value: "#abcdef", "": 0 },
          ],
          other: "x",
        },
        ["", "other", "zeta", "ключ"],
        hamlet,
      ],
      [
        "a name that the request knows elsewhere",
        "post",
        "/users/me/subscriptions/properties",
        { subscription_data: [{ ...muted, subscription_data: 1 }] },
        ["subscription_data"],
        hamlet,
      ],
      [
        "a key with a line break and marks",
        "post",
        "/users/me/subscriptions/properties",
        { subscription_data: [{ ...muted, 'a"\n\\b': 1 }] },
        ['a"\n\\b'],
        hamlet,
      ],
      ["none", "post", "/users/me/subscriptions/properties", { subscription_data: [muted] }, [], hamlet],
      [
        "channels to subscribe to",
        "post",
        "/users/me/subscriptions",
        { subscriptions: [{ name: "lobby" }, { name: "new", description: "d", is_muted: true }] },
        ["is_muted"],
        hamlet,
      ],
      ["the older form", "patch", "/users/me/subscriptions", { add: [{ name: "new", mark: 1 }] }, ["mark"], hamlet],
      [
        "a permission of a new channel",
        "post",
        "/channels/create",
        { name: "third", subscribers: [], can_send_message_group: nobody },
        ["extra"],
        owner,
      ],
      [
        "a permission that is changed, on both levels",
        "patch",
        `/streams/${lobby}`,
        { can_add_subscribers_group: { new: nobody, from: 1 } },
        ["extra", "from"],
        owner,
      ],
      [
        "a permission of a group",
        "patch",
        `/user_groups/${String(group_id)}`,
        { can_mention_group: { new: nobody, older: 2 } },
        ["extra", "older"],
        owner,
      ],
      [
        "a permission of the organization",
        "patch",
        "/realm",
        { can_create_groups: { new: nobody, why: 2 } },
        ["extra", "why"],
        owner,
      ],
      [
        "the ways to sign in, as register shows them",
        "patch",
        "/realm",
        { authentication_methods: { Email: { enabled: true, available: true } } },
        ["available"],
        owner,
      ],
      ["terms of a narrow", "get", "/messages", { ...window, narrow }, ["why"], hamlet],
      [
        "where it marks",
        "post",
        "/messages/flags/narrow",
        { ...window, narrow, op: "add", flag: "read" },
        ["why"],
        hamlet,
      ],
      ["where it matches", "get", "/messages/matches_narrow", { msg_ids: [], narrow }, ["why"], hamlet],
      [
        "a widget",
        "post",
        "/messages",
        { type: "channel", to: lobby, topic: "t", content: "c", widget_content: form },
        ["shade", "size"],
        hamlet,
      ],
    ]
    for (const [when, method, path, fields, ignored, who] of lines) {
      const answer = await who.must[method](path, fields)
      t.strictSame(answer["ignored_parameters_unsupported"] ?? [], ignored, `${when}: ${method} ${path}`)
    }
    const many = Array.from({ length: 400 }, (_, n) => ({ ...muted, [`key ${n}`]: n }))
    const told = (await hamlet.must.post("/users/me/subscriptions/properties", { subscription_data: many }))[
      "ignored_parameters_unsupported"
    ]
    t.equal(Array.isArray(told) && told.length, 100, "of very many some")
  }),
)

t.test("where no further key may be it is refused as before", (t) =>
  withServer(t, { channels }, async (server) => {
    const draft = { type: "", to: [], topic: "", content: "c" }
    t.match(await server.as("hamlet").post("/drafts", { drafts: [{ ...draft, id: 1 }] }), {
      status: 400,
      body: { msg: 'Argument "id" at drafts[0]["id"] is unexpected' },
    })
    const { body } = await server.as("hamlet").post("/users/me/subscriptions/properties", {
      subscription_data: [{ stream_id: channelId(server, "lobby"), property: "no", value: true, extra: 1 }],
    })
    t.notOk("ignored_parameters_unsupported" in body, "a refusal tells nothing of it")
  }),
)
