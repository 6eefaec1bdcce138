/**
 * The load client's process: connects readers to a server, then puts it under load each time the runner asks for it.
 * For Parley and the bare server only the requests of readers and messages differ.
 */
import * as Schema from "effect/Schema"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import type { EventReader, EventSink } from "../../src/command-line/bench/wire/event-reader.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"
import { SocketReader } from "../../src/command-line/bench/wire/socket-reader.ts"
import { idSpan } from "../../src/events/event.ts"
import { serveCommands } from "../remote.ts"
import { Arrivals } from "./arrivals.ts"
import { leave, register, sendFirstMessage } from "./control.ts"
import { authorization, post } from "./http.ts"
import { Load } from "./load.ts"
import { PollReader } from "./poll-reader.ts"

const Connect = Schema.decodeUnknownSync(
  Schema.Struct({
    target: Schema.Literals(["parley", "bare"]),
    transport: Schema.Literals(["socket", "poll"]),
    event: Schema.Literals(["message", "typing"]),
    port: Schema.Number,
    pid: Schema.Number,
    /** The ids of the server's threads that belong to its database. */
    databaseThreads: Schema.Array(Schema.Number),
    accounts: Schema.Array(Schema.Struct({ email: Schema.String, key: Schema.String })),
    readers: Schema.Number,
    /** Number of readers (the last ones) that stop reading at once. */
    stalled: Schema.Number,
    stride: Schema.Number,
    channel: Schema.Struct({ id: Schema.Number, name: Schema.String }),
  }),
)
const Put = Schema.decodeUnknownSync(
  Schema.Struct({
    inFlight: Schema.NullOr(Schema.Number),
    perSecond: Schema.NullOr(Schema.Number),
    warmUpSeconds: Schema.Number,
    seconds: Schema.Number,
    paceMilliseconds: Schema.Number,
    /** Bytes of text in each message. */
    textBytes: Schema.Number,
  }),
)
type Connection = ReturnType<typeof Connect>

const Events = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Array(
      Schema.Struct({ id: Schema.Number, message: Schema.optional(Schema.Struct({ content: Schema.String })) }),
    ),
  ),
)

/** One reader in so many is a scout, whose frames are parsed whole. */
const scoutEvery = 100
const connectingAtOnce = 200

let connection: Connection | null = null
/** The readers of every `connect` since the last `close`. */
let readers: Array<EventReader> = []
let arrivals: Arrivals | null = null
let load: Load | null = null

const connect = async (wanted: Connection): Promise<object> => {
  const isFirst = connection === null
  connection = wanted
  const healthy = wanted.readers - wanted.stalled
  const counted = new Arrivals({
    readers: wanted.readers,
    healthy,
    stride: wanted.stride,
    framesAreEvents: wanted.event === "typing",
    onComplete: () => load?.completed(),
  })
  arrivals = counted
  const [first] = wanted.accounts
  if (isFirst && first !== undefined) await sendFirstMessage(wanted.port, first, wanted.channel.name)
  const connected: Array<EventReader> = []
  for (let from = 0; from < wanted.readers; from += connectingAtOnce) {
    const some = Array.from({ length: Math.min(connectingAtOnce, wanted.readers - from) }, (_, n) => from + n)
    // In the order of their indices, not in the order in which they open.
    connected.push(...(await Promise.all(some.map((index) => open(wanted, counted, index)))))
  }
  for (const reader of connected.slice(healthy)) reader.stall()
  readers.push(...connected)
  leave()
  return { connected: connected.length }
}

/** `lost` gets the end of a connection too, because faults are not read before it is open. */
const sinkOf = (wanted: Connection, counted: Arrivals, index: number, lost: (fault: Error) => void): EventSink => ({
  wantsText: wanted.event === "message" && index % scoutEvery === 0,
  onFrame: (id, bytes) => counted.frame(index, id, bytes, performance.now()),
  onFrameText: (text) => {
    const events = Events(text).flatMap(({ id, message }) => {
      const number = /bench (\d+) /.exec(message?.content ?? "")?.[1]
      return number === undefined ? [] : [{ position: Math.floor(id / idSpan), number: Number(number) }]
    })
    counted.scout(index, events)
  },
  onClose: (why) => {
    counted.fault(`reader ${index}: ${why}`)
    lost(new Error(`reader ${index}: ${why}`))
  },
})

const open = async (wanted: Connection, counted: Arrivals, index: number): Promise<EventReader> => {
  const { port, transport, target, accounts, event } = wanted
  const account = accounts[index % Math.max(1, accounts.length)]
  const queue =
    target === "bare" || account === undefined
      ? { queue_id: "", last_event_id: -1 }
      : await register(port, account, event)
  counted.begin(index, event === "typing" ? 0 : Math.max(0, Math.floor(queue.last_event_id / idSpan)))
  const [path, headers] = account === undefined ? ["/events", []] : ["/api/v1/events", [authorization(account)]]
  const events = (last: number) => `queue_id=${queue.queue_id}&last_event_id=${last}`
  const poll = (last: number) =>
    [`GET ${path}?${events(last)} HTTP/1.1`, `Host: 127.0.0.1:${port}`, ...headers, "", ""].join("\r\n")
  return new Promise((resolve, reject) => {
    const sink = sinkOf(wanted, counted, index, reject)
    const opened = () => resolve(reader)
    const first = queue.last_event_id
    const reader =
      transport === "socket"
        ? new SocketReader(loopback(port), `${path}/ws?${events(first)}`, headers, sink, opened)
        : new PollReader(port, first, poll, sink, opened)
  })
}

/** The request that makes the server send one event to all readers. */
const requestOf = ({ target, port, accounts, channel, event }: Connection, textBytes: number) => {
  const filler = "x".repeat(textBytes)
  const account = accounts[0]
  if (target === "bare" || account === undefined) return (number: number) => post(port, "/send", [], `${number}`)
  const headers = [authorization(account)]
  if (event === "typing") {
    const form = `type=channel&op=start&stream_id=${channel.id}&topic=bench`
    return () => post(port, "/api/v1/typing", headers, form)
  }
  const head = `type=channel&to=${encodeURIComponent(channel.name)}&topic=bench&content=bench+`
  return (number: number) => post(port, "/api/v1/messages", headers, `${head}${number}+${filler}`)
}

const put = async (wanted: ReturnType<typeof Put>): Promise<object> => {
  if (connection === null || arrivals === null) throw new Error("not connected")
  const { port, pid, databaseThreads } = connection
  arrivals.clear()
  const { textBytes, ...shape } = wanted
  load = new Load(arrivals, {
    ...shape,
    port,
    readers: connection.readers - connection.stalled,
    request: requestOf(connection, textBytes),
    serverCpu: () => cpuOf(pid, databaseThreads),
  })
  return load.run()
}

const close = async (): Promise<object> => {
  for (const reader of readers) reader.close()
  readers = []
  connection = null
  return {}
}

serveCommands(
  { connect: (wanted) => connect(Connect(wanted)), put: (wanted) => put(Put(wanted)), close },
  async () => {},
)
