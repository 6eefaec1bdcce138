/** The types of the client, which are made of the description: current, small at run time, and right where they are used. */
import { readFileSync } from "node:fs"
import t from "tap"
import type { Code, Params, Reply } from "../../src/client/index.ts"
import { packageFile } from "../../src/db/package-root.ts"
import { clientTypes } from "../../src/openapi/client-types.ts"
import { readDescription } from "../kit/described.ts"

const made = clientTypes(readDescription())

t.test("src/client/api.ts says what the description says", async (t) => {
  t.equal(readFileSync(packageFile("src/client/api.ts"), "utf8"), made, "npm run docs writes it")
})

t.test("every operation and every component is in it", async (t) => {
  const { paths = {}, components = {} } = readDescription()
  for (const [path, methods] of Object.entries(paths ?? {}))
    for (const method of Object.keys(methods)) t.match(made, `  "${method.toUpperCase()} ${path}": {`)
  for (const name of Object.keys(Object(Object(components).schemas))) t.match(made, `export type ${name} = `)
  t.notMatch(made, /: any\b/)
})

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const isSame = <A, B>(same: Same<A, B>): boolean => same

/** The compiler checks these; the test says that they were looked at. */
t.test("types are as the tables have them", async (t) => {
  const send: Params<"POST /messages"> = { type: "channel", to: ["kitchen"], content: "x", topic: undefined }
  const kinds = [
    isSame<Params<"GET /users/{user_id}">["user_id"], number | string>(true),
    isSame<Params<"POST /bots">["file"], Blob | undefined>(true),
    isSame<Params<"POST /users/me/avatar">["file"], Blob>(true),
    isSame<Reply<"POST /register">["queue_id"], string | null>(true),
    isSame<Params<"POST /register">["apply_markdown"], boolean | undefined>(true),
    isSame<Reply<"POST /messages">["id"], number>(true),
    isSame<Extract<Code<"GET /events">, "BAD_EVENT_QUEUE_ID">, "BAD_EVENT_QUEUE_ID">(true),
    isSame<Extract<Code<"GET /users/me">, "BAD_EVENT_QUEUE_ID">, never>(true),
    isSame<Reply<"GET /events">["events"][number]["id"], number>(true),
  ]
  t.same([kinds.every((each) => each), send.to], [true, ["kitchen"]])
})
