/** How a call becomes a request: what each value is as text, and where it goes. */
import t from "tap"
import { endpoints } from "../../src/chat/features.ts"
import { encode } from "../../src/client/encode.ts"
import { exampleOf, sentAs } from "../../src/openapi/examples.ts"
import { pathOf } from "../../src/openapi/operations.ts"

const queryOf = (path: string) => Object.fromEntries(new URLSearchParams(path.split("?")[1] ?? ""))
const formOf = (body: unknown) => Object.fromEntries(new URLSearchParams(String(body)))

t.test("strings stand for themselves, all other values are JSON", async (t) => {
  const { method, path, body } = encode("POST /register", {
    event_types: ["message"],
    apply_markdown: false,
    idle_queue_timeout: 600,
    narrow: undefined,
  })
  t.same([method, path], ["POST", "/api/v1/register"])
  t.same(formOf(body), { event_types: '["message"]', apply_markdown: "false", idle_queue_timeout: "600" })
  const texts = ["5", "true", "null", "[1]", '"quoted"', "a & b = c + d", "", "ünïcödé 🎉", "{}"]
  for (const content of texts) {
    const form = formOf(encode("POST /messages", { content, to: content }).body)
    t.same(form, { content, to: JSON.stringify(content) }, "a channel may be called like a number")
  }
})

t.test("GET and DELETE have their parameters in the address", async (t) => {
  const asked = encode("GET /users/{user_id}/subscriptions/{stream_id}", {
    user_id: 7,
    stream_id: 8,
    a: "b c",
    x: null,
  })
  t.equal(asked.path.split("?")[0], "/api/v1/users/7/subscriptions/8")
  t.same([queryOf(asked.path), asked.body], [{ a: "b c", x: "null" }, null])
  t.equal(encode("GET /users", {}).path, "/api/v1/users")
  t.equal(encode("DELETE /events", { queue_id: "a/b" }).path, "/api/v1/events?queue_id=a%2Fb")
})

t.test("what stands in a path cannot lead to another endpoint", async (t) => {
  t.equal(encode("GET /users/{email}", { email: "a/../b?c#d" }).path, "/api/v1/users/a%2F..%2Fb%3Fc%23d")
  for (const email of ["", ".", "..", undefined])
    t.throws(() => encode("GET /users/{email}", { email }), { name: "TypeError" }, String(email))
})

t.test("beside a file the other parameters are in its form: addresses are written into logs", async (t) => {
  const { path, body } = encode("POST /bots", { short_name: "a", config_data: { key: "b" }, file: new Blob(["x"]) })
  if (!(body instanceof FormData)) return t.fail("no form")
  t.equal(path, "/api/v1/bots")
  t.same([body.get("short_name"), body.get("config_data")], ["a", '{"key":"b"}'])
  t.type(body.get("file"), Blob)
})

t.test("every example of the description is encoded as the endpoint's own reader takes it", async (t) => {
  let compared = 0
  for (const route of endpoints) {
    for (const param of Object.values(route.params)) {
      const example = exampleOf(param)
      if (example === undefined || pathOf(route).includes(`{${param.name}}`)) continue
      const operation = `${route.method} ${pathOf(route)}`
      const inPath = Object.fromEntries(Array.from(operation.matchAll(/\{(\w+)\}/g), ([, name]) => [name, "x"]))
      const { path, body } = encode(operation, { ...inPath, [param.name]: example })
      const text = body === null ? queryOf(path)[param.name] : formOf(body)[param.name]
      t.equal(param.read(text)._tag, "Success", `${operation} ${param.name}: ${text} is ${sentAs(param, example)}`)
      compared++
    }
  }
  t.ok(compared > 150, `${compared}`)
})
