/** Views in the navigation: keeping, pinning, naming, removing; events, register, limits, owners. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/navigation_views"
const alerts = "narrow/has/reaction"
const at = (fragment: string): string => `${path}/${encodeURIComponent(fragment)}`

const keep = (server: TestServer, who: Name, fields: Fields) =>
  server.as(who).must.post(path, { is_pinned: true, ...fields })
const listOf = async (server: TestServer, who: Name = "hamlet"): Promise<unknown> =>
  (await server.as(who).must.get(path))["navigation_views"]

t.test("a view is kept, pinned, named and removed", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("hamlet")
    t.same(queue.state["navigation_views"], [])
    const others = await server.queue("cordelia")
    await keep(server, "hamlet", { fragment: " narrow/is/starred " })
    await keep(server, "hamlet", { fragment: alerts, name: " Alerts ", is_pinned: false })
    await server.as("hamlet").must.patch(at(alerts), { is_pinned: true })
    await server.as("hamlet").must.patch(at(alerts), { name: "Reacted", is_pinned: true })
    const [starred, reacted] = [
      { fragment: "narrow/is/starred", is_pinned: true, name: null },
      { fragment: alerts, is_pinned: true, name: "Reacted" },
    ]
    t.same(await listOf(server), [starred, reacted])
    await server.restart()
    const again = server.resume("hamlet", queue)
    t.same((await server.queue("hamlet")).state["navigation_views"], [starred, reacted])
    await server.as("hamlet").must.delete(at("narrow/is/starred"))
    t.same(await listOf(server), [reacted])
    const type = "navigation_view"
    t.match(await again.rest(), [
      { type, op: "add", navigation_view: starred },
      { type, op: "add", navigation_view: { fragment: alerts, is_pinned: false, name: "Alerts" } },
      { type, op: "update", fragment: alerts, data: { is_pinned: true } },
      { type, op: "update", fragment: alerts, data: { is_pinned: true, name: "Reacted" } },
      { type, op: "remove", fragment: "narrow/is/starred" },
    ])
    t.same(await server.resume("cordelia", others).rest(), [], "nobody else hears of it")
  }),
)

t.test("a request that changes nothing makes no event", (t) =>
  withServer(t, {}, async (server) => {
    await keep(server, "hamlet", { fragment: alerts, name: "Alerts" })
    await keep(server, "hamlet", { fragment: "inbox" })
    const queue = await server.queue("hamlet")
    for (const fields of [{}, { name: "Alerts" }, { is_pinned: true }, { name: " Alerts ", is_pinned: true }])
      await server.as("hamlet").must.patch(at(alerts), fields)
    await server.as("hamlet").must.patch(at("inbox"), { is_pinned: true })
    t.same(await queue.rest(), [])
  }),
)

t.test("refusals", (t) =>
  withServer(t, {}, async (server) => {
    await keep(server, "hamlet", { fragment: alerts, name: "Alerts" })
    await keep(server, "hamlet", { fragment: "narrow/other", name: "Other" })
    const made = { fragment: "narrow/x", is_pinned: true, name: "x" }
    const lines = [
      { when: "the same fragment", fields: { ...made, fragment: alerts }, msg: "Navigation view already exists." },
      { when: "the same name", fields: { ...made, name: "Alerts" }, msg: "Navigation view already exists." },
      {
        when: "a name for one that all have",
        fields: { ...made, fragment: "inbox" },
        msg: "Built-in views cannot have a custom name.",
      },
      {
        when: "no name",
        fields: { fragment: "narrow/x", is_pinned: true },
        msg: "Custom views must have a valid name.",
      },
      { when: "a blank name", fields: { ...made, name: " " }, msg: "name cannot be blank" },
      { when: "a name with an override", fields: { ...made, name: "a\u202Db" }, msg: "name has invalid format" },
      { when: "no fragment", fields: { ...made, fragment: "" }, msg: "fragment cannot be blank" },
      { when: "an odd fragment", fields: { ...made, fragment: "a\u202Db" }, msg: "fragment has invalid format" },
      {
        when: "a long fragment",
        fields: { ...made, fragment: "x".repeat(501) },
        msg: "fragment is too long (limit: 500 characters)",
      },
    ]
    await refuses(t, lines, (fields) => server.as("hamlet").post(path, fields))
    const taken = { when: "the name of another", fields: { name: "Other" }, msg: "Navigation view already exists." }
    await refuses(t, [taken], (fields) => server.as("hamlet").patch(at(alerts), fields))
    const named = { when: "one that all have", fields: { name: "x" }, msg: "Built-in views cannot have a custom name." }
    await refuses(t, [named], (fields) => server.as("hamlet").patch(at("inbox"), fields))
    const missing = { status: 404, body: { code: "BAD_REQUEST", msg: "Navigation view does not exist." } }
    for (const who of ["polonius", "cordelia"] as const) {
      t.match(await server.as(who).patch(at(alerts), { is_pinned: false }), missing)
      t.match(await server.as(who).patch(at(alerts)), missing)
      t.match(await server.as(who).patch(at(alerts), { name: "Other" }), missing)
      t.match(await server.as(who).delete(at(alerts)), missing)
    }
    t.match(await listOf(server), [
      { fragment: alerts, name: "Alerts" },
      { fragment: "narrow/other", name: "Other" },
    ])
    t.same(await listOf(server, "cordelia"), [])
  }),
)

t.test("a user keeps 100 views at most, however many requests come at once", (t) =>
  withServer(t, {}, async (server) => {
    const many = Array.from({ length: 104 }, (_, n) => ({
      fragment: `narrow/${n}`,
      name: `view ${n}`,
      is_pinned: true,
    }))
    const answers = await Promise.all(many.map((fields) => server.as("hamlet").post(path, fields)))
    const refused = answers.filter(({ status }) => status !== 200)
    t.equal(refused.length, 4)
    for (const { body } of refused) t.match(body, { code: "BAD_REQUEST", msg: "You can keep at most 100 views." })
  }),
)

t.test("I13: views settle", (t) =>
  withServer(t, {}, async (server) => {
    await keep(server, "hamlet", { fragment: "inbox" })
    const views = viewsOf(server, undefined, ["hamlet", "polonius"])
    const seen = await settles(t, views, "views come, change and go", async () => {
      await keep(server, "hamlet", { fragment: alerts, name: "Alerts" })
      await keep(server, "polonius", { fragment: "narrow/of/a/guest", name: "Guest" })
      await server.as("hamlet").must.patch(at(alerts), { name: "New" })
      await server.as("hamlet").must.delete(at("inbox"))
    })
    for (const op of ["add", "update", "remove"]) t.ok(seen.has(`navigation_view/${op}`), op)
  }),
)
