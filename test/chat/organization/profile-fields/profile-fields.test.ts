/** The organization's own profile fields: making, changing, ordering, removing; events, register, limits, rights. */
import t from "tap"
import { sameAfresh } from "../../../kit/afresh.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { kindsOfClients, Settling } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"
import { choices, fieldsOf, make, makeAll, own, path, types } from "./profile-scene.ts"

const listOf = async (server: TestServer) => recordsIn((await server.as("polonius").must.get(path))["custom_fields"])
const plain = { hint: "", field_data: "", required: false, editable_by_user: true, use_for_user_matching: false }

t.test("a field of each type is made, and all clients hear of the whole list", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius")
    t.same(queue.state["custom_profile_fields"], [])
    t.match(queue.state["realm_default_external_accounts"], {
      github: { name: "GitHub username", text: "GitHub", hint: "", url_pattern: "https://github.com/%(username)s" },
    })
    const ids = await makeAll(server)
    t.same(Object.values(ids), [1, 2, 3, 4, 5, 6, 7, 8])
    const expected = [
      { ...plain, id: 1, type: 1, order: 1, name: "Phone", hint: "With its country" },
      { ...plain, id: 2, type: 2, order: 2, name: "Biography" },
      { ...plain, id: 3, type: 3, order: 3, name: "Drink", field_data: JSON.stringify(choices) },
      { ...plain, id: 4, type: 4, order: 4, name: "Birthday" },
      { ...plain, id: 5, type: 5, order: 5, name: "Page" },
      { ...plain, id: 6, type: 6, order: 6, name: "Mentor" },
      { ...plain, id: 7, type: 7, order: 7, name: "GitHub username", field_data: '{"subtype":"github"}' },
      { ...plain, id: 8, type: 8, order: 8, name: "Pronouns" },
    ]
    t.same(await listOf(server), expected, "a guest reads them, too")
    const heard = await queue.rest()
    t.same(
      heard.map(({ type, fields }) => [type, recordsIn(fields).length]),
      [1, 2, 3, 4, 5, 6, 7, 8].map((n) => ["custom_profile_fields", n]),
    )
    t.same(heard.at(-1)?.["fields"], expected)
    await sameAfresh(t, server, "made")
    await server.restart()
    t.same(await listOf(server), expected)
    t.same((await server.queue("hamlet")).state["custom_profile_fields"], expected)
  }),
)

t.test("what is stated of a field changes, and nothing else", (t) =>
  withServer(t, {}, async (server) => {
    const ids = await makeAll(server)
    const iago = server.as("iago").must
    const queue = await server.queue("hamlet")
    const of = async (id: number) => (await listOf(server)).find((each) => each["id"] === id)
    await iago.patch(`${path}/${ids.short}`, { name: "  Mobile ", display_in_profile_summary: true })
    t.match(await of(ids.short), { name: "Mobile", hint: "With its country", display_in_profile_summary: true })
    await iago.patch(`${path}/${ids.short}`, { hint: "", required: true, editable_by_user: false })
    await iago.patch(`${path}/${ids.short}`, { use_for_user_matching: true, display_in_profile_summary: false })
    t.same(await of(ids.short), {
      ...plain,
      id: ids.short,
      type: 1,
      order: 1,
      name: "Mobile",
      required: true,
      editable_by_user: false,
      use_for_user_matching: true,
    })
    await iago.patch(`${path}/${ids.account}`, { display_in_profile_summary: true, required: true })
    t.match(await of(ids.account), { name: "GitHub username", display_in_profile_summary: true, required: true })
    const pattern = { subtype: "custom", url_pattern: "https://chat.example/@%(username)s" }
    await iago.patch(`${path}/${ids.date}`, { field_data: pattern })
    t.match(await of(ids.date), { field_data: "" }, "a type without data has none")
    const other = await make(server, { name: "Chat", field_type: types.account, field_data: pattern })
    t.match(await of(other), { name: "Chat", field_data: JSON.stringify(pattern) })
    const before = (await queue.rest()).length
    t.equal(before, 5, "what is so already is not told")
    await iago.patch(`${path}/${ids.short}`, { name: "Mobile" })
    await iago.patch(`${path}/${ids.short}`)
    await iago.patch(path, { order: [1, 2, 3, 4, 5, 6, 7, 8, 9] })
    t.same(await queue.rest(), [])
    await sameAfresh(t, server, "changed")
  }),
)

t.test("fields are ordered and removed, with all of their values; no id is given twice", (t) =>
  withServer(t, {}, async (server) => {
    const ids = await makeAll(server)
    const iago = server.as("iago").must
    const hamlet = server.as("hamlet").must
    await hamlet.patch(own, {
      data: [
        { id: ids.short, value: "1" },
        { id: ids.pronouns, value: "they" },
      ],
    })
    await server.as("polonius").must.patch(own, { data: [{ id: ids.pronouns, value: "she" }] })
    await iago.patch(path, { order: [8, 7, 6, 5, 4, 3, 2, 1] })
    t.same(
      (await listOf(server)).map(({ id, order }) => [id, order]),
      [8, 7, 6, 5, 4, 3, 2, 1].map((id, n) => [id, n + 1]),
    )
    const queue = await server.queue("cordelia", { event_types: ["realm_user", "custom_profile_fields"] })
    await iago.delete(`${path}/${ids.pronouns}`)
    t.match(await queue.rest(), [{ type: "custom_profile_fields" }], "one event, however many had a value")
    t.match((await hamlet.get("/users/me"))["profile_data"], { [ids.short]: { value: "1" } })
    t.same((await server.as("polonius").must.get("/users/me"))["profile_data"], {})
    t.same(await server.rows("select field_id, value from profile_value"), [{ field_id: ids.short, value: "1" }])
    t.equal(await make(server, fieldsOf.pronouns), 9)
    await sameAfresh(t, server, "removed")
  }),
)

t.test("with a choice that is taken away go the values that name it", (t) =>
  withServer(t, {}, async (server) => {
    const ids = await makeAll(server)
    for (const [who, value] of [
      ["hamlet", "tea"],
      ["polonius", "coffee"],
    ] as const)
      await server.as(who).must.patch(own, { data: [{ id: ids.choice, value }] })
    const { tea } = choices
    const left = { tea, water: { text: "Water", order: "2" } }
    await server.as("iago").must.patch(`${path}/${ids.choice}`, { field_data: left })
    t.same((await server.as("hamlet").must.get("/users/me"))["profile_data"], { [ids.choice]: { value: "tea" } })
    t.same((await server.as("polonius").must.get("/users/me"))["profile_data"], {})
    await sameAfresh(t, server, "a choice is gone")
    await server.restart()
    const { state } = await server.queue("hamlet")
    const shown = recordsIn(state["realm_users"]).map(({ profile_data }) => profile_data)
    t.equal(shown.filter((each) => each !== undefined && Object.keys(Object(each)).length > 0).length, 1)
  }),
)

const dataRefusals: ReadonlyArray<Refusal> = [
  { when: "no choices", fields: { field_data: {} }, msg: "Field must have at least one choice." },
  { when: "no data", fields: {}, msg: "Field must have at least one choice." },
  { when: "a list", fields: { field_data: [] }, msg: "field_data is not a dict" },
  { when: "a blank word", fields: { field_data: { " ": { text: "a", order: "1" } } }, msg: "'value' cannot be blank." },
  {
    when: "a long word",
    fields: { field_data: { ["x".repeat(51)]: { text: "a", order: "1" } } },
    msg: "value is too long (limit: 50 characters)",
  },
  {
    when: "no text",
    fields: { field_data: { a: { order: "1" } } },
    msg: 'field_data["a"]["text"] field is missing',
  },
  {
    when: "an empty text",
    fields: { field_data: { a: { text: "", order: "1" } } },
    msg: 'field_data["a"]["text"] cannot be blank',
  },
  {
    when: "a further key",
    fields: { field_data: { a: { text: "a", order: "1", x: 1 } } },
    msg: 'Argument "x" at field_data["a"]["x"] is unexpected',
  },
  {
    when: "the same text twice",
    fields: { field_data: { a: { text: "a", order: "1" }, b: { text: "a", order: "2" } } },
    msg: "Field must not have duplicate choices.",
  },
  {
    when: "very many",
    fields: {
      field_data: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`${n}`, { text: `${n}`, order: `${n}` }])),
    },
    msg: "Field must have at most 100 choices.",
  },
]
const custom = (url_pattern?: unknown) => ({ field_data: { subtype: "custom", url_pattern } })
const accountRefusals: ReadonlyArray<Refusal> = [
  { when: "no data", fields: {}, msg: 'field_data["subtype"] is not a string' },
  { when: "an unknown one", fields: { field_data: { subtype: "toString" } }, msg: "Invalid external account type" },
  { when: "no pattern", fields: custom(), msg: "Custom external account must define URL pattern" },
  { when: "a number", fields: custom(1), msg: "url_pattern is not a string" },
  { when: "no name in it", fields: custom("https://a.example/"), msg: "URL pattern must contain '%(username)s'." },
  {
    when: "two names in it",
    fields: custom("https://a.example/%(username)s%(username)s"),
    msg: "URL pattern must contain '%(username)s'.",
  },
  { when: "no address", fields: custom("%(username)s"), msg: "url_pattern is not a URL" },
  { when: "a script", fields: custom("javascript:%(username)s"), msg: "url_pattern is not a URL" },
  {
    when: "a further key",
    fields: { field_data: { subtype: "custom", url_pattern: "https://a.example/%(username)s", x: 1 } },
    msg: 'Argument "x" at field_data["x"] is unexpected',
  },
]
const labels: ReadonlyArray<Refusal> = [
  { when: "a blank label", fields: { name: " " }, msg: "Label cannot be blank." },
  { when: "a long label", fields: { name: "x".repeat(41) }, msg: "name is too long (limit: 40 characters)" },
  { when: "a long hint", fields: { name: "n", hint: "x".repeat(81) }, msg: "hint is too long (limit: 80 characters)" },
  { when: "a label that there is", fields: { name: "phone" }, msg: "A field with that label already exists." },
]

t.test("refusals", (t) =>
  withServer(t, {}, async (server) => {
    const ids = await makeAll(server)
    const iago = server.as("iago")
    const before = await listOf(server)
    const post = (more: Fields) => (fields: Fields) => iago.post(path, { ...more, ...fields })
    const patch = (id: number) => (fields: Fields) => iago.patch(`${path}/${id}`, fields)
    await refuses(t, dataRefusals, post({ name: "n", field_type: types.choice }))
    await refuses(t, accountRefusals, post({ name: "n", field_type: types.account }))
    await refuses(
      t,
      dataRefusals.filter(({ fields }) => "field_data" in fields),
      patch(ids.choice),
    )
    await refuses(t, labels, post({ field_type: types.date }))
    await refuses(t, labels, patch(ids.date))
    await refuses(
      t,
      [{ when: "no label", fields: {}, msg: "Label cannot be blank." }],
      post({ field_type: types.date }),
    )
    await refuses(
      t,
      [
        { when: "no type", fields: { name: "n" }, code: "REQUEST_VARIABLE_MISSING", msg: /field_type/ },
        { when: "an unknown type", fields: { name: "n", field_type: 9 }, msg: "Invalid field type." },
        { when: "another known account", fields: fieldsOf.account, msg: "A field with that label already exists." },
      ],
      post({}),
    )
    const fixed = "Default custom field cannot be updated."
    await refuses(
      t,
      [
        { when: "its name", fields: { name: "Git" }, msg: fixed },
        { when: "its hint", fields: { hint: "h" }, msg: fixed },
        { when: "its account", fields: { field_data: { subtype: "twitter" } }, msg: fixed },
      ],
      patch(ids.account),
    )
    const noSummary = "Field type not supported for display in profile summary."
    const summary = { display_in_profile_summary: true }
    for (const id of [ids.long, ids.people])
      await refuses(t, [{ when: "a summary", fields: summary, msg: noSummary }], patch(id))
    const missing = (id: number) => ({
      when: "an unknown one",
      fields: { name: "n" },
      msg: `Field id ${id} not found.`,
    })
    await refuses(t, [missing(99)], patch(99))
    await refuses(t, [missing(0)], () => iago.delete(`${path}/0`))
    for (const order of [
      [],
      [1, 2, 3],
      [1, 1, 2, 3, 4, 5, 6, 7],
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
      [1, 2, 3, 4, 5, 6, 7, 9],
    ])
      t.match((await iago.patch(path, { order })).body, { code: "BAD_REQUEST", msg: "Invalid order mapping." })
    t.same(await listOf(server), before, "nothing has changed")
    await iago.must.patch(`${path}/${ids.short}`, summary)
    await iago.must.patch(`${path}/${ids.date}`, summary)
    const two = "Only 2 custom profile fields can be displayed in the profile summary."
    await refuses(t, [{ when: "a third", fields: summary, msg: two }], patch(ids.link))
    await refuses(t, [{ when: "a third", fields: summary, msg: two }], post({ name: "n", field_type: types.date }))
  }),
)

t.test(
  "an organization has a bounded number of fields, and of their characters",
  inTurn(2, "bounded profile fields"),
  (t) =>
    withServer(t, {}, async (server) => {
      const word = (n: number) => [`${n}`.padEnd(50, "x"), { text: `${n}`.padEnd(100, "y"), order: "1" }]
      const field_data = Object.fromEntries(Array.from({ length: 100 }, (_, n) => word(n)))
      const large = (n: number) => ({ name: `large ${n}`, field_type: types.choice, field_data })
      await make(server, large(1))
      await make(server, large(2))
      const third = await server.as("iago").post(path, large(3))
      t.match(third, { status: 400, body: { msg: "Profile fields can have 50000 characters together at most." } })
      for (let n = 3; n <= 100; n++) await make(server, { name: `field ${n}`, field_type: types.date })
      const more = await server.as("iago").post(path, { name: "more", field_type: types.date })
      t.match(more, { status: 400, body: { msg: "There can be 100 profile fields at most." } })
    }),
)

t.test("a visitor without an account sees neither fields nor values", (t) =>
  withServer(t, { channels: [{ name: "square", users: [], isWebPublic: true }] }, async (server) => {
    const ids = await makeAll(server)
    await server.as("hamlet").must.patch(own, { data: [{ id: ids.short, value: "secret" }] })
    await server.as("desdemona").must.patch("/realm", { enable_spectator_access: true })
    const { status, body } = await server.anonymous("POST", "/register", {})
    t.same([status, body["custom_profile_fields"]], [200, []])
    t.notMatch(JSON.stringify(body), "secret")
    const users = await server.anonymous("GET", "/users", { include_custom_profile_fields: "true" })
    t.equal(users.status, 200)
    t.notMatch(JSON.stringify(users.body), "secret")
    t.match(await server.anonymous("GET", path), { status: 401 })
  }),
)

t.test("I13: each kind of change settles", (t) =>
  withServer(t, {}, async (server) => {
    const ids = await makeAll(server)
    const iago = server.as("iago").must
    const data = [
      { id: ids.choice, value: "coffee" },
      { id: ids.long, value: "*much*" },
    ]
    for (const who of ["hamlet", "polonius"] as const) await server.as(who).must.patch(own, { data })
    await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
    const { tea } = choices
    const deeds: ReadonlyArray<readonly [what: string, act: () => Promise<unknown>]> = [
      ["a new field", () => make(server, { name: "New", field_type: types.date })],
      ["a changed field", () => iago.patch(`${path}/${ids.short}`, { required: true, hint: "h" })],
      ["another order", () => iago.patch(path, { order: [9, 8, 7, 6, 5, 4, 3, 2, 1] })],
      ["a choice is taken away", () => iago.patch(`${path}/${ids.choice}`, { field_data: { tea } })],
      ["a field is removed", () => iago.delete(`${path}/${ids.long}`)],
    ]
    const names = ["hamlet", "iago", "polonius", "desdemona", "shiva"] as const
    // Who asks for people without their fields cannot know that a field's values are gone.
    const kinds = kindsOfClients.filter(([, { event_types }]) => event_types === undefined)
    const settling = new Settling(t, viewsOf(server, kinds, names), (what) => sameAfresh(t, server, what))
    for (const [what, act] of deeds) {
      const seen = await settling.after(what, act)
      t.ok(seen.has("custom_profile_fields"), what)
    }
  }),
)
