/** Playgrounds: making, removing; events, register, limits, rights. */
import t from "tap"
import type { Fields } from "../../../kit/client.ts"
import { type Refusal, refuses } from "../../../kit/refusals.ts"
import { settles } from "../../../kit/settles.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"
import { viewsOf } from "../../../walks/settles/scene.ts"

const path = "/realm/playgrounds"
const rust = { name: "Rust", pygments_language: "Rust", url_template: "https://play.example/?code={code}" }
const c = { name: "C", pygments_language: "C++", url_template: "https://c.example/{+code}" }

const make = async (server: TestServer, fields: Fields): Promise<number> =>
  Number((await server.as("iago").must.post(path, fields))["id"])

t.test("playgrounds are made and removed; everybody has the whole list", (t) =>
  withServer(t, {}, async (server) => {
    const queue = await server.queue("polonius")
    t.same(queue.state["realm_playgrounds"], [])
    const first = await make(server, { ...rust, name: "  Rust " })
    const second = await make(server, c)
    t.same([first, second], [1, 2])
    await server.as("iago").must.delete(`${path}/${second}`)
    t.equal(await make(server, c), 3, "no id is given twice")
    await server.restart()
    const [one, two, three] = [
      { id: 1, ...rust },
      { id: 2, ...c },
      { id: 3, ...c },
    ]
    const lists = (await server.resume("polonius", queue).rest()).map((event) => event["realm_playgrounds"])
    t.same(lists, [[one], [one, two], [one], [one, three]])
    t.same((await server.queue("hamlet")).state["realm_playgrounds"], [one, three])
  }),
)

t.test("refusals", (t) =>
  withServer(t, {}, async (server) => {
    await make(server, rust)
    const admins = { code: "UNAUTHORIZED_PRINCIPAL", msg: "Must be an organization administrator" }
    const of = (when: string, fields: Fields, msg: string | RegExp): Refusal => ({
      when,
      fields: { ...c, ...fields },
      msg,
    })
    const lines: ReadonlyArray<Refusal> = [
      of("the same name and language", rust, /already exists/),
      of("no name", { name: " " }, "name cannot be blank"),
      of("a name that nobody sees", { name: "\uFE0F" }, "name cannot be blank"),
      of("an override", { name: "a\u202Db" }, "name has invalid format"),
      of("a long name", { name: "x".repeat(101) }, "name is too long (limit: 100 characters)"),
      of("an odd language", { pygments_language: "C%" }, "pygments_language has invalid format"),
      of("no language", { pygments_language: "" }, "pygments_language cannot be blank"),
      of("no template", { url_template: "https://x.example/{code" }, "Invalid URL template."),
      of("no host", { url_template: "https://[/{code}" }, "Invalid URL template."),
      of("no code", { url_template: "https://x.example/{name}" }, /^Missing the required variable "code"/),
      of("more than code", { url_template: "https://x.example/{code}{a}" }, /^"code" should be the only variable/),
      of("a script", { url_template: "javascript:{code}" }, /^The URL template must begin/),
    ]
    await refuses(t, lines, (fields) => server.as("iago").post(path, fields))
    await refuses(t, [{ when: "no administrator", fields: c, ...admins }], (fields) =>
      server.as("shiva").post(path, fields),
    )
    const removal = { when: "no administrator", fields: {}, ...admins }
    await refuses(t, [removal], () => server.as("hamlet").delete(`${path}/1`))
    const missing = { when: "an unknown one", fields: {}, msg: "Invalid playground" }
    await refuses(t, [missing], () => server.as("iago").delete(`${path}/2`))
    const queue = await server.queue("hamlet")
    t.same(queue.state["realm_playgrounds"], [{ id: 1, ...rust }])
  }),
)

t.test("an organization has a bounded number of them", (t) =>
  withServer(t, {}, async (server) => {
    const many = Array.from({ length: 104 }, (_, n) => ({ ...rust, name: `Rust ${n}` }))
    const answers = await Promise.all(many.map((fields) => server.as("iago").post(path, fields)))
    const refused = answers.filter(({ status }) => status !== 200)
    t.equal(refused.length, 4)
    for (const { body } of refused) t.match(body, { code: "BAD_REQUEST", msg: /100 playgrounds at most/ })
  }),
)

t.test("I13: playgrounds settle", (t) =>
  withServer(t, {}, async (server) => {
    const seen = await settles(t, viewsOf(server), "playgrounds", async () => {
      const id = await make(server, rust)
      await make(server, c)
      await server.as("desdemona").must.delete(`${path}/${id}`)
    })
    t.ok(seen.has("realm_playgrounds"))
  }),
)
