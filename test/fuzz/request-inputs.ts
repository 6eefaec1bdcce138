/** Requests of the API, made from the table of its endpoints: values that their parameters ask for, and any others. */
import type { Route } from "../../src/api/endpoint.ts"
import type { Param } from "../../src/api/params.ts"
import type { AppServices } from "../../src/app.ts"
import { endpoints } from "../../src/chat/features.ts"
import type { Dice } from "../faults/kill/dice.ts"
import { hardValue, mutated, noise, text } from "./bytes.ts"
import { authorizationOf, bytesOf, encoded, type Input, type Scene, type Who } from "./input.ts"
import { anyJson, hardJson, ofSchema } from "./json-values.ts"
import { richText } from "./rich-text.ts"

type AppRoute = Route<AppServices>
const routes: ReadonlyArray<AppRoute> = endpoints

/** What would end the run for those who may: only people who may not, and nobody, ask for it. */
const ending = new Set([
  "DELETE /users/me",
  "DELETE /events",
  "POST /users/me/api_key/regenerate",
  "POST /realm/deactivate",
  "DELETE /users/{user_id:int}",
  "PATCH /users/{user_id:int}",
  "POST /bots/{bot_id:int}/api_key/regenerate",
  "DELETE /bots/{bot_id:int}",
])
const endsForItself = new Set(["DELETE /users/me", "POST /users/me/api_key/regenerate"])

const askers: ReadonlyArray<Who> = ["owner", "owner", "owner", "member", "guest", "bot", "nobody", "wrong"]

const whoFor = (dice: Dice, name: string): Who => {
  if (endsForItself.has(name)) return dice.pick(["nobody", "wrong"])
  return ending.has(name) ? dice.pick(["guest", "nobody", "wrong"]) : dice.pick(askers)
}

/** An id that is there, by what the parameter is called. */
const known = (dice: Dice, scene: Scene, name: string): string | undefined => {
  if (/message/.test(name)) return String(dice.pick(scene.messages))
  if (/stream|channel/.test(name)) return String(dice.pick(scene.channels))
  if (/user|bot|member|owner/.test(name)) return String(dice.pick(scene.users))
  if (/email|username/.test(name)) return dice.pick(scene.emails)
  if (name === "queue_id") return dice.chance(0.5) ? scene.queue.id : "x"
  if (name === "last_event_id") return String(scene.queue.last)
  return undefined
}

const plain: Readonly<Record<string, ReadonlyArray<string>>> = {
  type: ["channel", "stream", "direct", "private"],
  to: ["general", '["general"]', "[1]", "[2,3]", "1", '["owner@demo.example"]'],
  dont_block: ["true"],
  anchor: ["newest", "oldest", "first_unread", "0", "date"],
  anchor_date: ["2026-01-01", "2026-01-01T00:00:00Z", "1969-12-31T23:59:59.5+14:00"],
  op: ["add", "remove", "start", "stop"],
}

/** `odd`: how likely it is something else than the parameter asks for. */
const rawValue = (dice: Dice, scene: Scene, param: Param<unknown>, odd: number): string => {
  const usual = plain[param.name]
  if (usual !== undefined && dice.chance(0.75)) return dice.pick(usual)
  if (dice.chance(0.6)) {
    const found = known(dice, scene, param.name)
    if (found !== undefined) return found
  }
  if (/content|description|text|note/.test(param.name) && dice.chance(0.8)) return richText(dice)
  if (dice.chance(2 * odd)) return hardValue(dice)
  if (param.kind === "json") {
    if (dice.chance(2 * odd)) return hardJson(dice)
    return JSON.stringify(dice.chance(2 * odd) ? anyJson(dice, 4) : ofSchema(dice, param.schema, odd))
  }
  const value = dice.chance(2 * odd) ? anyJson(dice, 0) : ofSchema(dice, param.schema, odd)
  return typeof value === "string" ? value : JSON.stringify(value)
}

const longestInPath = 200

const pathOf = (dice: Dice, scene: Scene, route: AppRoute): string =>
  route.path.replace(/\{([a-z_]+)(:int)?\}/g, (_, name: string, isNumber: string | undefined) => {
    const found = dice.chance(0.7) ? known(dice, scene, name) : undefined
    if (found !== undefined) return encoded(found)
    if (isNumber !== undefined && dice.chance(0.8)) return String(dice.below(50))
    return encoded((dice.chance(0.5) ? text(dice, 20) : hardValue(dice)).slice(0, longestInPath))
  })

const fieldsFor = (
  dice: Dice,
  scene: Scene,
  route: AppRoute,
  odd: number,
): ReadonlyArray<readonly [string, string]> => {
  const fields = Object.values(route.params).flatMap((param): ReadonlyArray<readonly [string, string]> => {
    if (route.path.includes(`{${param.name}`)) return []
    if (!dice.chance(param.required || param.name === "dont_block" ? 0.97 : 0.45)) return []
    const name = param.aliases.length > 0 && dice.chance(0.1) ? dice.pick(param.aliases) : param.name
    return [[name, rawValue(dice, scene, param, odd)]]
  })
  return dice.chance(odd) ? [...fields, [text(dice, 5), text(dice, 20)], ...fields.slice(0, 1)] : fields
}

const formOf = (fields: ReadonlyArray<readonly [string, string]>): string =>
  fields.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&")

const boundary = "parley-boundary-of-inputs"

const multipartOf = (dice: Dice, fields: ReadonlyArray<readonly [string, string]>): Buffer => {
  const parts = fields.map(([name, value]) =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${encoded(name)}"${dice.chance(0.1) ? '; filename="a.txt"' : ""}\r\n\r\n${value}\r\n`,
    ),
  )
  const file = dice.chance(0.3)
    ? [
        Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`),
        dice.chance(0.5) ? Buffer.from("\x89PNG\r\n\x1a\n", "latin1") : Buffer.alloc(0),
        noise(dice, 300),
        Buffer.from("\r\n"),
      ]
    : []
  return Buffer.concat([...parts, ...file, Buffer.from(`--${boundary}--\r\n`)])
}

/** Longer addresses are refused before anything is read of them. */
const longestQuery = 3000

export const requestInput = (dice: Dice, scene: Scene): Input => {
  const route = dice.pick(routes)
  const name = `${route.method} ${route.path}`
  const who = whoFor(dice, name)
  // Half of them ask for what there is, and get far; the others are refused early, each for another reason.
  const odd = dice.chance(0.5) ? 0 : 0.06
  const fields = fieldsFor(dice, scene, route, odd)
  const path = `/api/v1${pathOf(dice, scene, route)}`
  const authorization = authorizationOf(scene, who)
  const headers: ReadonlyArray<readonly [string, string]> = [
    ["Host", scene.host],
    ...(authorization === undefined ? [] : [["Authorization", authorization] as const]),
    ...(dice.chance(0.1) ? [["User-Agent", encoded(text(dice, 30))] as const] : []),
    ...(dice.chance(0.3) ? [["Accept-Encoding", "gzip"] as const] : []),
  ]
  const request = (method: string, at: string, type?: string, body?: Buffer): Input => ({
    kind: "request",
    what: `${name} by ${who}`,
    isHead: method === "HEAD",
    bytes: bytesOf(method, at, type === undefined ? headers : [...headers, ["Content-Type", type]], body),
  })
  const query = formOf(fields)
  const way = dice.below(10)
  if (way < 2 && query.length < longestQuery) return request(route.method, query === "" ? path : `${path}?${query}`)
  if (way === 2) {
    const body = multipartOf(dice, fields)
    const sent = dice.chance(0.5) ? mutated(dice, body) : body
    return request(route.method, path, `multipart/form-data; boundary=${boundary}`, sent)
  }
  if (way === 3) {
    const body = Buffer.from(dice.chance(0.5) ? JSON.stringify(Object.fromEntries(fields)) : hardJson(dice))
    return request(route.method, path, "application/json", body)
  }
  if (way === 4)
    return request(route.method, path, "application/x-www-form-urlencoded", mutated(dice, Buffer.from(query)))
  const form = Buffer.from(formOf([...fields, ["method", route.method]]))
  return request("POST", path, "application/x-www-form-urlencoded", form)
}
