/**
 * The client's process of `peers`: the same readers and the same count for every server. Only how a socket is opened and how
 * an event is published differs.
 */
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { DeliveryLedger } from "../../src/command-line/bench/ledger.ts"
import { cpuOf } from "../../src/command-line/bench/process-figures.ts"
import { PostSender } from "../../src/command-line/bench/wire/post-sender.ts"
import { connectPlainly, loopback } from "../../src/command-line/bench/wire/server-address.ts"
import type { SocketReader } from "../../src/command-line/bench/wire/socket-reader.ts"
import { leave, register, sendFirstMessage } from "../client/control.ts"
import { authorization, post } from "../client/http.ts"
import { serveCommands } from "../remote.ts"
import { eventOf, mark } from "./peer-event.ts"
import { type Kind, manners, subscribe } from "./subscriber.ts"

const kinds = Object.keys(manners).filter((name): name is Kind => name in manners)
const Connect = Schema.decodeUnknownSync(
  Schema.Struct({
    kind: Schema.Literals(kinds),
    port: Schema.Number,
    publishPort: Schema.Number,
    pid: Schema.Number,
    databaseThreads: Schema.Array(Schema.Number),
    accounts: Schema.Array(Schema.Struct({ email: Schema.String, key: Schema.String })),
    channel: Schema.String,
    readers: Schema.Number,
    eventBytes: Schema.Number,
    textBytes: Schema.Number,
  }),
)
type Connection = ReturnType<typeof Connect>
const Put = Schema.decodeUnknownSync(Schema.Struct({ inFlight: Schema.Number, seconds: Schema.Number }))

const connectingAtOnce = 100
const warmUpMilliseconds = 500
const paceMilliseconds = 1
const drainMilliseconds = 20_000
const still = new Int32Array(new SharedArrayBuffer(4))

type Publish = (number: number) => void

const natsPublisher = ({ publishPort, eventBytes }: Connection): Publish => {
  const socket = connectPlainly(loopback(publishPort))
  socket.on("data", (data: Buffer) => {
    if (data.includes("PING\r\n")) socket.write("PONG\r\n")
  })
  socket.write('CONNECT {"verbose":false}\r\n')
  return (number) => {
    const event = eventOf(number, eventBytes)
    socket.write(`PUB bench ${event.length}\r\n${event}\r\n`)
  }
}

const requestOf = ({ kind, publishPort, accounts: [author], channel, textBytes }: Connection) => {
  if (kind !== "parley" || author === undefined) {
    const body = kind === "bare" ? (number: number) => `${mark}${number} ` : String
    return (number: number) => post(publishPort, "/send", [], body(number))
  }
  const head = `type=channel&to=${encodeURIComponent(channel)}&topic=bench&content=${mark}`
  const tail = `+${"x".repeat(textBytes)}`
  return (number: number) => post(publishPort, "/api/v1/messages", [authorization(author)], head + number + tail)
}

class Run {
  readonly #wanted: Connection
  readonly #faults: Array<string> = []
  readonly #inFlight = new Set<number>()
  readonly #ledger: DeliveryLedger
  readonly #publish: Publish
  #most = 0

  constructor(wanted: Connection) {
    this.#wanted = wanted
    this.#ledger = new DeliveryLedger(wanted.readers, (number) => {
      this.#inFlight.delete(number)
      this.#pump()
    })
    this.#publish = wanted.kind === "nats" ? natsPublisher(wanted) : this.#poster()
  }

  #poster(): Publish {
    const request = requestOf(this.#wanted)
    const waiting: Array<number> = []
    const next = () => {
      const number = waiting[0]
      if (number !== undefined && sender.send(request(number), number)) waiting.shift()
    }
    const sender = new PostSender(loopback(this.#wanted.publishPort), 32, ({ status, body }) => {
      if (status !== 200) this.#faults.push(`answered ${status}: ${body.toString("utf8", 0, 200)}`)
      next()
    })
    return (number) => {
      waiting.push(number)
      next()
    }
  }

  async connect(): Promise<void> {
    const { kind, port, accounts, channel, readers } = this.#wanted
    const [author] = accounts
    if (kind === "parley" && author !== undefined) await sendFirstMessage(port, author, channel)
    for (let from = 0; from < readers; from += connectingAtOnce)
      await Promise.all(
        Array.from({ length: Math.min(connectingAtOnce, readers - from) }, (_, n) => this.#open(from + n)),
      )
    leave()
  }

  async #open(index: number): Promise<SocketReader> {
    const { kind, port, accounts } = this.#wanted
    const account = accounts[index % Math.max(1, accounts.length)]
    const common = {
      kind,
      port,
      mark,
      onNumber: (number: number) => this.#ledger.take(index, number, performance.now()),
      onFault: (why: string) => void this.#faults.push(`reader ${index}: ${why}`),
    }
    if (kind !== "parley" || account === undefined) return subscribe(common)
    const { queue_id, last_event_id } = await register(port, account, "message")
    const path = `/api/v1/events/ws?queue_id=${queue_id}&last_event_id=${last_event_id}`
    return subscribe({ ...common, path, headers: [authorization(account)] })
  }

  #pump(): void {
    while (this.#inFlight.size < this.#most) {
      const number = this.#ledger.send(performance.now())
      this.#inFlight.add(number)
      this.#publish(number)
    }
  }

  /** It sleeps between two looks at its sockets, equally long for every server. */
  #pace(): void {
    if (this.#most === 0) return
    Atomics.wait(still, 0, 0, paceMilliseconds)
    setImmediate(() => this.#pace())
  }

  async put({ inFlight, seconds }: ReturnType<typeof Put>) {
    const { pid, databaseThreads, readers } = this.#wanted
    const figures = () => ({
      at: performance.now(),
      own: cpuOf(process.pid),
      server: cpuOf(pid, databaseThreads),
      deliveries: this.#ledger.deliveries,
    })
    const [first, before, doubled] = [this.#ledger.messages, this.#ledger.deliveries, this.#ledger.doubled]
    this.#most = inFlight
    this.#pace()
    this.#pump()
    await wait(warmUpMilliseconds)
    const [delays, begin] = [this.#ledger.time(), figures()]
    await wait(1000 * seconds)
    const end = figures()
    this.#most = 0
    const until = performance.now() + drainMilliseconds
    while (this.#inFlight.size > 0 && performance.now() < until) await wait(5)
    const lost = (this.#ledger.messages - first) * readers - (this.#ledger.deliveries - before)
    const twice = this.#ledger.doubled - doubled
    if (lost + twice > 0) this.#faults.push(`${lost} events lost, ${twice} came twice`)
    const took = end.at - begin.at
    const deliveries = end.deliveries - begin.deliveries
    return {
      cpu: (end.server - begin.server) / deliveries,
      rate: (1000 * deliveries) / took,
      p50: delays.quantile(0.5),
      p99: delays.quantile(0.99),
      busy: (end.own - begin.own) / 1000 / took,
      faults: this.#faults.slice(0, 5),
    }
  }
}

let run: Run | null = null
serveCommands(
  {
    connect: async (wanted) => {
      run = new Run(Connect(wanted))
      await run.connect()
      return {}
    },
    put: async (wanted) => run?.put(Put(wanted)) ?? {},
  },
  async () => {},
)
