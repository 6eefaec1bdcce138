/**
 * Lists that only their owners see, by one that no capability has: its items are rows of the common table, several are
 * added at once, some fields may be absent, and it has an order. What saved snippets have is tested by them.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import t from "tap"
import { badRequest } from "../../../../src/api/errors.ts"
import { type ItemValue, ownList } from "../../../../src/chat/ground/own-lists/own-list.ts"
import { answerOwn } from "../../../../src/chat/ground/own-lists/own-list-answer.ts"
import { addOwn, readOwn, removeOwn, updateOwn } from "../../../../src/chat/ground/own-lists/own-list-changes.ts"
import { call, done } from "../../../../src/events/command.ts"
import { bytesOf } from "../../../../src/json-pieces.ts"
import { further } from "../../../kit/further.ts"
import { type noteFields, notes, others } from "../../../kit/further-lists.ts"
import { recordsIn } from "../../../kit/records.ts"
import { type Name, type TestServer, withServer } from "../../../kit/with-server.ts"

type Note = ItemValue<typeof noteFields>

const setup = { further }

const callerOf = (server: TestServer, name: Name) => ({
  realm: server.realmId,
  user: server.idOf(name),
  keyVersion: 1,
  client: "test",
  origin: server.origin,
})
const add = (server: TestServer, name: Name, ...values: ReadonlyArray<Note>) =>
  server.run(addOwn(notes, callerOf(server, name), () => Result.succeed(values)))
const update = (server: TestServer, name: Name, id: number, changes: Partial<Note>) => {
  const plan = (before: Note) => () => Result.succeed({ ...before, ...changes })
  return server.run(updateOwn(notes, callerOf(server, name), id, plan))
}
const remove = (server: TestServer, name: Name, id: number) => server.run(removeOwn(notes, callerOf(server, name), id))
const listOf = async (server: TestServer, name: Name) =>
  (await server.run(readOwn(notes, callerOf(server, name))))["test_notes"]

const gone = { status: 404, code: "BAD_REQUEST", msg: "Note does not exist" }

t.test("items are added, changed and removed, and their owner alone hears of it", (t) =>
  withServer(t, setup, async (server) => {
    const [queue, foreign] = [await server.queue("hamlet"), await server.queue("iago")]
    const [first = 0, second = 0] = await add(
      server,
      "hamlet",
      { to: [2, 1], note: "a", topic: "t" },
      { to: [], note: "b" },
    )
    t.equal(second, first + 1, "ids are positions")
    await server.run(addOwn(others, callerOf(server, "hamlet"), () => Result.succeed([{ to: [], note: "other" }])))
    const [one, two] = [
      { test_note_id: first, to: [2, 1], note: "a", topic: "t" },
      { test_note_id: second, to: [], note: "b" },
    ]
    t.same(await listOf(server, "hamlet"), [two, one], "the newest first")
    await update(server, "hamlet", first, { to: [3] })
    await update(server, "hamlet", first, { to: [3] })
    const after = { ...one, to: [3] }
    t.same(await listOf(server, "hamlet"), [after, two])
    await server.run(
      updateOwn(
        notes,
        callerOf(server, "hamlet"),
        first,
        ({ to, note }) =>
          () =>
            Result.succeed({ to, note }),
      ),
    )
    const without = { test_note_id: first, to: [3], note: "a" }
    t.same(await listOf(server, "hamlet"), [without, two], "a field can be taken away")
    await remove(server, "hamlet", second)
    t.same(await listOf(server, "hamlet"), [without])
    const type = "test_notes"
    t.match(await queue.rest(), [
      { type, op: "add", test_notes: [one] },
      { type, op: "add", test_notes: [two] },
      { type: "test_others", op: "add", test_other: { note: "other" } },
      { type, op: "update", test_note: after },
      { type, op: "update", test_note: without },
      { type, op: "remove", test_note_id: second },
    ])
    t.same(await foreign.rest(), [])
    await server.restart()
    t.same(await listOf(server, "hamlet"), [without])
  }),
)

t.test("somebody else's item is refused as one that there is not", (t) =>
  withServer(t, setup, async (server) => {
    const [own = 0] = await add(server, "hamlet", { to: [], note: "a" })
    for (const id of [own, own + 1000, 0]) {
      await t.rejects(update(server, "iago", id, { note: "x" }), gone)
      await t.rejects(update(server, "iago", id, {}), gone)
      await t.rejects(remove(server, "iago", id), gone)
    }
    t.match(await listOf(server, "hamlet"), [{ note: "a" }])
    t.same(await listOf(server, "iago"), [])
  }),
)

t.test("a list has a size, and what comes at once comes whole or not at all", (t) =>
  withServer(t, setup, async (server) => {
    const note = { to: [], note: "a" }
    const full = { status: 400, code: "BAD_REQUEST", msg: "You can have at most 4 notes." }
    await t.rejects(add(server, "hamlet", note, note, note, note, note), full)
    await add(server, "hamlet", note, note)
    await t.rejects(add(server, "hamlet", note, note, note), full)
    t.match(await listOf(server, "hamlet"), { length: 2 })
    await add(server, "hamlet", note, note)
    await t.rejects(add(server, "hamlet", note), full)
    await add(server, "iago", note, note, note, note)
    t.same(await add(server, "hamlet"), [], "nothing is not too much")
    t.match(await listOf(server, "hamlet"), { length: 4 })
  }),
)

t.test("how long all items are together has a limit, counted in bytes; what makes them shorter is taken", (t) =>
  withServer(t, setup, async (server) => {
    const long = { status: 400, code: "BAD_REQUEST", msg: "Your notes are too long together." }
    /** A note that is as long as this as JSON. */
    const sized = (bytes: number, letter = "a") => ({
      to: [],
      note: letter.repeat((bytes - '{"to":[],"note":""}'.length) / Buffer.byteLength(letter)),
    })
    const add = (server: TestServer, name: Name, ...values: ReadonlyArray<Note>) =>
      server.run(addOwn(others, callerOf(server, name), () => Result.succeed(values)))
    const kept = async () =>
      (
        await server.rows("select bytes from own_item where user_id = $1 and noun = 'test_other' order by id", [
          server.idOf("hamlet"),
        ])
      ).map((row) => row["bytes"])
    await add(server, "hamlet")
    await t.rejects(add(server, "hamlet", sized(401)), long)
    await t.rejects(add(server, "hamlet", sized(200), sized(201)), long, "of some at once all count")
    t.same(await kept(), [])
    const [first = 0, second = 0] = await add(server, "hamlet", sized(100), sized(199, "は"), sized(101))
    await t.rejects(add(server, "hamlet", sized(20)), long)
    const put = (id: number, value: ReturnType<typeof sized>) =>
      server.run(updateOwn(others, callerOf(server, "hamlet"), id, () => () => Result.succeed(value)))
    await t.rejects(put(first, sized(101)), long)
    await put(first, sized(99))
    await put(first, sized(100, "b"))
    await put(second, sized(150))
    await add(server, "hamlet", sized(49))
    await t.rejects(put(second, sized(151)), long)
    await server.rows("update own_item set bytes = 1000 where id = $1", [second])
    await put(second, sized(151))
    await add(server, "iago", sized(400))
    t.same(await kept(), [100, 151, 101, 49])
    await server.run(addOwn(notes, callerOf(server, "hamlet"), () => Result.succeed([sized(401)])))
  }),
)

t.test("changes at once are made one from the other; what a plan refuses is not made", (t) =>
  withServer(t, setup, async (server) => {
    const [id = 0] = await add(server, "hamlet", { to: [], note: "a" })
    const grow = (n: number) =>
      updateOwn(
        notes,
        callerOf(server, "hamlet"),
        id,
        (before) => () => Result.succeed({ ...before, to: [...before.to, n] }),
      )
    await Promise.all(Array.from({ length: 8 }, (_, n) => server.run(grow(n))))
    t.match(await listOf(server, "hamlet"), [{ to: { length: 8 } }], "none is lost")
    const caller = callerOf(server, "hamlet")
    const refusal = () => Result.fail(badRequest("not now"))
    await t.rejects(server.run(updateOwn(notes, caller, id, () => refusal)), { code: "BAD_REQUEST", msg: "not now" })
    await t.rejects(server.run(addOwn(notes, caller, refusal)), { code: "BAD_REQUEST", msg: "not now" })
    t.match(await listOf(server, "hamlet"), { length: 1 })
  }),
)

t.test("the whole list is answered in its own order", (t) =>
  withServer(t, setup, async (server) => {
    await add(
      server,
      "hamlet",
      { to: [], note: "a", rank: 3 },
      { to: [], note: "b", rank: 1 },
      { to: [], note: "c", rank: 1 },
    )
    const answer = async (name: Name) => {
      const reply = await server.run(answerOwn(notes, callerOf(server, name), (count) => ({ count })))
      return reply._tag === "Text" ? JSON.parse(`{${reply.members.join(",")}}`) : reply
    }
    const of = (note: string) => ({ to: [], note })
    t.match(await answer("hamlet"), { count: 3, test_notes: [of("b"), of("c"), of("a")] })
    t.same(await answer("iago"), { count: 0, test_notes: [] })
  }),
)

t.test("a register that is taken under the lock has the list, too", (t) =>
  withServer(t, setup, async (server) => {
    await add(server, "hamlet", { to: [], note: "a" })
    const { stored, storedOf = "" } = notes.section
    const args = { user_id: server.idOf("hamlet"), sections: { test_notes: [stored, storedOf] } }
    const judge = () => call("register_state_v2", args, true, (outcome) => done(Object(outcome)))
    const { values } = await server.run(server.realm.writer.submit({ judge }))
    t.match(values, { test_notes: [{ note: "a" }] })
  }),
)

t.test("a register has no more of a list than a megabyte, the newest changes", (t) =>
  withServer(t, setup, async (server) => {
    const note = "x".repeat(400_000)
    const ids = await add(server, "hamlet", { to: [], note }, { to: [], note }, { to: [], note }, { to: [], note: "d" })
    const [first = 0] = ids
    await update(server, "hamlet", first, { note: note.toUpperCase() })
    const listed = recordsIn(await listOf(server, "hamlet"))
    t.same(
      listed.map(({ test_note_id }) => test_note_id),
      [first, ids[3], ids[2]],
    )
    const reply = await server.run(answerOwn(notes, callerOf(server, "hamlet")))
    if (reply._tag !== "Text") throw new Error("the list is not in pieces")
    t.ok(reply.reservation, "a large answer waits for room")
    reply.reservation?.leave()
    const text = reply.members.map((each) =>
      typeof each === "string" ? each : Buffer.concat(each.map(bytesOf)).toString(),
    )
    t.equal(recordsIn(JSON.parse(`{${text.join(",")}}`)["test_notes"]).length, 4)
  }),
)

t.test("a field that would hide what rows say besides is a mistake", async (t) => {
  const withField = (name: string) => () =>
    ownList({
      type: "test_marks",
      noun: "test_mark",
      idKey: "mark_id",
      addsList: false,
      fields: { [name]: Schema.String },
      most: 4,
      refusals: { gone: "", full: "" },
    })
  for (const name of ["op", "id", "version", "based_on", "mark_id"])
    t.throws(withField(name), new RegExp(`field ${name}:`))
  t.doesNotThrow(withField("text"))
})
