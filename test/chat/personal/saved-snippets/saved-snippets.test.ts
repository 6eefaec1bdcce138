/** Saved snippets: list, save, change, remove; events, register, limits, owners. */
import t from "tap"
import { refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/saved_snippets"

const save = async (
  server: TestServer,
  name: "hamlet" | "polonius",
  title: string,
  content = "text",
): Promise<number> => Number((await server.as(name).must.post(path, { title, content }))["saved_snippet_id"])
const listOf = async (server: TestServer, name: "hamlet" | "polonius" = "hamlet"): Promise<unknown> =>
  (await server.as(name).must.get(path))["saved_snippets"]

t.test("a snippet is saved, changed and removed", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("hamlet")
    t.same(queue.state["saved_snippets"], [])
    const date_created = Math.floor(server.clock.now() / 1000)
    const id = await save(server, "hamlet", "  Greeting ", "\n Hello, *friend*\n")
    const made = { id, title: "Greeting", content: "Hello, *friend*", date_created }
    t.same(await listOf(server), [made])
    server.clock.advance(60_000)
    await server.as("hamlet").must.patch(`${path}/${id}`, { title: "Farewell" })
    const renamed = { ...made, title: "Farewell" }
    t.same(await listOf(server), [renamed], "it keeps its content, and when it was made")
    await server.as("hamlet").must.patch(`${path}/${id}`, { content: "Adieu" })
    const rewritten = { ...renamed, content: "Adieu" }
    const fresh = await server.queue("hamlet")
    t.same(fresh.state["saved_snippets"], [rewritten], "a register lists it")
    await server.as("hamlet").must.delete(`${path}/${id}`)
    t.same(await listOf(server), [])
    const type = "saved_snippets"
    t.match(await queue.rest(), [
      { type, op: "add", saved_snippet: made },
      { type, op: "update", saved_snippet: renamed },
      { type, op: "update", saved_snippet: rewritten },
      { type, op: "remove", saved_snippet_id: id },
    ])
    t.match(await fresh.rest(), [{ type, op: "remove", saved_snippet_id: id }])
  }),
)

t.test("a request that changes nothing makes no event", (t) =>
  withServer(t, {}, async (server) => {
    const id = await save(server, "hamlet", "a", "b")
    const queue = await server.queue("hamlet")
    await server.as("hamlet").must.patch(`${path}/${id}`, {})
    await server.as("hamlet").must.patch(`${path}/${id}`, { title: " a", content: "b" })
    t.same(await queue.rest(), [])
  }),
)

t.test("nobody but the owner sees a snippet", (t) =>
  withServer(t, {}, async (server) => {
    const own = await save(server, "hamlet", "mine")
    await save(server, "polonius", "a guest has some too")
    t.equal(await save(server, "hamlet", "another"), own + 2, "ids are positions")
    const queue = await server.queue("polonius")
    const missing = { code: "BAD_REQUEST", msg: "Saved snippet does not exist." }
    for (const id of [own, own + 1000, 0]) {
      t.match(await server.as("polonius").patch(`${path}/${id}`, { title: "x" }), { status: 404, body: missing })
      t.match(await server.as("polonius").patch(`${path}/${id}`), { status: 404, body: missing })
      t.match(await server.as("polonius").delete(`${path}/${id}`), { status: 404, body: missing })
    }
    t.match(await listOf(server, "polonius"), [{ title: "a guest has some too" }])
    t.match(await listOf(server), [{ title: "mine" }, { title: "another" }])
    await server.as("hamlet").must.delete(`${path}/${own}`)
    t.same(await queue.rest(), [], "nobody else hears of it")
    t.match(await server.as("hamlet").delete(`${path}/${own}`), { status: 404, body: missing })
  }),
)

t.test("refusals", (t) =>
  withServer(t, {}, async (server) => {
    const id = await save(server, "hamlet", "x".repeat(60), "y".repeat(10_000))
    const texts = [
      { when: "no title", fields: { title: "" }, msg: "title cannot be blank" },
      { when: "a title of white space", fields: { title: " \n" }, msg: "title cannot be blank" },
      { when: "a title that nobody sees", fields: { title: "\uFE0F" }, msg: "title cannot be blank" },
      { when: "a title with an override", fields: { title: "a\u202Db" }, msg: "title has invalid format" },
      { when: "a long title", fields: { title: "x".repeat(61) }, msg: "title is too long (limit: 60 characters)" },
      { when: "no content", fields: { content: "" }, msg: "content cannot be blank" },
      { when: "NUL in the title", fields: { title: "a\u0000" }, msg: "title must not contain null bytes" },
      { when: "NUL in the content", fields: { content: "a\u0000" }, msg: "content must not contain null bytes" },
      {
        when: "a long content",
        fields: { content: "y".repeat(10_001) },
        msg: "content is too long (limit: 10000 characters)",
      },
    ]
    const whole = texts.map((line) => ({ ...line, fields: { title: "t", content: "c", ...line.fields } }))
    await refuses(t, whole, (fields) => server.as("hamlet").post(path, fields))
    await refuses(t, texts, (fields) => server.as("hamlet").patch(`${path}/${id}`, fields))
    const missing = { code: "REQUEST_VARIABLE_MISSING", fields: {} }
    await refuses(
      t,
      [
        { ...missing, when: "without a title", fields: { content: "c" }, msg: "Missing 'title' argument" },
        { ...missing, when: "without content", fields: { title: "t" }, msg: "Missing 'content' argument" },
      ],
      (fields) => server.as("hamlet").post(path, fields),
    )
    t.match(await listOf(server), [{ id }], "nothing was saved")
  }),
)

t.test("a user has at most 50 snippets, however many requests come at once", (t) =>
  withServer(t, {}, async (server) => {
    for (let n = 0; n < 45; n++) await save(server, "hamlet", `snippet ${n}`)
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) => server.as("hamlet").post(path, { title: `late ${n}`, content: "c" })),
    )
    const taken = answers.filter(({ status }) => status === 200)
    t.equal(taken.length, 5)
    for (const answer of answers.filter(({ status }) => status !== 200))
      t.match(answer, {
        status: 400,
        body: { code: "BAD_REQUEST", msg: "You can save at most 50 snippets." },
      })
    const queue = await server.queue("hamlet")
    t.equal(Object(queue.state["saved_snippets"]).length, 50)
    await save(server, "polonius", "others are not concerned")
    await server.as("hamlet").must.delete(`${path}/${String(taken[0]?.body["saved_snippet_id"])}`)
    await save(server, "hamlet", "there is room again")
  }),
)

t.test("concurrent changes: each is made from the snippet that the previous one has left", (t) =>
  withServer(t, {}, async (server) => {
    const id = await save(server, "hamlet", "title", "content")
    const queue = await server.queue("hamlet")
    for (let round = 0; round < 10; round++) {
      const [title, content] = [`title ${round}`, `content ${round}`]
      const wishes = [{ title }, { content }, { title, content }]
      await Promise.all(wishes.map((wish) => server.as("hamlet").must.patch(`${path}/${id}`, wish)))
      t.match(await listOf(server), [{ title, content }], `neither is lost, round ${round}`)
    }
    const events = await queue.rest()
    t.match(events.at(-1), { saved_snippet: { title: "title 9", content: "content 9" } })
    const gone = await Promise.all([
      server.as("hamlet").patch(`${path}/${id}`, { title: "late" }),
      server.as("hamlet").delete(`${path}/${id}`),
      server.as("hamlet").delete(`${path}/${id}`),
    ])
    t.equal(gone.filter(({ status }) => status === 404).length >= 1, true)
    t.same(await listOf(server), [])
  }),
)

t.test("I13: snippets settle, and survive a restart", (t) =>
  withServer(t, {}, async (server) => {
    const views = viewsOf(server, undefined, ["hamlet", "polonius"])
    const first = await save(server, "hamlet", "first")
    const seen = await settles(t, views, "snippets come, change and go", async () => {
      await save(server, "hamlet", "second")
      await save(server, "polonius", "a guest's")
      await server.as("hamlet").must.patch(`${path}/${first}`, { content: "new" })
      await server.as("hamlet").must.delete(`${path}/${first}`)
    })
    for (const op of ["add", "update", "remove"]) t.ok(seen.has(`saved_snippets/${op}`), op)
    await server.restart()
    t.match(await listOf(server), [{ title: "second" }])
  }),
)
