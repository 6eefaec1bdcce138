/** The bus by NATS, with servers of Debian's package: what gets through, and what becomes of it where it does not. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import t, { type Test } from "tap"
import type { NatsConfig } from "../../../src/config/processes-config.ts"
import { openNatsBus } from "../../../src/db/nats/nats-bus.ts"
import { findFileFault } from "../../../src/db/nats/nats-connection.ts"
import { certificate, privateKey } from "../../kit/directory-server.ts"
import { natsAt, startNats, withoutNats } from "../../kit/nats-server.ts"
import { createFolder, until } from "../../kit/test-database.ts"

const skip = withoutNats

/** A process of the cluster, with what it has heard and told. */
const open = (t: Test, config: NatsConfig, cluster = "cluster") => {
  const heard: Array<string> = []
  const told: Array<string> = []
  const bus = openNatsBus({ config, cluster, process: "process", tell: (text) => void told.push(text) })
  bus.listen((text) => void heard.push(text))
  t.teardown(bus.close)
  return { bus, heard, told }
}

const openUp = async (...given: Parameters<typeof open>) => {
  const opened = open(...given)
  await until("it is connected", 5_000, opened.bus.isUp)
  return opened
}

type Opened = Awaited<ReturnType<typeof openUp>>

let ends = 0

/** What has come of all that was sent before. */
const settled = async (from: Opened, to: Opened) => {
  const last = `the end ${ends++}`
  const end = to.bus.subscribe(99)
  await until("a last message comes", 5_000, async () => {
    await from.bus.publish([{ realm: 99, text: last }])
    return to.heard.includes(last)
  })
  end()
  return to.heard.filter((text) => !text.startsWith("the end"))
}

t.test("a message gets to those who have its organization, in this cluster, and not back", { skip }, async (t) => {
  const config = natsAt(`nats://${(await startNats(t)).host}`)
  const [one, two, other] = [await openUp(t, config), await openUp(t, config), await openUp(t, config, "another")]
  for (const each of [one, two, other]) each.bus.subscribe(0)
  one.bus.subscribe(3)
  const end = two.bus.subscribe(3)
  await settled(one, two)
  t.equal(await one.bus.publish([0, 3, 4].map((realm) => ({ realm, text: `of ${realm}` }))), 3)
  t.same(await settled(one, two), ["of 0", "of 3"])
  end()
  await one.bus.publish([{ realm: 3, text: "of 3 again" }])
  t.same(await settled(one, two), ["of 0", "of 3"])
  t.same(await settled(two, one), [], "nothing of its own")
  t.same(other.heard, [], "nothing of another cluster")
  t.equal(one.bus.longest(), 512 * 1024)
})

t.test("a message is as long as the server takes", { skip }, async (t) => {
  const { bus } = await openUp(t, natsAt(`nats://${(await startNats(t, "max_payload: 100000")).host}`))
  t.equal(bus.longest(), 70_000)
  t.equal(
    await bus.publish([
      { realm: 1, text: "x".repeat(100_001) },
      { realm: 1, text: "short" },
    ]),
    1,
  )
})

t.test("a server that is killed is connected to again, with what was subscribed to", { skip }, async (t) => {
  const server = await startNats(t)
  const config = natsAt(`nats://${server.host}`)
  const [one, two] = [await openUp(t, config), await openUp(t, config)]
  two.bus.subscribe(3)
  server.kill()
  await until("it is noticed", 5_000, () => !one.bus.isUp() && !two.bus.isUp())
  t.equal(await one.bus.publish([{ realm: 3, text: "lost" }]), 0)
  two.bus.subscribe(4)
  await server.startAgain()
  await until("they are connected again", 20_000, () => one.bus.isUp() && two.bus.isUp())
  await one.bus.publish([3, 4].map((realm) => ({ realm, text: `of ${realm}` })))
  t.same(await settled(one, two), ["of 3", "of 4"])
  t.match(one.told, [/^NATS does not carry .*127\.0\.0\.1:\d+: /, /^NATS carries again /])
})

t.test("of several servers one that answers is enough, and none is told once", { skip }, async (t) => {
  const { host } = await startNats(t)
  await openUp(t, natsAt(`nats://127.0.0.1:1,nowhere.invalid,${host}`))
  const none = open(t, natsAt("nats://127.0.0.1:1"))
  await until("it is told", 5_000, () => none.told.length > 0)
  t.match(none.told, [/^NATS does not carry .*: 127\.0\.0\.1:1: connection refused$/])
  t.equal(none.bus.isUp(), false)
  t.equal(await none.bus.publish([{ realm: 1, text: "lost" }]), 0)
})

t.test("nothing is sent while 8 MB wait for the server", { skip }, async (t) => {
  const server = await startNats(t)
  const { bus } = await openUp(t, natsAt(`nats://${server.host}`))
  const text = "x".repeat(700 * 1024)
  const many = Array.from({ length: 20 }, () => ({ realm: 1, text }))
  server.signal("SIGSTOP")
  t.equal(await bus.publish(many), 11)
  t.equal(await bus.publish(many), 0)
  server.signal("SIGCONT")
  await until("it goes on", 10_000, async () => (await bus.publish(many.slice(1))) > 0)
})

t.test("a server that stands still with what it was sent is left for another", { skip }, async (t) => {
  const [server, other] = [await startNats(t), await startNats(t)]
  // The first that is tried is any of them.
  server.signal("SIGSTOP")
  other.signal("SIGSTOP")
  const { bus, told } = open(t, natsAt(`nats://${server.host},${other.host}`))
  const text = "x".repeat(700 * 1024)
  server.signal("SIGCONT")
  await until("it is connected to the one", 20_000, bus.isUp)
  server.signal("SIGSTOP")
  t.equal(await bus.publish(Array.from({ length: 20 }, () => ({ realm: 1, text }))), 11)
  other.signal("SIGCONT")
  await until("the other is taken", 40_000, async () => (await bus.publish([{ realm: 1, text }])) === 1)
  t.ok(told.length > 0)
  server.signal("SIGCONT")
})

t.test("who may connect is the server's to say", { skip }, async (t) => {
  const byName = await startNats(t, 'authorization { user: parley, password: "p@ss:word" }')
  const { bus } = await openUp(t, natsAt(`nats://parley:p%40ss:word@${byName.host}`))
  t.equal(await bus.publish([{ realm: 1, text: "a text" }]), 1)
  for (const address of [`nats://${byName.host}`, `nats://parley:wrong-46@${byName.host}`]) {
    const { told, ...wrong } = open(t, natsAt(address))
    await until("it is told", 5_000, () => told.length > 0)
    t.match(told, [/: Authorization Violation$/])
    t.notMatch(told, /wrong-46/)
    t.equal(wrong.bus.isUp(), false)
  }
  const byToken = await startNats(t, "authorization { token: a4711 }")
  await openUp(t, natsAt(`nats://a4711@${byToken.host}`))
  const mute = await startNats(
    t,
    'authorization { users: [{ user: u, password: p, permissions: { subscribe: "x" } }] }',
  )
  const { bus: deaf, told } = await openUp(t, natsAt(`nats://u:p@${mute.host}`))
  deaf.subscribe(1)
  await until("it is told", 5_000, () => told.length > 0)
  t.match(told, [/^NATS does not carry .*Permissions Violation for Subscription/])
})

t.test("by TLS the server's certificate is looked at", { skip }, async (t) => {
  const folder = await createFolder(t)
  const [cert, key, empty] = [join(folder, "cert.pem"), join(folder, "key.pem"), join(folder, "empty.pem")]
  writeFileSync(cert, certificate)
  writeFileSync(key, privateKey)
  writeFileSync(empty, "")
  const { host } = await startNats(t, `tls { cert_file: "${cert}", key_file: "${key}" }`)
  const port = host.split(":")[1]
  for (const address of [`tls://127.0.0.1:${port}`, `tls://localhost:${port}`])
    await openUp(t, natsAt(address, { authoritiesFile: cert }))
  const stranger = open(t, natsAt(`tls://${host}`))
  const plain = open(t, natsAt(`tls://${(await startNats(t)).host}`))
  await until("they are told", 5_000, () => stranger.told.length > 0 && plain.told.length > 0)
  t.match(stranger.told, [/: self-signed certificate$/])
  t.match(plain.told, [/: server does not support 'tls'$/])
  t.match(
    await findFileFault(natsAt("tls://h", { authoritiesFile: empty })),
    /^PARLEY_BUS_CA_FILE is ".*": it has no certificate$/,
  )
  t.match(
    await findFileFault(natsAt("nats://h", { credentialsFile: empty })),
    /^PARLEY_BUS_CREDENTIALS_FILE is ".*": it has no credentials of NATS$/,
  )
  t.match(
    await findFileFault(natsAt("nats://h", { credentialsFile: "/nowhere" })),
    /^PARLEY_BUS_CREDENTIALS_FILE is "\/nowhere": ENOENT/,
  )
  t.equal(await findFileFault(natsAt("tls://h", { authoritiesFile: cert })), null)
})
