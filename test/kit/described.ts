/**
 * Checks what the server sends by its own description, dist/docs/openapi.json: an answer or event that any test reads and
 * that does not match fails that test, so the document cannot lie. A validator of somebody else's does it. In a quick run it
 * looks at the first answer with the same fields of each route and status.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import * as Schema from "effect/Schema"
import type { Route } from "../../src/api/endpoint.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { pathIn } from "../../src/openapi/same-paths.ts"
import { isFull } from "./share.ts"

const id = "parley"

const readJson = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Json)))

export const readDescription = (): Readonly<Record<string, Schema.Json>> =>
  readJson(gunzipSync(readFileSync(packageFile("dist/docs/openapi.json.gz"))).toString("utf8"))

let ajv: Ajv2020 | undefined
const validators = new Map<string, ValidateFunction>()

/** Formats are for readers. A validator that checks a few values is not worth being made smaller, which takes most of the time. */
const validatorAt = (pointer: string): ValidateFunction => {
  const known = validators.get(pointer)
  if (known !== undefined) return known
  ajv ??= new Ajv2020({ strict: false, validateFormats: false, code: { optimize: false } }).addSchema(
    readDescription(),
    id,
  )
  const made = ajv.compile({ $ref: `${id}#/${pointer}` })
  validators.set(pointer, made)
  return made
}

const part = (name: string): string => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))

const faultBy = (validate: ValidateFunction, value: unknown): string | undefined =>
  validate(value)
    ? undefined
    : `openapi.json: ${(validate.errors ?? [])
        .slice(0, 5)
        .map(({ instancePath, message }) => `${instancePath} ${message}`)
        .join("; ")}`

type Fields = Readonly<Record<string, unknown>>

/** How answers look that matched: their routes, statuses and fields, empty lists apart. */
const matched = new Set<string>()

/** The fault of an answer; undefined if it has none. */
export const describedFault = (
  route: Pick<Route<never>, "method" | "path">,
  status: number,
  body: Fields,
): string | undefined => {
  const filled = Object.keys(body).filter((name) => !Array.isArray(body[name]) || body[name].length > 0)
  const looks = `${status} ${route.method} ${route.path} ${filled.join(" ")}`
  if (!isFull && matched.has(looks)) return undefined
  const fault = faultAnew(route, status, body)
  if (fault === undefined) matched.add(looks)
  return fault
}

const paths = Object.keys(Object(readDescription()["paths"]))

const faultAnew = (route: Pick<Route<never>, "method" | "path">, status: number, body: Fields): string | undefined => {
  const answers = status === 200 ? "200" : status < 500 ? "4XX" : "5XX"
  const names = [
    "paths",
    pathIn(paths, route),
    route.method.toLowerCase(),
    "responses",
    answers,
    "content",
    "application/json",
  ]
  return faultBy(validatorAt([...names, "schema"].map(part).join("/")), body)
}

/** The fault of an event of the component `name`. */
export const describedEventFault = (name: string, event: unknown): string | undefined =>
  faultBy(validatorAt(`components/schemas/${name}`), event)
