/**
 * The description of the interface: it is a valid OpenAPI document by somebody else's validator; what its schemas of
 * parameters forbid is refused by the endpoints' own readers, and what it gives as example or default is taken.
 */
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import t from "tap"
import type { Param } from "../../src/api/params.ts"
import { endpoints, eventKinds } from "../../src/chat/features.ts"
import { exampleOf, sentAs, takes } from "../../src/openapi/examples.ts"
import { blankOf, pathIn } from "../../src/openapi/same-paths.ts"
import { readDescription } from "../kit/described.ts"
import { isFull, some } from "../kit/share.ts"
import { garbage } from "../walks/garbage/values.ts"

type Fields = Readonly<Record<string, unknown>>

const description = readDescription()

t.test("somebody else's validator takes it", async (t) => {
  const { valid, errors: faults } = await new Validator().validate({ ...description })
  t.equal(valid, true, JSON.stringify(faults))
})

t.test("it has every endpoint and every event", async (t) => {
  const { paths, components } = description
  const names = Object.keys(Object(paths))
  for (const route of endpoints) t.type(Object(paths)[pathIn(names, route)][route.method.toLowerCase()], "object")
  const events = eventKinds.reduce((sum, { events }) => sum + Object.keys(events).length, 0)
  t.equal((JSON.stringify(components).match(/Event":\{"type":"object"|Event":\{"anyOf"/g) ?? []).length >= events, true)
})

/** Everything in a document with a JSON pointer to it. */
const walk = function* (value: unknown, at = "#"): Generator<readonly [string, Fields]> {
  if (typeof value !== "object" || value === null) return
  if (!Array.isArray(value)) yield [at, { ...value }]
  for (const [key, each] of Object.entries(value)) yield* walk(each, `${at}/${key}`)
}

const operations = Object.entries<Fields>(Object(description["paths"])).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    name: `${method} ${path}`,
    operation: Object(operation),
  })),
)

t.test("strict readers find nothing to say", async (t) => {
  const { info, tags, paths } = description
  t.match(info, { license: { identifier: "Apache-2.0" }, description: /./ })
  const blanks = Object.keys(Object(paths)).map(blankOf)
  t.same(new Set(blanks).size, blanks.length, "no two paths differ by the names of their parameters only")
  for (const tag of Object(tags)) t.match(tag, { name: /./, description: /^[A-Z].*\.$/ })
  const ids = operations.map(({ operation }) => operation.operationId)
  t.same(new Set(ids).size, ids.length)
  for (const { name, operation } of operations) t.match(operation, { summary: /./, description: /./ }, name)
  for (const [at, { type, items }] of walk(description))
    if (type === "array" && items === undefined) t.fail(`${at} does not say what is in the list`)
})

t.test("either form of a person's name stands in the one path", async (t) => {
  for (const method of ["get", "patch"]) {
    const { parameters } = Object(description["paths"])["/users/{user_id}"][method]
    t.match(parameters[0], {
      name: "user_id",
      in: "path",
      schema: { anyOf: [{ type: "integer" }, { type: "string" }] },
    })
  }
})

t.test(
  "what changes something has nothing in the address but its path, for addresses are written into logs",
  async (t) => {
    for (const { name, path, method, operation } of operations) {
      if (method === "get" || method === "delete" || path.startsWith("/external/")) continue
      const inQuery = [...(operation.parameters ?? [])].filter((each: Fields) => each["in"] !== "path")
      t.same(inQuery, [], name)
    }
    const { content } = Object(description["paths"])["/bots"].post.requestBody
    for (const form of [content["multipart/form-data"], content["application/x-www-form-urlencoded"]])
      t.match(form.schema, {
        properties: { short_name: { type: "string" }, config_data: {} },
        required: ["full_name", "short_name"],
      })
  },
)

t.test("a web hook's key is a security scheme and no parameter", async (t) => {
  const { security, parameters } = Object(description["paths"])["/external/{integration}"].post
  t.same(security, [{ webhook_key: [] }, { basic: [] }])
  t.match(description["components"], {
    securitySchemes: { webhook_key: { type: "apiKey", in: "query", name: "api_key" } },
  })
  t.notMatch(JSON.stringify(parameters), "api_key")
})

t.test("what both answers of register have stands beside their choice, too", async (t) => {
  const { schema } = Object(description["paths"])["/register"].post.responses["200"].content["application/json"]
  t.equal(schema.anyOf.length, 2)
  t.match(schema, { properties: { queue_id: { anyOf: [{ type: "string" }, { type: "null" }] } } })
  t.ok(["queue_id", "last_event_id", "result"].every((each) => schema.required.includes(each)))
})

const params = endpoints.flatMap((route) =>
  Object.values(route.params).map((param) => ({ where: `${route.method} ${route.path} ${param.name}`, param })),
)

/** The value that the schema is about; undefined where the text is none. */
const meantBy = ({ kind, isLoose }: Param<unknown>, text: string): unknown => {
  if (kind === "text" || kind === "choice") return text
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return isLoose === true ? text : undefined
  }
}

t.test("what a schema forbids is refused", async (t) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const wrong: Array<string> = []
  let forbidden = 0
  for (const { where, param } of some(params, 4, "schemas of parameters")) {
    const validate = ajv.compile(param.schema)
    for (const [, text] of garbage) {
      const value = meantBy(param, text)
      if (value === undefined || validate(value)) continue
      forbidden++
      if (takes(param, text)) wrong.push(`${where}: ${text.slice(0, 60)}`)
    }
  }
  t.same(wrong, [])
  t.ok(forbidden > (isFull ? 1000 : 250), `${forbidden}`)
})

t.test("what it gives as example or default is taken", async (t) => {
  const refused: Array<string> = []
  for (const { where, param } of params) {
    for (const value of [exampleOf(param), param.fallback]) {
      if (value === undefined) continue
      if (!takes(param, sentAs(param, value))) refused.push(`${where}: ${JSON.stringify(value)}`)
    }
  }
  t.same(refused, [])
})
