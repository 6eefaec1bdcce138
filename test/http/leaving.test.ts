/** How a server leaves: it serves on and says that it leaves, and whoever sends requests by kept connections loses none. */
import * as Effect from "effect/Effect"
import t from "tap"
import { ask, bodyOf, KeptConnections, RawConnection, requestBytes } from "../kit/raw-http.ts"
import { form, hamlet, startFixture, until } from "./http-fixture.ts"

const ready = () => ({ status: 200, body: '{"status":"ready"}' })
const startServer = (leaveSeconds = 5) => startFixture({ config: { leaveSeconds }, plain: { "/ready": ready } })

const readyOf = async (port: number) => {
  const answer = await ask(port, { path: "/ready" })
  return answer === undefined ? null : { status: answer.status, body: bodyOf(answer) }
}

/** Lets the time pass for which it leaves, and the second after its port is closed. */
const endLeaving = async ({ clock }: Awaited<ReturnType<typeof startServer>>) => {
  const timers = clock.pending()
  clock.advance(5000)
  await until(() => clock.pending() === timers)
  clock.advance(1000)
}

t.test("a server that leaves serves all that comes, until its time is over; then it drains", async (t) => {
  const server = await startServer()
  t.teardown(server.stop)
  const { port, stage, clock } = server
  t.match(await readyOf(port), { status: 200 })
  const [early, holding] = [new RawConnection(port), new RawConnection(port)]
  early.write(requestBytes({ path: "/health" }))
  t.notOk((await early.next())?.headers.has("connection"))
  holding.write(requestBytes({ path: "/api/v1/hold", headers: hamlet }))
  await until(() => stage.held.length === 1)

  const timers = clock.pending()
  let hasLeft = false
  const left = Effect.runPromise(server.leave(false)).then(() => {
    hasLeft = true
  })
  await until(() => clock.pending() > timers)
  t.match(await readyOf(port), { status: 503, body: { status: "this server leaves, and serves until it has left" } })
  t.match(await ask(port, { path: "/health" }), { status: 200 }, "new connections are taken")
  t.match(await ask(port, { method: "POST", path: "/api/v1/echo", headers: form, body: "a=1" }), { status: 200 })
  early.write(requestBytes({ path: "/api/v1/echo", headers: hamlet }))
  t.match(await early.next(), { status: 200 }, "those that were there, too")
  await early.closed
  const late = new RawConnection(port)
  late.write(requestBytes({ path: "/api/v1/hold", headers: hamlet }))
  await until(() => stage.held.length === 2)
  clock.advance(4999)
  t.match(await ask(port, { path: "/api/v1/echo", headers: hamlet }), { status: 200 })
  t.notOk(hasLeft || holding.isOver || late.isOver, "polls are held on")

  const [last, idle] = [new RawConnection(port), new RawConnection(port)]
  await ask(port, { path: "/health" })
  clock.advance(1)
  while ((await readyOf(port)) !== null);
  last.write(requestBytes({ path: "/api/v1/echo", headers: hamlet }))
  t.match(await last.next(), { status: 200 }, "no new connection is taken, and who was there already is served")
  clock.advance(999)
  t.notOk(hasLeft)
  clock.advance(1)
  await left
  await Effect.runPromise(server.drain())
  idle.write(requestBytes({ path: "/api/v1/echo", headers: hamlet }))
  t.match(await idle.next(), { status: 503 }, "who comes on one that is open still")
  for (const reply of stage.held.splice(0)) reply.send(Buffer.from("{}"))
  t.equal((await holding.next())?.headers.get("connection"), "close")
  t.equal((await late.next())?.headers.get("connection"), "close")
})

t.test("a server that drains at once is not ready either", async (t) => {
  const server = await startServer(0)
  t.teardown(server.stop)
  const kept = new RawConnection(server.port)
  kept.write(requestBytes({ path: "/ready" }))
  t.match(await kept.next(), { status: 200 })
  await Effect.runPromise(server.drain())
  kept.write(requestBytes({ path: "/ready" }))
  t.match(await kept.next(), { status: 503 })
})

t.test("one whose port is served by another takes no new connection, and the port stays ready", async (t) => {
  const server = await startServer()
  t.teardown(server.stop)
  const kept = [new RawConnection(server.port), new RawConnection(server.port)] as const
  for (const each of kept) {
    each.write(requestBytes({ path: "/health" }))
    await each.next()
  }
  const timers = server.clock.pending()
  const left = Effect.runPromise(server.leave(true))
  await until(() => server.clock.pending() > timers)
  t.equal(await ask(server.port, { path: "/health" }), undefined, "in a family another process answers here")
  kept[0].write(requestBytes({ path: "/ready" }))
  const answer = await kept[0].next()
  t.match(answer, { status: 200 })
  t.equal(answer?.headers.get("connection"), "close")
  await endLeaving(server)
  await left
  await Effect.runPromise(server.drain())
  kept[1].write(requestBytes({ path: "/ready" }))
  t.match(await kept[1].next(), { status: 200 })
})

t.test("no request fails that is sent by kept connections to one that leaves, and then to another", async (t) => {
  const [leaver, other] = [await startServer(), await startServer()]
  t.teardown(leaver.stop)
  t.teardown(other.stop)
  const pools = new Map([leaver, other].map(({ port }) => [port, new KeptConnections(port)]))
  t.teardown(() => {
    for (const pool of pools.values()) pool.close()
  })
  /** As a proxy that asks from time to time which servers are ready. */
  let chosen = leaver.port
  const served = new Map<number, number>()
  let [atLeaver, isOver] = [0, false]
  const faults: Array<string> = []
  const send = async (sender: number): Promise<void> => {
    for (let n = 0; !isOver; n++) {
      const port = chosen
      const body = `note=${sender}-${n}`
      atLeaver += port === leaver.port ? 1 : 0
      const answer = await pools.get(port)?.ask({ method: "POST", path: "/api/v1/echo", headers: form, body })
      if (answer?.status !== 200) faults.push(`${body}: ${answer?.status ?? "cut"}`)
      atLeaver -= port === leaver.port ? 1 : 0
      served.set(port, (served.get(port) ?? 0) + 1)
    }
  }
  const senders = Array.from({ length: 8 }, (_, sender) => send(sender))
  const servedBy = (port: number) => served.get(port) ?? 0
  await until(() => servedBy(leaver.port) > 300)

  const timers = leaver.clock.pending()
  const before = servedBy(leaver.port)
  const gone = Effect.runPromise(Effect.andThen(leaver.leave(false), leaver.drain()))
  await until(() => leaver.clock.pending() > timers)
  await until(() => servedBy(leaver.port) > before + 300)
  t.match(await readyOf(leaver.port), { status: 503 })
  chosen = other.port
  await until(() => servedBy(other.port) > 300 && atLeaver === 0)
  await endLeaving(leaver)
  await gone
  await leaver.stop()
  const after = servedBy(other.port)
  await until(() => servedBy(other.port) > after + 300)
  isOver = true
  await Promise.all(senders)
  t.same(faults, [], `of ${servedBy(leaver.port)} and ${servedBy(other.port)} requests`)
})
