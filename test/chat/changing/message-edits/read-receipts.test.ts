/** GET /messages/{id}/read_receipts: who has read a message, and who is never named. */
import t from "tap"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago", "polonius"] },
  { name: "den", users: ["hamlet", "cordelia"], isPrivate: true },
] as const

const receipts = (server: TestServer, by: Name, message: number) =>
  server.as(by).get(`/messages/${message}/read_receipts`)
const readers = async (server: TestServer, by: Name, message: number) =>
  (await server.as(by).must.get(`/messages/${message}/read_receipts`))["user_ids"]
const mark = (server: TestServer, by: Name, op: "add" | "remove", message: number) =>
  server.as(by).must.post("/messages/flags", { messages: [message], op, flag: "read" })
const ids = (server: TestServer, ...names: ReadonlyArray<Name>) =>
  names.map((name) => server.idOf(name)).sort((a, b) => a - b)

t.test("readers of channel and direct messages are named, others are not", (t) =>
  withServer(t, { channels }, async (server) => {
    const id = await server.as("hamlet").send("lobby", "to be", { read_by_sender: true })
    t.same(await readers(server, "hamlet", id), [], "neither the sender nor those who do not hold it")
    for (const who of ["cordelia", "iago", "polonius"] as const) await mark(server, who, "add", id)
    t.same(await readers(server, "hamlet", id), ids(server, "cordelia", "iago", "polonius"))
    t.same(await readers(server, "cordelia", id), ids(server, "cordelia", "iago", "polonius"), "the requester, too")
    await mark(server, "iago", "remove", id)
    t.same(await readers(server, "hamlet", id), ids(server, "cordelia", "polonius"))
    await mark(server, "iago", "add", id)

    await server.as("polonius").must.patch("/settings", { send_read_receipts: false })
    t.same(await readers(server, "hamlet", id), ids(server, "cordelia", "iago"))
    await server.as("polonius").must.patch("/settings", { send_read_receipts: true })
    await server.as("cordelia").must.post(`/users/me/muted_users/${server.idOf("iago")}`)
    t.same(await readers(server, "cordelia", id), ids(server, "cordelia", "polonius"), "whom the requester muted")
    t.same(await readers(server, "iago", id), ids(server, "iago", "polonius"), "who muted the requester")
    t.same(await readers(server, "hamlet", id), ids(server, "cordelia", "iago", "polonius"))

    const to = ids(server, "hamlet", "cordelia")
    const direct = await server.as("hamlet").must.post("/messages", { type: "direct", to, content: "psst" })
    const between = Number(direct["id"])
    t.same(await readers(server, "hamlet", between), [])
    await mark(server, "cordelia", "add", between)
    t.same(await readers(server, "hamlet", between), ids(server, "cordelia"))

    const moved = await server.as("iago").send("lobby", "wanders", { topic: "wandering" })
    for (const who of ["cordelia", "polonius"] as const) await mark(server, who, "add", moved)
    await server.as("desdemona").must.post("/users/me/subscriptions", { subscriptions: [{ name: "lobby" }] })
    t.same(await readers(server, "desdemona", moved), ids(server, "cordelia", "polonius"), "not who came later")

    await server.as("desdemona").must.delete(`/users/${server.idOf("polonius")}`)
    t.same(await readers(server, "hamlet", id), ids(server, "cordelia", "iago"), "nor who is deactivated")
  }),
)

t.test("an unseen message is like a missing one, and nothing is told where it is off", (t) =>
  withServer(t, { channels }, async (server) => {
    const hidden = await server.as("hamlet").send("den", "secret")
    await mark(server, "cordelia", "add", hidden)
    const missing = await receipts(server, "iago", 999_999)
    t.match(missing, { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid message(s)" } })
    const unseen = await receipts(server, "iago", hidden)
    t.same([unseen.status, unseen.body], [missing.status, missing.body])
    await server.as("desdemona").must.patch("/realm", { enable_read_receipts: false })
    t.match(await receipts(server, "hamlet", hidden), {
      status: 400,
      body: { code: "BAD_REQUEST", msg: "Read receipts are disabled in this organization." },
    })
  }),
)
