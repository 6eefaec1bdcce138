/**
 * Three servers on one PostgreSQL database behind nginx and behind HAProxy, by the files in deploy/. Between the proxy and each of
 * them is another one that cuts connections and closes ports, as the end of a process does.
 */
import t, { type Test } from "tap"
import { type FaultProxy, startProxy } from "../../../src/testing/fault-proxy.ts"
import { type Answer, type Person, personOf } from "../../kit/client.ts"
import { Reader } from "../../kit/reader.ts"
import { adminUrl, until } from "../../kit/test-database.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { withServers } from "../../kit/with-servers.ts"
import { type FrontProxy, type ProxyName, proxies, startFront, without } from "./front-proxy.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia", "iago"] }] as const

interface Place {
  readonly server: TestServer
  readonly fault: FaultProxy
}

interface Stage {
  readonly front: FrontProxy
  readonly places: ReadonlyArray<Place>
  /** Through the front proxy. */
  readonly hamlet: Person
  readonly iago: Person
  /** Answers of an endpoint, such as `DELETE /messages/{message_id:int}`, of all servers, one after the other. */
  readonly answered: (endpoint: string) => Promise<ReadonlyArray<number>>
  /** That which gets what is of no queue. */
  readonly usual: () => Promise<Place>
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((sofar, each) => sofar + each, 0)

const countOf = async ({ origin }: TestServer, endpoint: string): Promise<number> => {
  const figures = await (await fetch(`${origin}/metrics`)).text()
  const lines = figures
    .split("\n")
    .filter((line) => line.startsWith(`parley_http_answers_total{endpoint="${endpoint}",`))
  return sum(lines.map((line) => Number(line.split(" ").at(-1))))
}

/** Its port is closed, and its connections are cut. */
const kill = async ({ fault }: Place): Promise<void> => {
  await fault.refuse()
  fault.cut()
}

interface Change {
  readonly endpoint: string
  readonly ask: () => Promise<Answer>
  /** Whether it shows at another process. */
  readonly isDone: (elsewhere: Person) => Promise<boolean>
}

/**
 * Asks the usual process, which ends when it has done that and not answered. What comes of it: an answer, where another process has
 * given one.
 */
const unanswered = async (
  { usual, places }: Stage,
  ask: Change["ask"],
  isDone: Change["isDone"],
): Promise<Answer | "unanswered"> => {
  const place = await usual()
  const other = places.find((each) => each !== place)
  if (other === undefined) throw new Error("there is one process")
  place.fault.stall("answers")
  // The proxy's own error is no JSON.
  const answer = ask().catch(() => "unanswered" as const)
  await until("it is done", 10_000, () => isDone(other.server.as("hamlet")))
  await kill(place)
  place.fault.resume()
  const came = await answer
  await place.fault.accept()
  return came
}

const onStage = async (t: Test, proxy: ProxyName, body: (stage: Stage) => Promise<void>): Promise<void> =>
  withServers(t, 3, { channels, config: { trustedProxies: ["127.0.0.1"] } }, async (servers) => {
    const places: Array<Place> = []
    for (const server of servers) {
      const fault = await startProxy("127.0.0.1", server.port)
      t.teardown(fault.close)
      places.push({ server, fault })
    }
    const front = await startFront(
      t,
      proxy,
      places.map(({ fault }) => fault.port),
    )
    const [first] = servers
    if (first === undefined) throw new Error("no server")
    const as = (name: "hamlet" | "iago") => personOf(`http://127.0.0.1:${front.port}`, first.as(name).account)
    const answered = (endpoint: string) => Promise.all(servers.map((server) => countOf(server, endpoint)))
    const hamlet = as("hamlet")
    await body({
      front,
      places,
      hamlet,
      iago: as("iago"),
      answered,
      usual: async () => {
        const before = await answered("GET /users/me")
        await hamlet.must.get("/users/me")
        const after = await answered("GET /users/me")
        const found = places[after.findIndex((count, index) => count !== before[index])]
        if (found === undefined) throw new Error("nobody has answered")
        return found
      },
    })
    for (const { fault } of places) await fault.close()
    await front.end()
  })

for (const proxy of proxies) {
  const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : without(proxy)
  const test = (name: string, body: (t: Test, stage: Stage) => Promise<void>) =>
    t.test(`${proxy}: ${name}`, { skip }, (t) => onStage(t, proxy, (stage) => body(t, stage)))

  test("a queue is at one process, by poll and by socket, and goes on at another one", async (t, stage) => {
    const { front, places, hamlet } = stage
    const sizes = () => places.map(({ server }) => server.realm.queues.size())
    const connected = () => places.map(({ server }) => server.realm.queues.countConnected())
    const readers: Array<Reader> = []
    for (let n = 0; n < 12; n++) readers.push(new Reader(hamlet, front.port, await hamlet.must.post("/register")))
    for (const reader of readers) await reader.poll(false)
    await until("each queue is at one", 5_000, () => sum(sizes()) === readers.length)
    t.ok(sizes().filter((size) => size > 0).length > 1, "not all at the same one")
    const before = sizes()
    const sockets: Array<Awaited<ReturnType<Reader["open"]>>> = []
    for (const reader of readers) {
      await reader.poll(false)
      sockets.push(await reader.open())
    }
    t.same(sizes(), before, "each has stayed where it was")
    t.same(connected(), before)

    await hamlet.send("lobby", "to all")
    for (const reader of readers)
      t.match(await reader.until(({ type }) => type === "message"), { message: { content: "to all" } })
    const [dead] = places.filter((_, index) => (before[index] ?? 0) > 0)
    if (dead === undefined) throw new Error("nobody has a queue")
    await kill(dead)
    const cut = dead.server.realm.queues.size()
    await until("its sockets have ended", 5_000, () => dead.server.realm.queues.countConnected() === 0)
    await hamlet.send("lobby", "to all again")
    for (const reader of readers) {
      reader.dropSocket()
      t.match(await reader.until(({ type }) => type === "message"), { message: { content: "to all again" } })
    }
    t.ok(cut > 0)
    for (const socket of sockets) socket.destroy()
  })

  test("a poll whose process ends waits on at another one", async (t, { front, places, hamlet }) => {
    const reader = new Reader(hamlet, front.port, await hamlet.must.post("/register", { event_types: ["message"] }))
    const poll = reader.poll()
    const waits = () => places.findIndex(({ server }) => server.realm.queues.countConnected() === 1)
    await until("it waits", 5_000, () => waits() >= 0)
    const place = places[waits()]
    if (place === undefined) throw new Error("no place")
    await kill(place)
    await until("it waits elsewhere", 10_000, () =>
      places.some((each) => each !== place && each.server.realm.queues.countConnected() === 1),
    )
    await hamlet.send("lobby", "hello")
    t.match(await poll, [{ message: { content: "hello" } }])
  })

  test("what finds a closed port is done by another one", async (t, { hamlet, usual, answered }) => {
    const message = await hamlet.send("lobby", "before")
    await kill(await usual())
    await hamlet.must.patch(`/messages/${message}`, { content: "after" })
    await hamlet.must.put("/bot_storage", { storage: { a: "b" } })
    await hamlet.must.post(`/messages/${message}/reactions`, { emoji_name: "smile" })
    await hamlet.must.delete(`/messages/${message}/reactions`, { emoji_name: "smile" })
    t.equal(sum(await answered("DELETE /messages/{message_id:int}/reactions")), 1)
    t.match(await hamlet.must.get(`/messages/${message}`), { message: { reactions: [] } })
  })

  test("what was done and not answered is not done again, and reads are", async (t, stage) => {
    const { hamlet, iago, answered } = stage
    const [kept, deleted] = [await hamlet.send("lobby", "kept"), await hamlet.send("lobby", "deleted")]
    await hamlet.must.put("/bot_storage", { storage: { gone: "soon" } })
    const storage = async (person: Person) => JSON.stringify((await person.must.get("/bot_storage"))["storage"])
    const changes: ReadonlyArray<Change> = [
      {
        endpoint: "POST /messages",
        ask: () => hamlet.post("/messages", { type: "channel", to: "lobby", topic: "t", content: "new" }),
        isDone: async (person) => {
          const newest = { anchor: "newest", num_before: 1, num_after: 0 }
          return JSON.stringify((await person.must.get("/messages", newest))["messages"]).includes("<p>new</p>")
        },
      },
      {
        endpoint: "PATCH /messages/{message_id:int}",
        ask: () => hamlet.patch(`/messages/${kept}`, { content: "after" }),
        isDone: async (person) => JSON.stringify(await person.must.get(`/messages/${kept}`)).includes("<p>after</p>"),
      },
      {
        endpoint: "PUT /bot_storage",
        ask: () => hamlet.put("/bot_storage", { storage: { put: "here" } }),
        isDone: async (person) => (await storage(person)).includes("put"),
      },
      {
        endpoint: "DELETE /bot_storage",
        ask: () => hamlet.delete("/bot_storage", { keys: ["gone"] }),
        isDone: async (person) => !(await storage(person)).includes("gone"),
      },
      {
        endpoint: "DELETE /messages/{message_id:int}",
        ask: () => iago.delete(`/messages/${deleted}`),
        isDone: async (person) => (await person.get(`/messages/${deleted}`)).status === 400,
      },
    ]
    for (const { endpoint, ask, isDone } of changes) {
      const before = sum(await answered(endpoint))
      t.equal(await unanswered(stage, ask, isDone), "unanswered", endpoint)
      t.equal(sum(await answered(endpoint)) - before, 1, endpoint)
    }
    const endpoint = "GET /users/me/subscriptions"
    const isAsked = async () => sum(await answered(endpoint)) === 1
    t.match(await unanswered(stage, () => hamlet.get("/users/me/subscriptions"), isAsked), { status: 200 })
    t.equal(sum(await answered(endpoint)), 2)
  })
}
