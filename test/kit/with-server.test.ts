/** The kit itself: it finds each kind of leak, and each fault of `server.faults` does what it says. */
import { once } from "node:events"
import { connect, createServer } from "node:net"
import { Worker } from "node:worker_threads"
import t from "tap"
import { EventChain } from "../../src/events/event-chain.ts"
import { Queue, type QueueConnection } from "../../src/events/queue.ts"
import { QueueId, WireId } from "../../src/ids.ts"
import { watchLeaks } from "./leaks.ts"
import { until } from "./test-database.ts"
import { type TestServer, withServer } from "./with-server.ts"

const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const

const inert: QueueConnection = { kind: "socket", waits: true, send: () => "open", end: () => {} }

/** Each function leaves something open and answers a function that closes it. `queue`: a queue of the server. */
const plants: Readonly<Record<string, (server: TestServer, queue: Queue) => Promise<() => unknown>>> = {
  // First: looking for leaks drains the server, which then takes no requests.
  "a request that is still worked on": async (server) => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let asked = false
    server.faults.slow("password_hash", () => {
      asked = true
      return gate
    })
    const answer = server.anonymous("POST", "/fetch_api_key", { username: "hamlet@test.example", password: "x" })
    await until("the database is asked", 10_000, () => asked)
    return async () => {
      open()
      await answer
    }
  },
  "TCPSocketWrap more": async () => {
    const listener = createServer().listen(0, "127.0.0.1").unref()
    await once(listener, "listening")
    const address = listener.address()
    const socket = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
    await once(socket, "connect")
    return () => {
      socket.destroy()
      listener.close()
    }
  },
  "Timeout more": async () => {
    const timer = setInterval(() => {}, 3_600_000)
    return () => clearInterval(timer)
  },
  "MessagePort more": async () => {
    const worker = new Worker("setInterval(() => {}, 3_600_000)", { eval: true })
    await once(
      worker.on("message", () => {}),
      "online",
    )
    return () => worker.terminate()
  },
  "timers on the server's clock": async ({ clock }) => clock.every(1_000, () => {}).cancel,
  "connections of queues": async (server, queue) => {
    server.realm.queues.attach(queue, inert, queue.spec.start)
    return () => server.realm.queues.detach(queue, inert)
  },
  "live queues of realm 1 that the server does not hold": async (server, { spec }) => {
    const { hub } = server.realm
    const root = EventChain.root()
    const stray = (n: number) => {
      const host = {
        root: () => root,
        pendingEvents: 10,
        pendingBytes: 1000,
        wake: () => {},
        read: () => {},
        turnedLive: () => {},
        fellBehind: () => {},
      }
      return new Queue({ ...spec, id: QueueId(`stray ${n}`) }, host, WireId(-1))
    }
    // One more than the server holds: only the numbers of held and of live queues are compared.
    const strays = Array.from({ length: server.realm.queues.size() + 1 }, (_, n) => stray(n))
    for (const queue of strays) hub.enter(queue)
    return () => {
      for (const queue of strays) hub.leave(queue)
    }
  },
}

t.test("each kind of leak is found", (t) =>
  withServer(t, { channels }, async (server) => {
    const { queueId } = await server.queue("hamlet", { event_types: ["message"] })
    const queue = await server.run(server.realm.queues.require(server.idOf("hamlet"), queueId))
    for (const [what, plant] of Object.entries(plants)) {
      const leaks = watchLeaks(server.clock, 50)
      const uproot = await plant(server, queue)
      const left = await leaks.find(server.app)
      t.ok(
        left.some((each) => each.includes(what)),
        `${what}: ${left}`,
      )
      await uproot()
    }
  }),
)
