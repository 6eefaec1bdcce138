/** Many moves of one message: the newest are shown, and nothing of it is left when it is deleted. */
import t from "tap"
import { recordsIn } from "../../../kit/records.ts"
import { inTurn } from "../../../kit/share.ts"
import { withServer } from "../../../kit/with-server.ts"

const whole = { propagate_mode: "change_all", send_notification_to_new_thread: false }
const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "iago"] }] as const

t.test("a message that is moved again and again shows its newest moves", inTurn(2, "often moved"), (t) =>
  withServer(t, { channels }, async (server) => {
    const iago = server.as("iago").must
    const [often, other] = [
      await server.as("hamlet").send("lobby", "first", { topic: "T0" }),
      await server.as("hamlet").send("lobby", "second", { topic: "t0" }),
    ]
    const rounds = 105
    for (let round = 1; round <= rounds; round++)
      await iago.patch(`/messages/${often}`, { ...whole, topic: `t${round}` })
    await server.as("hamlet").must.patch(`/messages/${often}`, { content: "edited" })

    const history = recordsIn((await server.as("cordelia").must.get(`/messages/${often}/history`))["message_history"])
    const topics = Array.from({ length: 100 }, (_, n) => `t${n + 6}`)
    t.same(
      history.map(({ topic }) => topic),
      ["T0", ...topics.slice(1), `t${rounds}`],
      "of 106 changes the newest 100, and how it began",
    )
    t.match(history[0], { content: "first", user_id: server.idOf("hamlet") })
    t.match(history.slice(-2), [{ prev_topic: `t${rounds - 1}` }, { prev_content: "first" }])
    const page = { anchor: "newest", num_before: 10, num_after: 0 }
    const [shown] = recordsIn((await server.as("cordelia").must.get("/messages", page))["messages"])
    const edits = recordsIn(shown?.["edit_history"])
    t.equal(edits.length, 20)
    t.match(edits.slice(0, 2), [{ prev_content: "first" }, { prev_topic: `t${rounds - 1}`, topic: `t${rounds}` }])

    t.match(
      await server.rows("select count(*)::integer as n from message_edit where message_id = $1 and topic is not null", [
        other,
      ]),
      [{ n: 5 }],
    )
    const { message_history } = await server.as("cordelia").must.get(`/messages/${other}/history`)
    t.match(recordsIn(message_history)[0], { topic: "t0" }, "each has its own")

    // The first move had two rows, one for each spelling; 99 of the later ones are still named.
    const kept = "select count(*)::integer as n, coalesce(sum(messages), 0)::integer as names from message_move"
    t.match(await server.rows(kept), [{ n: 100, names: 200 }])
    await iago.delete(`/messages/${often}`)
    t.match(await server.rows(kept), [{ n: 100, names: 100 }], "the other one still names them")
    await iago.delete(`/messages/${other}`)
    t.match(await server.rows(kept), [{ n: 0 }], "a move that no message names goes")
    t.match(await server.rows("select count(*)::integer as n from message_edit"), [{ n: 0 }])
  }),
)

t.test("the earlier spellings of a topic are kept, each with its messages", (t) =>
  withServer(t, { channels }, async (server) => {
    const ids = []
    for (const topic of ["Plans", "plans", "Plans"])
      ids.push(await server.as("hamlet").send("lobby", "text", { topic }))
    await server.rows("update message set topic = 'plans' where id = $1", [ids[1] ?? 0])
    await server.as("iago").must.patch(`/messages/${ids[0]}`, { ...whole, topic: "new" })
    for (const [n, topic] of ["Plans", "plans", "Plans"].entries()) {
      const { message_history } = await server.as("cordelia").must.get(`/messages/${ids[n]}/history`)
      t.match(recordsIn(message_history), [{ topic }, { topic: "new", prev_topic: topic }])
    }
    t.match(await server.rows('select prev_topic, messages from message_move order by prev_topic collate "C"'), [
      { prev_topic: "Plans", messages: 2 },
      { prev_topic: "plans", messages: 1 },
    ])
  }),
)
