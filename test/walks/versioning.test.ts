/**
 * Versions of the API, row by row: deprecated and renamed items that are still accepted, what each feature level
 * brought, and every alias. docs/changelog-by-level.md has the levels as text.
 */
import t from "tap"
import { endpoints as routes } from "../../src/chat/features.ts"
import { isStanding, sceneOf, walk } from "../kit/rows.ts"
import { rowsOfRooms } from "../kit/walk-rows-of-features.ts"
import { withServer } from "../kit/with-server.ts"
import { confusing } from "./versioning/asking.ts"
import { choices } from "./versioning/choices.ts"
import { levels } from "./versioning/levels.ts"
import { renamed } from "./versioning/renamed.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "old", users: ["hamlet"] },
] as const

t.test("deprecated and renamed items are still accepted", (t) =>
  withServer(t, { channels }, (server) =>
    walk(t, [...renamed, ...rowsOfRooms.flatMap((each) => each.renamed)], sceneOf(server)),
  ),
)
t.test("what each feature level brought", (t) =>
  // Gravatars are among it.
  withServer(t, { channels, config: { gravatar: true } }, (server) =>
    walk(t, [...levels, ...rowsOfRooms.flatMap((each) => each.levels)], sceneOf(server)),
  ),
)

t.test("what was chosen", (t) => withServer(t, { channels }, (server) => walk(t, choices, sceneOf(server))))

t.test("a waiting row finds its endpoint, whatever the names of the path parameters", async (t) => {
  t.ok(isStanding("GET /users/{id:int}/subscriptions/{channel}"))
  t.ok(isStanding("DELETE /events"))
  t.notOk(isStanding("PUT /events"))
  t.notOk(isStanding("GET /users/me/{stream_id:int}"))
})

/** Each alias together with the parameter's own name is an error; renamed.ts tests each alias alone. */
t.test("every alias", (t) =>
  withServer(t, { channels }, async (server) => {
    const { ask } = sceneOf(server)
    const known = routes.flatMap(({ method, path, params }) =>
      Object.values(params).flatMap(({ name, aliases }) => aliases.map((alias) => ({ method, path, name, alias }))),
    )
    t.same(
      known.map(({ method, path, name, alias }) => `${method} ${path} ${name} ${alias}`).sort(),
      [
        "GET /streams include_all include_all_active",
        "PATCH /bots/{bot_id:int} service_interface interface_type",
        "PATCH /bots/{bot_id:int} service_payload_url payload_url",
        "PATCH /messages/{message_id:int} topic subject",
        "POST /bots interface_type service_interface",
        "POST /bots payload_url service_payload_url",
        "POST /messages topic subject",
        "POST /register idle_queue_timeout queue_lifespan_secs",
      ],
      "each alias has a row in renamed.ts: add one for a new alias",
    )
    for (const { method, path, name, alias } of known) {
      const needed = { type: "channel", to: "lobby", content: "c", full_name: "F", short_name: "f" }
      const form = { ...needed, [name]: "1", [alias]: "1" }
      t.match(
        await ask({ method, path: path.replace(/\{\w+:int\}/, "1"), form }),
        confusing(name, alias),
        `${method} ${path}`,
      )
    }
    const idle = { fetch_event_types: [], queue_lifespan_secs: 700 }
    t.match(await server.as("hamlet").must.post("/register", idle), { idle_queue_timeout_secs: 700 })
  }),
)
