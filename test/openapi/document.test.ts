/**
 * The description of the interface: it is a valid OpenAPI document by somebody else's validator; what its schemas of
 * parameters forbid is refused by the endpoints' own readers, and what it gives as example or default is taken.
 */
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import t from "tap"
import type { Param } from "../../src/api/params.ts"
import { endpoints, eventKinds } from "../../src/chat/rooms.ts"
import { exampleOf, sentAs, takes } from "../../src/openapi/examples.ts"
import { pathOf } from "../../src/openapi/operations.ts"
import { readDescription } from "../kit/described.ts"
import { isFull, some } from "../kit/share.ts"
import { garbage } from "../walks/garbage/values.ts"

const description = readDescription()

t.test("somebody else's validator takes it", async (t) => {
  const { valid, errors: faults } = await new Validator().validate({ ...description })
  t.equal(valid, true, JSON.stringify(faults))
})

t.test("it has every endpoint and every event", async (t) => {
  const { paths, components } = description
  const text = JSON.stringify(paths)
  for (const route of endpoints) t.match(text, `"${pathOf(route)}"`)
  const events = eventKinds.reduce((sum, { events }) => sum + Object.keys(events).length, 0)
  t.equal((JSON.stringify(components).match(/Event":\{"type":"object"|Event":\{"anyOf"/g) ?? []).length >= events, true)
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
