/** Linkifiers: making, changing, ordering, removing; events, register, limits, rights. */
import t from "tap"
import { linkifiers } from "../../../../src/chat/text/linkifiers/linkifiers.ts"
import type { Fields } from "../../../kit/client.ts"
import { recordsIn } from "../../../kit/records.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { inTurn } from "../../../kit/share.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const filters = "/realm/filters"
const issue = { pattern: "#(?P<id>[0-9]+)", url_template: "https://issues.example/{id}" }
const page = { pattern: "wiki:(?P<name>[a-z]+)", url_template: "https://wiki.example/{+name}?q=1%202" }
const able = { client_capabilities: { linkifier_url_template: true } }

const make = async (server: TestServer, fields: Fields): Promise<number> =>
  Number((await server.as("iago").must.post(filters, fields))["id"])
const listOf = async (server: TestServer): Promise<unknown> =>
  (await server.as("polonius").must.get("/realm/linkifiers"))["linkifiers"]

t.test("linkifiers are made, changed, ordered and removed", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius", able)
    const old = await server.queue("polonius")
    t.same([queue.state["realm_linkifiers"], old.state["realm_filters"]], [[], []])
    const first = await make(server, issue)
    const second = await make(server, page)
    t.same([first, second], [1, 2])
    const iago = server.as("iago").must
    await iago.patch("/realm/linkifiers", { ordered_linkifier_ids: [second, first] })
    await iago.patch(`${filters}/${first}`, { ...issue, url_template: "https://other.example/{id}" })
    const changed = { id: first, ...issue, url_template: "https://other.example/{id}" }
    t.same(await listOf(server), [{ id: second, ...page }, changed])
    t.same(
      (await server.as("polonius").must.get(filters))["filters"],
      [[issue.pattern, "https://other.example/%(id)s", first]],
      "those that old clients understand",
    )
    await iago.delete(`${filters}/${second}`)
    t.same(await listOf(server), [changed])
    t.equal(await make(server, page), 3, "no id is given twice")
    await server.restart()
    const lists = (await server.resume("polonius", queue).rest()).map(({ type, realm_linkifiers }) => [
      type,
      realm_linkifiers,
    ])
    const of = (...list: ReadonlyArray<object>) => ["realm_linkifiers", list]
    const one = { id: first, ...issue }
    const two = { id: second, ...page }
    t.same(lists, [of(one), of(one, two), of(two, one), of(two, changed), of(changed), of(changed, { id: 3, ...page })])
    t.same(await server.resume("polonius", old).rest(), [], "a client that does not know templates hears nothing")
    const fresh = await server.queue("polonius")
    t.same(fresh.state["realm_linkifiers"], [], "and reads nothing")
    t.equal(await make(server, { ...issue, pattern: "x(?P<id>[0-9])" }), 4)
  }),
)

t.test("linkifiers, each test without those of the others", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet", "cordelia"] }] }, async (server) => {
    await t.test("messages have links where a linkifier finds its pattern, until it is removed", async (t) => {
      const render = async (content: string) =>
        (await server.as("hamlet").must.post("/messages/render", { content }))["rendered"]
      t.equal(await render("see #12"), "<p>see #12</p>")
      const id = await make(server, issue)
      t.equal(await render("see #12"), '<p>see <a href="https://issues.example/12">#12</a></p>')
      await server.as("iago").must.patch(`${filters}/${id}`, { ...issue, url_template: "https://other.example/{id}" })
      t.equal(await render("see #12"), '<p>see <a href="https://other.example/12">#12</a></p>')
      await server.as("iago").must.delete(`${filters}/${id}`)
      t.equal(await render("see #12"), "<p>see #12</p>")
    })

    await t.test(
      "the links in a topic stand beside it, in events as they were and in messages as they are",
      async (t) => {
        const queue = await server.queue("cordelia", { event_types: ["message"] })
        const send = async (topic: string) =>
          Number(
            (await server.as("hamlet").must.post("/messages", { type: "channel", to: "lobby", topic, content: "c" }))[
              "id"
            ],
          )
        const linksOf = async (id: number) =>
          recordsIn([(await server.as("cordelia").must.get(`/messages/${id}`))["message"]])[0]?.["topic_links"]
        const heard = async () =>
          recordsIn((await queue.rest()).map(({ message }) => message)).map((each) => each["topic_links"])
        const topic = "#12 and #13, https://x.example/"
        const before = await send(topic)
        const address = { text: "https://x.example/", url: "https://x.example/" }
        t.same([await linksOf(before), await heard()], [[address], [[address]]])
        const id = await make(server, issue)
        const links = [
          { text: "#12", url: "https://issues.example/12" },
          { text: "#13", url: "https://issues.example/13" },
          address,
        ]
        const after = await send(topic)
        t.same([await linksOf(before), await linksOf(after), await heard()], [links, links, [links]])
        await server.as("iago").must.delete(`${filters}/${id}`)
        const { messages } = await server
          .as("cordelia")
          .must.get("/messages", { anchor: "newest", num_before: 9, num_after: 0 })
        t.same(
          recordsIn(messages).map(({ topic_links }) => topic_links),
          [[address], [address]],
        )
        await send("nothing")
        t.same(await heard(), [[]])
      },
    )

    await t.test("a request that changes nothing makes no event", async (t) => {
      const id = await make(server, issue)
      const queue = await server.queue("hamlet", able)
      await server.as("iago").must.patch(`${filters}/${id}`, issue)
      await server.as("iago").must.patch("/realm/linkifiers", { ordered_linkifier_ids: [id] })
      t.same(await queue.rest(), [])
      await server.as("iago").must.delete(`${filters}/${id}`)
    })

    await t.test("refusals", async (t) => {
      const id = await make(server, issue)
      const other = await make(server, page)
      const admins = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" }
      const written: ReadonlyArray<Refusal> = [
        {
          when: "the same pattern",
          fields: { ...issue, url_template: "https://x.example/{id}" },
          msg: /already exists/,
        },
        { when: "no pattern", fields: { ...issue, pattern: "" }, msg: "pattern cannot be blank" },
        { when: "a bad pattern", fields: { ...issue, pattern: "(" }, msg: /^Bad regular expression/ },
        {
          when: "a group that is not there",
          fields: { ...issue, pattern: "#" },
          msg: "Group 'id' in the URL template is not in the pattern",
        },
        {
          when: "a script",
          fields: { ...issue, url_template: "javascript:{id}" },
          msg: /^The URL template must begin/,
        },
      ]
      await refuses(t, written, (fields) => server.as("iago").post(filters, fields))
      await refuses(t, written, (fields) => server.as("iago").patch(`${filters}/${other}`, fields))
      const missing = { when: "an unknown one", fields: page, msg: "Linkifier not found." }
      await refuses(t, [missing], (fields) => server.as("iago").patch(`${filters}/99`, fields))
      await refuses(t, [missing], () => server.as("iago").delete(`${filters}/0`))
      for (const order of [[], [id], [id, id], [id, other, 99], [id, other, id]])
        t.match((await server.as("iago").patch("/realm/linkifiers", { ordered_linkifier_ids: order })).body, {
          code: "BAD_REQUEST",
          msg: "ordered_linkifier_ids must name every linkifier, and each of them once",
        })
      const lines = [{ when: "no administrator", fields: { ...page, pattern: "y(?P<name>z)" }, ...admins }]
      // A pattern of somebody who may write none is not looked at, which would take the server some time.
      const unread = [...lines, { when: "no administrator", fields: { ...page, pattern: "(" }, ...admins }]
      await refuses(t, unread, (fields) => server.as("hamlet").post(filters, fields))
      await refuses(t, unread, (fields) => server.as("hamlet").patch(`${filters}/${id}`, fields))
      await refuses(t, lines, () => server.as("hamlet").delete(`${filters}/${id}`))
      await refuses(t, lines, () =>
        server.as("hamlet").patch("/realm/linkifiers", { ordered_linkifier_ids: [id, other] }),
      )
      t.match(await listOf(server), [{ id }, { id: other }])
      for (const each of [id, other]) await server.as("iago").must.delete(`${filters}/${each}`)
    })

    await t.test(
      "a linkifier that has not changed stays the same object, so its pattern is compiled once",
      async (t) => {
        await make(server, issue)
        const [before] = server.realm.realm.part(linkifiers).list.linkifiers
        await make(server, page)
        const [after, second] = server.realm.realm.part(linkifiers).list.linkifiers
        t.equal(after, before)
        t.match(second, page)
      },
    )
  }),
)

const numbered = (n: number) => ({ ...issue, pattern: `${n}#(?P<id>[0-9]+)` })
const takenOf = async (server: TestServer, all: ReadonlyArray<Fields>): Promise<number> => {
  const answers = await Promise.all(all.map((fields) => server.as("iago").post(filters, fields)))
  const refused = answers.filter(({ status }) => status !== 200)
  for (const { body } of refused) t.match(body, { code: "BAD_REQUEST", msg: /at most/ })
  return all.length - refused.length
}

t.test("an organization has a bounded number of linkifiers", inTurn(2, "bounded linkifiers"), (t) =>
  withServer(t, {}, async (server) => {
    const many = Array.from({ length: 110 }, (_, n) => numbered(n))
    t.equal(await takenOf(server, many), 100)
  }),
)

t.test("their patterns and templates have a bounded length together", inTurn(2, "long linkifiers"), (t) =>
  withServer(t, {}, async (server) => {
    const url_template = `https://y.example/${"y".repeat(954)}{id}`
    const many = Array.from({ length: 60 }, (_, n) => ({ ...numbered(n + 10), url_template }))
    t.equal(await takenOf(server, many), 50, "of 993 characters each")
  }),
)

t.test("I13: the linkifiers settle", (t) =>
  withServer(t, {}, async (server) => {
    const seen = await settles(t, viewsOf(server), "linkifiers", async () => {
      const id = await make(server, issue)
      await make(server, page)
      await server.as("iago").must.delete(`${filters}/${id}`)
    })
    t.ok(seen.has("realm_linkifiers"))
  }),
)
