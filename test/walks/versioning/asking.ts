/** Requests that several rows of versioning.test.ts send. */
import type { Fields } from "../../kit/client.ts"
import { recordsIn } from "../../kit/records.ts"
import { refusal, type Scene, sent } from "../../kit/rows.ts"

export const success = { status: 200, body: { result: "success" } }
export const confusing = (first: string, second: string) =>
  refusal(/./, "REQUEST_CONFUSING_VAR", 400, { var_name1: first, var_name2: second })

export const page = { anchor: "newest", num_before: 9, num_after: 0 }
export const read = async ({ server }: Scene, fields: Fields) =>
  recordsIn((await server.as("hamlet").must.get("/messages", { ...page, ...fields }))["messages"])
/** The messages that a narrow finds after one message to the lobby and one to cordelia. */
export const found = async (scene: Scene, narrow: ReadonlyArray<unknown>) => {
  await sent(scene, { topic: "narrowed", content: "to the lobby" })
  await scene.server
    .as("hamlet")
    .must.post("/messages", { type: "direct", to: ["cordelia@test.example"], content: "x" })
  return [...new Set((await read(scene, { narrow })).map(({ type, subject }) => `${String(type)} ${String(subject)}`))]
}
export const type = (fields: Fields) => (scene: Scene) =>
  scene.ask({ method: "POST", path: "/typing", form: { op: "start", ...fields } })
export const lobby = ({ server }: Scene) => server.realm.realm.findChannelByName("lobby")?.id ?? 0
export const subscribe =
  (fields: Fields, as: "hamlet" | "desdemona" = "hamlet") =>
  ({ ask }: Scene) =>
    ask({
      method: "POST",
      path: "/users/me/subscriptions",
      as,
      form: { subscriptions: [{ name: "lobby" }], ...fields },
    })
export const create = (fields: Fields) => (scene: Scene) =>
  scene.ask({ method: "POST", path: "/channels/create", as: "desdemona", form: { subscribers: [], ...fields } })
/** Changes the lobby; answers its record afterwards. */
export const change = (fields: Fields) => async (scene: Scene) => {
  const path = `/streams/${lobby(scene)}`
  const { status, body } = await scene.ask({ method: "PATCH", path, as: "desdemona", form: fields })
  const { stream } = await scene.server.as("desdemona").must.get(path)
  return { status, body, stream }
}
export const ignores = (...names: ReadonlyArray<string>) => ({
  status: 200,
  body: { ignored_parameters_unsupported: [...names].sort() },
})
/** Schedules a message of hamlet's for the year 2100. */
export const postponed = (scene: Scene) =>
  scene.ask({
    method: "POST",
    path: "/scheduled_messages",
    form: { type: "channel", to: lobby(scene), topic: "t", content: "c", scheduled_delivery_timestamp: 4102444800 },
  })
