/**
 * The client of `parley-server/client` at a server that is killed, stopped and started again, through connections that are cut,
 * stalled and refused: readers by socket, by poll and by both, some of which leave and come back, and senders that never
 * give up. Each send is posted once, and each reader is given every message once, in order.
 */
import { setTimeout as sleep } from "node:timers/promises"
import t from "tap"
import { WebSocket } from "undici"
import { Client, type QueueReader } from "../../src/client/index.ts"
import { type FaultProxy, startProxy } from "../../src/testing/fault-proxy.ts"
import { Dice } from "../faults/kill/dice.ts"
import { chooseSettings } from "../faults/kill/kills.ts"
import { ServerProcess } from "../faults/kill/server-process.ts"
import { Faults, type Member, meet } from "../faults/kill/world.ts"
import { adminUrl, createFolder, createPostgresDatabase, until } from "../kit/test-database.ts"
import { announceSeed, timeout, timer } from "./budget.ts"

const channel = "general"
const pauses = { firstMilliseconds: 20, mostMilliseconds: 1_000 }
const wanted = { event_types: ["message"], apply_markdown: false }
const patience = 120_000

interface Post {
  readonly id: number
  readonly content: string
}

/** All that one queue has given, over all readers that it has had. */
class Book {
  readonly posts: Array<Post> = []
  states = 0
  doubles = 0
  reader: QueueReader | null = null
  isOver = false
}

/** Reads one queue until the book is over. A reader that leaves keeps its queue, and the next one goes on from its last id. */
const runReader = async (client: Client, book: Book, dice: Dice, transport: "socket" | "poll" | "both") => {
  let queue: { readonly queueId: string; readonly lastEventId: number } | undefined
  while (!book.isOver) {
    const sockets = transport === "socket" || (transport === "both" && dice.chance(0.5))
    const reader = client.read(wanted, { sockets, keepQueue: true, queue })
    book.reader = reader
    const leavesAfter = dice.chance(0.3) ? dice.between(1, 60) : Number.POSITIVE_INFINITY
    let given = 0
    for await (const item of reader) {
      if (item.kind === "state") book.states++
      else if (item.event.type === "message") book.posts.push(item.event.message)
      if (dice.chance(0.02)) await sleep(dice.below(200))
      if (++given >= leavesAfter) break
    }
    book.doubles += reader.doubles
    const { queueId, lastEventId } = reader
    if (queueId !== null && lastEventId !== null) queue = { queueId, lastEventId }
  }
}

/** Adds what it sends to `sent`. */
const runSender = async (client: Client, name: string, dice: Dice, sent: Array<Post>, running: () => boolean) => {
  for (let n = 0; running(); n++) {
    const content = `c-${name}-${n} ${"lorem ".repeat(dice.below(40))}end`
    const { id } = await client.send({ type: "channel", to: channel, topic: `by ${name}`, content })
    sent.push({ id, content })
    await sleep(dice.below(40))
  }
}

const disturb = async (server: ServerProcess, proxy: FaultProxy, dice: Dice): Promise<string> => {
  const way = dice.pick(["kill", "kill", "stop", "cut", "cut", "stall", "lose", "refuse"])
  switch (way) {
    case "kill":
    case "stop":
      if (way === "kill") await server.kill()
      else await server.stop()
      await sleep(dice.below(300))
      server.start(chooseSettings(dice, true))
      if (dice.chance(0.7)) await server.ready()
      break
    case "cut":
      proxy.cut()
      break
    case "stall":
    case "lose":
      proxy.stall(...(way === "lose" ? (["answers"] as const) : []))
      await sleep(dice.between(20, 500))
      proxy.cut()
      proxy.resume()
      break
    case "refuse":
      await proxy.refuse()
      proxy.cut()
      await sleep(dice.between(20, 500))
      await proxy.accept()
      break
  }
  return way
}

/** What the server has of the sends, in order. */
const readPosts = async (client: Client): Promise<ReadonlyArray<Post>> => {
  const posts: Array<Post> = []
  for (let anchor = 0; ; ) {
    const { messages, found_newest } = await client.call("GET /messages", {
      narrow: [{ operator: "channel", operand: channel }],
      anchor: String(anchor),
      include_anchor: false,
      num_before: 0,
      num_after: 1000,
      apply_markdown: false,
    })
    posts.push(...messages.filter(({ content }) => content.startsWith("c-")))
    if (found_newest) return posts
    anchor = messages.at(-1)?.id ?? anchor
  }
}

const compare = (what: string, found: ReadonlyArray<Post>, expected: ReadonlyArray<Post>): ReadonlyArray<string> => {
  const at = expected.findIndex(({ id, content }, n) => found[n]?.id !== id || found[n].content !== content)
  if (at < 0 && found.length === expected.length) return []
  const place = at < 0 ? expected.length : at
  return [
    `${what}: ${found.length} instead of ${expected.length}; number ${place} is ${found[place]?.id}, not ${expected[place]?.id}`,
  ]
}

const clientOf = (port: number, { email, key }: Member): Client =>
  new Client({ server: `http://127.0.0.1:${port}`, account: { email, apiKey: key }, WebSocket, pauses })

t.test("I4 I9: over kills, cuts and retries nothing is lost and nothing is doubled", { timeout }, async (t) => {
  const dice = new Dice(announceSeed("client"))
  const faults = new Faults()
  const server = await ServerProcess.create({
    folder: await createFolder(t),
    url: adminUrl === undefined ? null : await createPostgresDatabase(t, adminUrl),
    onFault: faults.add,
  })
  t.teardown(() => server.kill())
  server.start(chooseSettings(dice, true))
  await server.ready()
  const people = (await meet({ server, faults })).filter(({ isGuest }) => !isGuest)
  const proxy = await startProxy("127.0.0.1", server.port)
  t.teardown(() => proxy.close())

  const transports = ["socket", "poll", "both"] as const
  const reading = people.flatMap((person, n) =>
    transports.map((transport) => {
      const book = new Book()
      return { book, done: runReader(clientOf(proxy.port, person), book, dice.fork(`r${n}${transport}`), transport) }
    }),
  )
  await until("all have registered", patience, () => reading.every(({ book }) => book.states > 0))

  const sent: Array<Post> = []
  const state = { isOver: false }
  const sending = people.map((person, n) => {
    const client = clientOf(proxy.port, person)
    return runSender(client, `${dice.seed}-${n}`, dice.fork(`s${n}`), sent, () => !state.isOver)
  })
  const ways: Record<string, number> = {}
  for (const goesOn = timer(); goesOn(); ) {
    const enough = sent.length + dice.between(10, 100)
    await until("sends go on", patience, () => sent.length >= enough)
    const way = await disturb(server, proxy, dice)
    ways[way] = (ways[way] ?? 0) + 1
  }
  await server.ready()
  state.isOver = true
  await Promise.all(sending)
  sent.sort((a, b) => a.id - b.id)
  const [person] = people
  if (person === undefined) throw new Error("there is nobody")
  const posts = await readPosts(clientOf(server.port, person))
  const last = sent.at(-1)?.id ?? 0
  await until("all are read", patience, () => reading.every(({ book }) => (book.posts.at(-1)?.id ?? 0) >= last))
  for (const { book } of reading) {
    book.isOver = true
    book.reader?.close()
  }
  await Promise.all(reading.map(({ done }) => done))
  await server.stop()

  process.stderr.write(`client: ${JSON.stringify({ sends: sent.length, queues: reading.length, ...ways })}\n`)
  t.same(faults.list, [], `seed ${dice.seed}`)
  t.same(compare("the server's messages", posts, sent), [], `seed ${dice.seed}`)
  const odd = reading.flatMap(({ book }, n) => [
    ...compare(`queue ${n}`, book.posts, sent),
    ...(book.states === 1 ? [] : [`queue ${n} was registered ${book.states} times`]),
    ...(book.doubles === 0 ? [] : [`the server gave queue ${n} ${book.doubles} events twice`]),
  ])
  t.same(odd, [], `seed ${dice.seed}`)
  t.ok(sent.length > 30, "there was load")
})
