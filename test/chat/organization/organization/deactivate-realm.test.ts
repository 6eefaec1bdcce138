/** An owner ends the organization, and an operator brings it back. */

import * as Effect from "effect/Effect"
import t from "tap"
import type { ServerCommand } from "../../../../src/chat/server/commands/command-schema.ts"
import { ServerCommands } from "../../../../src/chat/server/commands/server-commands.ts"
import { sameAfresh } from "../../../kit/afresh.ts"
import { type TestServer, withServer } from "../../../kit/with-server.ts"

const ask = (server: TestServer, command: ServerCommand) =>
  server.run(Effect.flatMap(ServerCommands, (commands) => commands.perform(command)))

t.test("only owners end the organization, and all of it comes back", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    const owners = { status: 400, body: { code: "UNAUTHORIZED_PRINCIPAL" } }
    for (const name of ["iago", "shiva", "hamlet", "polonius"] as const)
      t.match(await server.as(name).post("/realm/deactivate"), owners, name)
    const own = server.as("desdemona")
    t.match(await own.post("/realm/deactivate", { deletion_delay_days: 30 }), {
      status: 400,
      body: { msg: /does not delete/ },
    })
    const back = { do: "org reactivate", org: null } as const
    t.match(await ask(server, back), { isDone: false, text: /is not deactivated/ })

    const reader = await server.queue("hamlet")
    const socket = await (await server.queue("hamlet")).open()
    const polling = server.as("hamlet").get("/events", { queue_id: reader.queueId, last_event_id: reader.lastId })
    t.match(await own.post("/realm/deactivate"), { status: 200, body: { result: "success" } })
    t.match(await polling, { status: 200, body: { events: [{ type: "realm", op: "deactivated", realm_id: 1 }] } })
    t.equal((await socket.closed).code, 4002)
    const over = { status: 401, body: { msg: "This organization has been deactivated" } }
    for (const name of ["desdemona", "hamlet"] as const) {
      t.match(await server.as(name).get("/users/me"), over, name)
      t.match(await server.as(name).post("/register"), over, name)
    }
    t.match(await ask(server, { do: "org list" }), { isDone: true, text: /deactivated/ })
    const nobody = { do: "user api-key", org: null, email: "hamlet@test.example", isNew: false } as const
    t.match(await ask(server, nobody), { isDone: false, text: /parley org reactivate/ })
    await sameAfresh(t, server, "deactivated")
    await server.restart()
    t.match(await server.as("desdemona").get("/users/me"), over, "after a restart, too")

    t.match(await ask(server, { do: "org reactivate", org: "no.where" }), { isDone: false })
    t.match(await ask(server, { do: "org reactivate", org: "test.example" }), { isDone: true, text: /is back/ })
    t.match(await server.as("hamlet").get("/users/me"), { status: 200 })
    t.ok(await server.as("hamlet").send("lobby", "we are back"))
    await sameAfresh(t, server, "back")
  }),
)
