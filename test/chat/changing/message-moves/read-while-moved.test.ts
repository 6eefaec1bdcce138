/** A message that is moved to and fro between channels is there for those who may read both, at any moment. */
import t from "tap"
import { channelId } from "../../../kit/channel-scene.ts"
import { recordsIn } from "../../../kit/records.ts"
import { basic } from "../../../kit/rows.ts"
import { uploaded } from "../../../kit/uploads.ts"
import { withServer } from "../../../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "iago"] },
  { name: "attic", users: ["hamlet", "cordelia", "iago"] },
  { name: "cellar", users: ["hamlet", "cordelia", "iago"], isPrivate: true },
] as const
const moves = 15

t.test("reading, marking and reacting while a message is moved", (t) =>
  withServer(t, { channels }, async (server) => {
    const iago = server.as("iago").must
    const url = await uploaded(server, "hamlet", { bytes: Buffer.from("a file") })
    const message = await server.as("hamlet").send("lobby", `[file](${url})`, { topic: "t" })
    const places = channels.map(({ name }) => channelId(server, name))
    const page = { anchor: message, num_before: 5, num_after: 5, narrow: [] }
    const idsIn = (answer: Readonly<Record<string, unknown>>) => recordsIn(answer["messages"]).map(({ id }) => id)

    const asked: Readonly<Record<string, () => Promise<void>>> = {
      "by its id": async () => {
        await server.as("cordelia").must.get(`/messages/${message}`)
      },
      "in a list": async () => {
        const answer = await server.as("cordelia").must.get("/messages", { message_ids: [message] })
        t.same(idsIn(answer), [message], "it is in the list")
      },
      "around it": async () => {
        t.same(idsIn(await server.as("cordelia").must.get("/messages", page)), [message], "it is in the page")
      },
      "its conversation": async () => {
        const narrow = [{ operator: "with", operand: message }]
        await server.as("cordelia").must.get("/messages", { ...page, narrow })
      },
      "its readers": async () => {
        await server.as("cordelia").must.get(`/messages/${message}/read_receipts`)
      },
      "its file": async () => {
        const headers = { Authorization: basic(server.as("cordelia").account) }
        t.equal((await fetch(`${server.origin}${url}`, { headers })).status, 200, "its file is there")
      },
      "its flags": async () => {
        const change = { messages: [message], op: "add", flag: "starred" }
        await server.as("hamlet").must.post("/messages/flags", change)
      },
    }
    let isMoving = true
    const rounds = new Map<string, number>()
    const readers = Object.entries(asked).map(async ([name, ask]) => {
      for (; isMoving; rounds.set(name, (rounds.get(name) ?? 0) + 1)) await ask()
    })
    for (let n = 1; n <= moves; n++)
      await iago.patch(`/messages/${message}`, {
        stream_id: places[n % places.length],
        propagate_mode: "change_all",
        send_notification_to_old_thread: false,
        send_notification_to_new_thread: false,
      })
    isMoving = false
    await Promise.all(readers)
    t.equal(rounds.size, readers.length, "each was asked for meanwhile")
  }),
)
