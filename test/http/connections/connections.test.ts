/** Connections are counted before anything of them is read: in all, and the new ones of an address. */
import t from "tap"
import { makeClientAddresses } from "../../../src/http/connections/client-address.ts"
import { makeConnectionAdmission } from "../../../src/http/connections/connections.ts"
import { mostConnections, openFileLimit } from "../../../src/http/connections/file-limit.ts"
import { manualClock } from "../../kit/manual-clock.ts"
import { RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { connect } from "../../kit/socket-client.ts"
import { hamlet, startFixture, testConfig, until } from "../http-fixture.ts"

t.test("the number in all leaves the program its files", async (t) => {
  t.equal(mostConnections(50_000, Number.POSITIVE_INFINITY), 50_000)
  t.equal(mostConnections(50_000, 1_048_576), 50_000)
  t.equal(mostConnections(50_000, 20_000), 19_000)
  t.equal(mostConnections(50_000, 1024), 768)
  t.equal(mostConnections(100, 1024), 100)
  t.ok(openFileLimit() > 100)
})

const admission = (most: number, rateLimit = true) => {
  const clock = manualClock()
  const refusals: Array<string> = []
  const config = testConfig({ rateLimit }, { connectionsPerAddress: 40 })
  const note = (limit: string, who: string) => void refusals.push(`${limit}: ${who}`)
  const addresses = makeClientAddresses(["10.0.0.0/8"])
  return {
    clock,
    refusals,
    ...makeConnectionAdmission(clock, config, addresses, { note, counts: () => new Map() }, most),
  }
}

t.test("so many new ones of an address within ten seconds", async (t) => {
  const { admits, clock, refusals } = admission(1000)
  for (let open = 1; open <= 40; open++) t.ok(admits("192.0.2.1", open))
  t.notOk(admits("192.0.2.1", 41))
  t.strictSame(refusals, ["connections of an address: 192.0.2.1"])
  t.ok(admits("192.0.2.2", 41), "another address")
  for (let open = 1; open <= 100; open++) t.ok(admits("10.1.1.1", open), "a trusted proxy brings everybody's")
  clock.advance(9999)
  t.notOk(admits("192.0.2.1", 1))
  clock.advance(1)
  t.ok(admits("192.0.2.1", 1))
  const unlimited = admission(1000, false)
  for (let open = 1; open <= 100; open++) t.ok(unlimited.admits("192.0.2.1", open), "limits are off")
})

t.test("in all, with the last tenth for those who open few", async (t) => {
  const { admits, isCrowded, refusals } = admission(100)
  for (let open = 1; open <= 30; open++) t.ok(admits("192.0.2.1", open))
  t.notOk(isCrowded(90))
  t.ok(isCrowded(91))
  t.notOk(admits("192.0.2.1", 91), "who has opened many gets none of the last")
  for (const open of [92, 93]) t.ok(admits("192.0.2.2", open))
  t.notOk(admits("192.0.2.2", 94))
  t.ok(admits("192.0.2.3", 100))
  t.notOk(admits("192.0.2.4", 101))
  t.notOk(admits("10.1.1.1", 101), "a proxy too")
  t.ok(admits("127.0.0.1", 116), "this machine has a few of its own")
  t.notOk(admits("127.0.0.1", 117))
  t.strictSame(refusals, [
    "connections of an address: 192.0.2.1",
    "connections of an address: 192.0.2.2",
    "connections in all: 192.0.2.4",
    "connections in all: 10.1.1.1",
    "connections in all: 127.0.0.1",
  ])
})

const health = requestBytes({ path: "/health" })

t.test("a connection too many is closed before its request is read", async (t) => {
  const server = await startFixture({ config: { rateLimit: true }, limits: { connectionsPerAddress: 5 } })
  t.teardown(server.stop)
  const open = Array.from({ length: 5 }, () => new RawConnection(server.port))
  for (const connection of open) {
    connection.write(health)
    t.equal((await connection.next())?.status, 200)
  }
  const surplus = new RawConnection(server.port)
  surplus.write(requestBytes({ method: "POST", path: "/api/v1/gate", headers: hamlet }))
  t.equal(await surplus.next(), undefined)
  t.strictSame(server.stage.gates, [])
  t.strictSame(server.stage.refusals, ["connections of an address: 127.0.0.1"])
  open[0]?.write(health)
  t.equal((await open[0]?.next())?.status, 200, "those that are open go on")
  server.clock.advance(10_000)
  const later = new RawConnection(server.port)
  later.write(health)
  t.equal((await later.next())?.status, 200)
  for (const connection of [...open, later]) connection.destroy()
})

t.test("requests, sockets and idle connections count until they end, however they end", async (t) => {
  // This machine has 16 more.
  const server = await startFixture({ limits: { connectionsInAll: 4 } })
  t.teardown(server.stop)
  const { port, stage } = server
  for (let round = 0; round < 3; round++) {
    const fresh = Array.from({ length: 5 }, () => new RawConnection(port))
    const idle = Array.from({ length: 5 }, () => new RawConnection(port))
    for (const connection of idle) {
      connection.write(health)
      t.equal((await connection.next())?.headers.get("connection"), "close", "who has not signed in keeps none")
      await connection.closed
    }
    const held = Array.from({ length: 5 }, () => new RawConnection(port))
    for (const connection of held) connection.write(requestBytes({ path: "/api/v1/hold", headers: hamlet }))
    await until(() => stage.held.length === 5 * (round + 1))
    const path = "/api/v1/events/ws?queue_id=q&last_event_id=-1"
    const sockets = await Promise.all(Array.from({ length: 9 }, () => connect({ port, path, headers: hamlet })))
    const last = new RawConnection(port)
    last.write(health)
    t.equal((await last.next())?.status, 200, "the twentieth")
    await last.closed
    const signed = new RawConnection(port)
    signed.write(requestBytes({ path: "/api/v1/echo", headers: hamlet }))
    t.notOk((await signed.next())?.headers.has("connection"), "who has signed in keeps it")
    const surplus = new RawConnection(port)
    surplus.write(health)
    t.equal(await surplus.next(), undefined, "the twenty-first")
    for (const connection of [...fresh, ...held, signed]) connection.destroy()
    for (const socket of sockets) socket.destroy()
    await until(() => stage.owned.every(({ closes }) => closes === 1))
  }
  t.strictSame(new Set(stage.refusals), new Set(["connections in all: 127.0.0.1"]))
})
