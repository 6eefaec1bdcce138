/** Commands as lists of steps: refusals, guards, atomicity, and the answers that requesters get. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import t from "tap"
import { badRequest } from "../../src/api/errors.ts"
import { realmUserRows } from "../../src/chat/ground/kinds/realm-user-row.ts"
import { Realms } from "../../src/chat/ground/realm/realms.ts"
import { savedSnippets } from "../../src/chat/personal/saved-snippets/saved-snippet-event.ts"
import { readAboutMessage } from "../../src/chat/reading/history/message-access.ts"
import { readOutcome } from "../../src/chat/sending/messages/send-outcome.ts"
import { toRealm } from "../../src/events/audience.ts"
import { change, done, type Judgement, readRefusal, refused } from "../../src/events/command.ts"
import { tellTogether } from "../../src/events/step.ts"
import { UserId } from "../../src/ids.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"

/** The exit of a command: its answer, failure or defect. */
const exitOf = async <A>(server: TestServer, judgement: Judgement<A>) => {
  const realms = await server.run(Realms)
  return server.run(Effect.exit(realms.submit(server.realmId, { judge: () => judgement })))
}
const snippets = async (server: TestServer): Promise<unknown> =>
  (await server.as("hamlet").must.get("/saved_snippets"))["saved_snippets"]

t.test("a command's first row may be refused, and the word of the refusal selects the answer", (t) =>
  withServer(t, {}, async (server) => {
    const user = server.idOf("hamlet")
    const before = server.realm.realm.position
    const gone = savedSnippets.removed(user, 1)
    const told = await exitOf(
      server,
      change<string>([gone], { answer: () => "removed", refused: { gone: refused(badRequest("it is gone")) } }),
    )
    t.match(JSON.stringify(told), /it is gone/)
    t.match(await exitOf(server, change([gone], { answer: () => "", refused: { gone: done("none") } })), {
      value: "none",
    })
    t.equal(server.realm.realm.position, before, "no row is written")
  }),
)

t.test("a refusal without an answer fails only its own command", (t) =>
  withServer(t, {}, async (server) => {
    const user = server.idOf("hamlet")
    const gone = savedSnippets.removed(user, 1)
    const added = (title: string) => savedSnippets.added(user, [{ title, content: "c" }])
    const exits = await Promise.all([
      exitOf(server, change(added("one"))),
      exitOf(server, change([gone])),
      exitOf(server, change(added("two"))),
    ])
    t.same(exits.map(Exit.isSuccess), [true, false, true], "those beside it are told what became of them")
    t.ok(exits[1] !== undefined && Exit.hasDies(exits[1]), "it does not look done")
    t.match(await snippets(server), [{ title: "one" }, { title: "two" }])
  }),
)

t.test("a refusal after the first step undoes its whole command, and no other command", (t) =>
  withServer(t, {}, async (server) => {
    const user = server.idOf("hamlet")
    const added = (title: string) => savedSnippets.added(user, [{ title, content: "c" }])
    const gone = savedSnippets.removed(user, 1)
    const exits = await Promise.all([
      exitOf(server, change([...added("half"), gone], { answer: () => undefined, refused: { gone: done(undefined) } })),
      exitOf(server, change([...added("whole"), ...added("two")])),
    ])
    t.same(exits.map(Exit.isSuccess), [false, true])
    t.match(await snippets(server), [{ title: "whole" }, { title: "two" }])
  }),
)

t.test("a guard that refuses prevents every step", (t) =>
  withServer(t, { channels: [{ name: "lobby", users: ["hamlet"] }] }, async (server) => {
    await server.as("hamlet").send("lobby", "in a named topic")
    const user = server.idOf("hamlet")
    const guard = { fn: "refuse_named_topics_v1", args: { channel_id: 1 } }
    const rows = savedSnippets.added(user, [{ title: "t", content: "c" }])
    const asked = change(rows, { answer: () => "written", guard, refused: { named_topics: done("refused") } })
    t.match(await exitOf(server, asked), { value: "refused" })
    t.same(await snippets(server), [])
  }),
)

t.test("a row that no table follows cannot be made to change something", (t) =>
  withServer(t, {}, async (server) => {
    const user_id = server.idOf("hamlet")
    const row = realmUserRows.change({ op: "update", user_id, delivery_email: null }, toRealm)
    t.notOk(Exit.isSuccess(await exitOf(server, change([row]))))
    t.equal((await server.as("hamlet").get("/users/me")).status, 200, "and nobody is deactivated by it")
    t.same((await server.rows("select from role_span where user_id = $1 and closed is not null", [user_id])).length, 0)
  }),
)

t.test("a payload with an unknown field is not written", async (t) => {
  const snippet = { title: "t", content: "c" }
  t.throws(() => savedSnippets.added(UserId(1), [Object.assign({ surplus: 1 }, snippet)]), /surplus/)
})

t.test("what a register reads under the lock is not kept with its commit", (t) =>
  withServer(t, {}, async (server) => {
    await server.as("hamlet").must.post("/saved_snippets", { title: "a secret title", content: "c" })
    const realms = await server.run(Realms)
    const sections = { saved_snippets: ["section_saved_snippets_v1"] }
    const read = await server.run(
      realms.submit(server.realmId, {
        judge: () => ({
          _tag: "Call" as const,
          call: { fn: "register_state_v2", args: { user_id: server.idOf("hamlet"), sections } },
          changesRules: true,
          read: (outcome) => done(JSON.stringify(outcome)),
        }),
      }),
    )
    t.match(read, /a secret title/)
    const kept = await server.rows("select outcomes from commit_outcome where outcomes like '%head%'")
    t.equal(kept.length, 1)
    t.notMatch(JSON.stringify(kept), /secret/)
  }),
)

t.test("a word of refusal that nobody knows is neither success nor another refusal", async (t) => {
  const words = { gone: "it is gone" }
  t.equal(readRefusal({ refused: "gone" }, words), "it is gone")
  t.equal(readRefusal({ positions: [1] }, words), undefined)
  for (const word of ["else", "toString", 1, null]) t.throws(() => readRefusal({ refused: word }, words), /ended in/)
  t.throws(() => readOutcome({ refused: "else" }), /ended in/, "a send")
  t.throws(() => readOutcome({}), /ended in/, "a send without an id")
  t.match(readOutcome({ refused: "conflict" }), { _tag: "Refused" })
  t.throws(() => readAboutMessage({})({ refused: "else" }), /ended in/, "a row about a message")
})

t.test("what is told together changes nothing: a row that does is refused where it is made", async (t) => {
  const user_id = UserId(1)
  const told = realmUserRows.tell({ op: "update", user_id, is_active: false }, toRealm)
  const changing = realmUserRows.change({ op: "update", user_id, is_active: false }, toRealm)
  t.same(tellTogether([told]), [told], "one is a step of its own")
  t.match(tellTogether([told, told]), [{ fn: "tell_rows_v1", calls: [told, told] }])
  for (const rows of [[changing], [told, changing]])
    t.throws(() => tellTogether(rows), { message: "a row that changes something" })
})
