/**
 * What nginx and HAProxy do by the files in deploy/, in front of small servers that end badly: where requests go, what is repeated
 * elsewhere, and that nothing is which may have been done.
 */
import t, { type Test } from "tap"
import { ask, RawConnection, requestBytes } from "../../kit/raw-http.ts"
import { until } from "../../kit/test-database.ts"
import { type FrontProxy, type ProxyName, proxies, startFront, without } from "./front-proxy.ts"
import { SmallBackend } from "./small-backend.ts"

const repeatable = ["GET", "HEAD"]
const once = ["POST", "PATCH", "PUT", "DELETE"]
const methods = [...repeatable, ...once]
/** More than a proxy reads before it has found a server. */
const large = "x".repeat(3_000_000)

interface Stage {
  readonly backends: ReadonlyArray<SmallBackend>
  readonly front: FrontProxy
  /** The server to which this path goes. */
  readonly placeOf: (path: string) => Promise<SmallBackend>
  /** All of a path that any server has seen. */
  readonly seenOf: (path: string) => ReadonlyArray<string>
}

const onStage = async (t: Test, proxy: ProxyName, body: (stage: Stage) => Promise<void>): Promise<void> => {
  const backends = [
    await SmallBackend.start(t, "one"),
    await SmallBackend.start(t, "two"),
    await SmallBackend.start(t, "three"),
  ]
  const front = await startFront(
    t,
    proxy,
    backends.map(({ port }) => port),
  )
  await body({
    backends,
    front,
    placeOf: async (path) => {
      const answer = await ask(front.port, { path })
      const found = backends.find(({ name }) => name === answer?.body)
      if (found === undefined) throw new Error(`${path}: ${answer?.status} ${answer?.body}\n${front.said()}`)
      return found
    },
    seenOf: (path) =>
      backends.flatMap(({ name, seen }) =>
        seen.filter(({ url }) => url === path).map(({ method }) => `${method} ${name}`),
      ),
  })
}

/** A path of its own for each question, all of which go to the same server: that of the queue. */
const queue = "fb67bf8a-c031-47cc-84cf-ed80accacda8"
let asked = 0
const nextPath = (): string => `/api/v1/question/${asked++}?queue_id=${queue}`

for (const proxy of proxies) {
  const skip = without(proxy)
  const test = (name: string, body: (t: Test, stage: Stage) => Promise<void>) =>
    t.test(`${proxy}: ${name}`, { skip }, (t) => onStage(t, proxy, (stage) => body(t, stage)))

  test("a queue's requests go to one server, an organization's others too", async (t, { front, placeOf }) => {
    const found = new Map<string, number>()
    for (let n = 0; n < 60; n++) {
      const first = await placeOf(`/api/v1/events?queue_id=queue-${n}&last_event_id=-1`)
      const second = await placeOf(`/api/v1/events/ws?last_event_id=7&queue_id=queue-${n}`)
      t.equal(second, first)
      found.set(first.name, (found.get(first.name) ?? 0) + 1)
    }
    t.equal(found.size, 3, "each has some")
    const atHost = async (host: string, path: string) =>
      (await ask(front.port, { path, headers: { Host: host } }))?.body
    const hosts = new Set<string | undefined>()
    for (let n = 0; n < 60; n++) {
      const host = `chat${n}.example.org`
      const first = await atHost(host, "/api/v1/messages")
      t.equal(await atHost(`${host}:9991`, "/api/v1/users?queue_id="), first)
      hosts.add(first)
    }
    t.equal(hosts.size, 3)
  })

  test("what nobody has read goes to the next one, whole", async (t, { front, backends, placeOf }) => {
    const place = await placeOf(nextPath())
    place.kill()
    for (const method of methods) {
      const path = nextPath()
      const body = repeatable.includes(method) ? undefined : large
      const answer = await ask(front.port, { method, path, ...(body === undefined ? {} : { body }) })
      t.equal(answer?.status, 200, method)
      const seen = backends.flatMap(({ seen }) => seen).filter(({ url }) => url === path)
      t.match(seen, [{ method, bytes: body?.length ?? 0 }])
    }
  })

  for (const way of ["dies", "dies early", "dies late"] as const)
    test(`of what was sent to a server that ${way} only reads go on elsewhere`, async (t, stage) => {
      const { front, placeOf, seenOf } = stage
      const place = await placeOf(nextPath())
      const tryAll = async (body: string | undefined, isLater: boolean) => {
        for (const method of isLater ? once : methods) {
          // An answer without a body has no middle.
          if (method === "HEAD" && way === "dies late") continue
          const path = nextPath()
          place.way = way
          const answer = await ask(front.port, { method, path, ...(body === undefined ? {} : { body }) })
          place.way = "answers"
          const isRepeated = repeatable.includes(method) && way !== "dies late"
          const what = `${method}, ${body?.length ?? 0} bytes`
          t.same(seenOf(path).length, isRepeated ? 2 : 1, `${what}: ${answer?.status}, ${seenOf(path).join(", ")}`)
          if (isRepeated) t.equal(answer?.status, 200, what)
          else if (answer !== undefined) t.equal(answer.status, 502, what)
          // A connection is kept again.
          t.equal(await placeOf(nextPath()), place)
        }
      }
      await tryAll(undefined, false)
      await tryAll("content=hello", true)
      if (way !== "dies late") await tryAll(large, true)
    })

  test("a server is told who asks, by which name and method", async (t, { front, backends }) => {
    for (const method of methods) {
      const headers = {
        Host: "chat.example.org",
        "X-Forwarded-For": "198.51.100.7",
        ...(proxy === "nginx" ? { "X-Parley-Method": "GET" } : {}),
      }
      const path = nextPath()
      t.equal((await ask(front.port, { method, path, headers }))?.status, 200)
      const seen = backends.flatMap(({ seen }) => seen).find(({ url }) => url === path)
      t.match(seen, { method, headers: { host: "chat.example.org", "x-forwarded-for": "127.0.0.1" } })
    }
  })

  test("a socket goes through, by the server of its queue", async (t, { front, placeOf, seenOf, backends }) => {
    const [path, place] = [nextPath(), await placeOf(nextPath())]
    const connection = new RawConnection(front.port)
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    connection.write(requestBytes({ path, headers }))
    t.match(await connection.next(), { status: 101 })
    t.same(seenOf(path), [`GET ${place.name}`])
    // The server echoes: what comes back is read as one more answer.
    connection.write("HTTP/1.1 299 Echo\r\ncontent-length: 5\r\n\r\nhello")
    t.match(await connection.next(), { status: 299, body: "hello" })
    for (const backend of backends) backend.kill()
    await connection.closed
    t.pass("its end is told")
  })
}

t.test("haproxy: a server that leaves gets nothing new, and ends what it has", { skip: without("haproxy") }, (t) =>
  onStage(t, "haproxy", async ({ front, backends, placeOf, seenOf }) => {
    const place = await placeOf(nextPath())
    place.way = "waits"
    const path = nextPath()
    const held = ask(front.port, { path })
    await until("it is held", 5_000, () => seenOf(path).length === 1)
    place.way = "answers"
    place.status = { "/ready": 503, "/health": 200 }
    await until("it is seen", 5_000, async () => (await placeOf(nextPath())) !== place)
    place.release()
    t.match(await held, { status: 200, body: place.name })
    for (const backend of backends) backend.status = { "/ready": 503, "/health": 200 }
    await until("none is ready", 5_000, async () => (await placeOf(nextPath())) === place)
    place.status = { "/ready": 503, "/health": 503 }
    await until("those that live answer", 5_000, async () => (await placeOf(nextPath())) !== place)
    for (const backend of backends) backend.status = { "/ready": 200, "/health": 200 }
    await until("all are ready", 5_000, async () => (await placeOf(nextPath())) === place)
  }),
)
