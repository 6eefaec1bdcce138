/** Requests are begun a few milliseconds' worth in a turn of the loop, and in turns by sender. */
import * as Effect from "effect/Effect"
import t from "tap"
import type { WholeBody } from "../../../src/http/bodies/request-bodies.ts"
import { RequestTurns } from "../../../src/http/entrance/request-turns.ts"
import type { RequestSender } from "../../../src/http/senders/request-sender.ts"
import { bodyOf, RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { basic, form, goodKey, startFixture, until } from "../http-fixture.ts"

/** Turns in the test's hand: each request takes so many milliseconds to begin. */
const stage = (milliseconds: number) => {
  const begun: Array<string> = []
  const tasks: Array<() => void> = []
  let now = 0
  const elapsed = () => {
    now += 1e-6
    return now
  }
  const turns = new RequestTurns({ defer: (task) => void tasks.push(task), elapsed })
  const enter = (name: string, sender: RequestSender, body?: WholeBody, isReturn = false) =>
    turns.enter({
      body,
      sender: () => sender,
      isReturn: () => isReturn,
      guard: (task) => task(),
      begin: () => {
        begun.push(name)
        now += milliseconds
      },
    })
  const turn = () => {
    for (const task of tasks.splice(0)) task()
    return begun.splice(0)
  }
  const pass = (time: number) => {
    now += time
  }
  return { begun, tasks, enter, turn, pass }
}

const account = (who: string): RequestSender => ({ who, isAccount: true })
const stranger = (who: string): RequestSender => ({ who, isAccount: false })

/** Turns until nobody waits. */
const rest = ({ tasks, turn }: ReturnType<typeof stage>) => {
  const turns: Array<ReadonlyArray<string>> = []
  while (tasks.length > 0) turns.push(turn())
  return turns
}

t.test("what does not fit into a turn is begun in later ones, one sender after the other", async (t) => {
  const all = stage(2)
  const { begun, tasks, enter, turn } = all
  for (const name of ["a1", "a2", "a3", "a4", "a5"]) enter(name, account("a"))
  enter("b1", account("b"))
  for (const name of ["x1", "y1"]) enter(name, stranger(name))
  enter("b2", account("b"))
  t.strictSame(begun.splice(0), ["a1", "a2"])
  t.strictSame(turn(), ["a3", "x1"], "those who ask seldom, then the others")
  enter("c1", account("c"))
  t.strictSame(begun, [], "whoever comes while others wait waits too")
  t.strictSame(rest(all), [["b1", "a4"], ["c1", "y1"], ["b2"], ["a5"], []], "and before those who have had their turn")
  t.equal(tasks.length, 0, "and nothing runs when nobody asks")
  enter("d1", account("d"))
  t.strictSame(begun, ["d1"])
})

t.test("who asks seldom goes before those who ask all the time", async (t) => {
  const all = stage(4)
  const { begun, enter, turn, pass } = all
  for (const name of ["a1", "a2", "b1", "b2", "c1"]) enter(name, account(name.charAt(0)))
  t.same([begun.splice(0), turn(), turn()], [["a1"], ["a2"], ["b1", "b2"]], "all are new")
  for (const name of ["b3", "x1"]) enter(name, name === "x1" ? stranger(name) : account("b"))
  t.same(rest(all), [["c1", "b3"], ["x1"], []], "and those who ask all the time get a part of each turn")
  pass(300)
  enter("e0", account("e"))
  for (const name of ["x2", "a4"]) enter(name, name === "x2" ? stranger(name) : account("a"))
  t.same([begun.splice(0), rest(all)], [["e0"], [["a4", "x2"], []]], "after a while a is one who asks seldom")
})

t.test("whoever does something goes before the many who return", async (t) => {
  const all = stage(4)
  const { begun, enter, turn, pass } = all
  const returns = (name: string) => enter(name, account(name.charAt(0)), undefined, true)
  for (const name of ["a1", "b1", "c1", "c2"]) returns(name)
  for (const name of ["d1", "d2", "e1"]) enter(name, account(name.charAt(0)))
  t.same([begun.splice(0), turn()], [["a1"], ["d1", "d2", "b1"]], "each line has a part of the turn")
  for (const name of ["d3", "c3"]) enter(name, account(name.charAt(0)))
  t.same(rest(all), [["e1", "d3", "c1"], ["c3", "c2"], []], "and none is lost")
  pass(300)
  t.same(turn(), [])
})

t.test("short requests are begun at once, however many", async (t) => {
  const { begun, enter } = stage(0.001)
  for (let n = 0; n < 3000; n++) enter(`${n}`, account("a"))
  t.equal(begun.length, 3000)
})

t.test("bodies are kept while their requests wait, and given back", async (t) => {
  const { begun, enter, turn } = stage(4)
  const said: Array<string> = []
  const body = (name: string, fits: boolean): WholeBody => ({
    bytes: () => new Uint8Array(0),
    keep: ({ who }) => {
      said.push(`${name} of ${who} kept: ${fits}`)
      return fits
    },
    release: () => void said.push(`${name} released`),
  })
  enter("first", account("a"), body("first", true))
  enter("second", account("a"), body("second", true))
  enter("third", account("a"), body("third", false))
  t.strictSame(begun.splice(0), ["first"])
  t.strictSame([turn(), turn()], [["second"], []])
  t.strictSame(said, ["first released", "second of a kept: true", "third of a kept: false", "second released"])
})

t.test("a server begins them in turns, with the bodies that they came with", async (t) => {
  const server = await startFixture({ knowsAll: true })
  t.teardown(server.stop)
  const people = [...Array.from({ length: 30 }, () => "hamlet@example.org"), "cordelia@example.org"]
  const connections = people.map(() => new RawConnection(server.port))
  // All are connected before the first asks, so that their requests come in one turn.
  for (const connection of connections) {
    connection.write(requestBytes({ path: "/api/v1/open" }))
    t.equal((await connection.next())?.status, 200)
  }
  const asking = (email: string, note: string) =>
    requestBytes({
      method: "POST",
      path: "/api/v1/busy",
      headers: { ...form, Authorization: basic(email, goodKey) },
      body: `note=${note}`,
    })
  const notes = people.map((_, n) => `note-${n}-${"x".repeat(n)}`)
  for (const [n, email] of people.entries()) connections[n]?.write(asking(email, notes[n] ?? ""))
  const answers = await Promise.all(connections.map(async (connection) => bodyOf(await connection.next())["note"]))
  t.strictSame(answers, notes)
  const before = server.stage.begun.indexOf(8)
  t.ok(before < 15, `the other account's one request was begun after ${before} of 30`)

  server.stage.begun.length = 0
  const leaving = connections.slice(0, 10)
  for (const connection of leaving) connection.write(asking("hamlet@example.org", "gone"))
  await until(() => server.stage.begun.length > 0)
  for (const connection of leaving) connection.destroy()
  const stays = connections[30]
  stays?.write(asking("cordelia@example.org", "still here"))
  t.equal(bodyOf(await stays?.next())["note"], "still here")
  t.ok(server.stage.begun.length < 11, `${server.stage.begun.length} were begun: not those whose clients had left`)
  t.strictSame(server.stage.defects, [])
  for (const connection of connections) connection.destroy()
})

t.test("each bot has turns of its own for what other services tell it", async (t) => {
  const server = await startFixture({ knowsAll: true })
  t.teardown(server.stop)
  const bots = [...Array.from({ length: 30 }, () => 3), 4]
  const connections = bots.map(() => new RawConnection(server.port))
  for (const connection of connections) {
    connection.write(requestBytes({ path: "/api/v1/open" }))
    t.equal((await connection.next())?.status, 200)
  }
  for (const [n, bot] of bots.entries())
    connections[n]?.write(
      requestBytes({
        method: "POST",
        path: `/api/v1/told?api_key=${`${bot}`.repeat(32)}&note=${n}`,
        headers: { "Content-Type": "application/json" },
        body: "{}",
      }),
    )
  const answers = await Promise.all(connections.map(async (connection) => bodyOf(await connection.next())["note"]))
  t.strictSame(
    answers,
    bots.map((_, n) => `${n}`),
  )
  const before = server.stage.begun.indexOf(4)
  t.ok(before < 15, `the other bot's one request was begun after ${before} of 30`)
  const [first] = connections
  first?.write(requestBytes({ method: "POST", path: `/api/v1/told?api_key=${"x".repeat(32)}&note=1` }))
  t.equal((await first?.next())?.status, 401)
  for (const connection of connections) connection.destroy()
})

t.test("a request whose sender cannot be found out while it waits is answered, and is over", async (t) => {
  const server = await startFixture({ knowsAll: true })
  t.teardown(server.stop)
  const connect = async () => {
    const connection = new RawConnection(server.port)
    connection.write(requestBytes({ path: "/api/v1/open" }))
    t.equal((await connection.next())?.status, 200)
    return connection
  }
  const busy = await Promise.all(Array.from({ length: 10 }, connect))
  const broken = await Promise.all([connect(), connect(), connect()])
  const asking = { method: "POST", path: "/api/v1/busy", headers: form, body: "note=x" }
  for (const connection of busy) connection.write(requestBytes(asking))
  await until(() => server.stage.begun.length > 0)
  const headers = { ...form, Authorization: basic("broken@example.org", goodKey) }
  broken[0]?.write(requestBytes({ path: "/api/v1/echo", headers }))
  broken[1]?.write(requestBytes({ ...asking, headers }))
  const host = "chat.example.org"
  const key = Buffer.from("x".repeat(16)).toString("base64")
  const upgrade = {
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": key,
  }
  broken[2]?.write(
    requestBytes({
      path: "/api/v1/events/ws?queue_id=1&last_event_id=-1",
      headers: { ...headers, ...upgrade, Host: host },
    }),
  )
  const answers = await Promise.all(broken.map((connection) => connection.next()))
  t.same(
    answers.map((answer) => answer?.status),
    [500, 500, 500],
  )
  t.equal(server.stage.defects.length, 3)
  await Promise.all(busy.map((connection) => connection.next()))
  await Effect.runPromise(server.drain())
  for (const connection of [...busy, ...broken]) connection.destroy()
})
