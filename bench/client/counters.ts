/**
 * The client's process of `delivery`: sockets at two servers, which count the events that they get by a mark in each. Events
 * are looked for in the bytes as they come; no frame is put together or parsed.
 */
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"
import { SocketReader } from "../../src/command-line/bench/wire/socket-reader.ts"
import { idSpan } from "../../src/events/event.ts"
import { serveCommands } from "../remote.ts"
import { leave, register, sendFirstMessage } from "./control.ts"
import { authorization } from "./http.ts"

const Connect = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    barePort: Schema.Number,
    accounts: Schema.Array(Schema.Struct({ email: Schema.String, key: Schema.String })),
    channel: Schema.Struct({ name: Schema.String }),
    textBytes: Schema.Number,
  }),
)
const Await = Schema.decodeUnknownSync(
  Schema.Struct({ from: Schema.Literals(["parley", "bare"]), events: Schema.Number }),
)

const connectingAtOnce = 100
const paceMilliseconds = 1
const patienceMilliseconds = 20_000
const still = new Int32Array(new SharedArrayBuffer(4))

/** Events that came from each server, and the faults of all sockets. */
const counts = { parley: 0, bare: 0 }
const faults: Array<string> = []

const open = (port: number, path: string, headers: ReadonlyArray<string>, from: "parley" | "bare", first: number) =>
  new Promise<void>((resolve, reject) => {
    let last = first
    const sink = {
      wantsText: false,
      onFrame: (id: number) => {
        const position = Math.floor(id / idSpan)
        // A heartbeat names the position of the last event again.
        if (position < last) faults.push(`${from}: ${position} after ${last}`)
        counts[from] += position - last
        last = position
      },
      onFrameText: () => {},
      onClose: (why: string) => {
        faults.push(`${from}: ${why}`)
        reject(new Error(why))
      },
    }
    new SocketReader(loopback(port), path, headers, sink, resolve)
  })

const connect = async (wanted: ReturnType<typeof Connect>): Promise<object> => {
  const { port, barePort, accounts, channel, textBytes } = wanted
  const [author] = accounts
  if (author === undefined) throw new Error("there is nobody")
  await sendFirstMessage(port, author, channel.name, "x".repeat(textBytes))
  for (let from = 0; from < accounts.length; from += connectingAtOnce)
    await Promise.all(
      accounts.slice(from, from + connectingAtOnce).map(async (account) => {
        await open(barePort, "/events/ws", [], "bare", 0)
        const { queue_id, last_event_id } = await register(port, account, "message")
        const path = `/api/v1/events/ws?queue_id=${queue_id}&last_event_id=${last_event_id}`
        await open(port, path, [authorization(account)], "parley", Math.floor(last_event_id / idSpan))
      }),
    )
  leave()
  const pace = (): void => {
    Atomics.wait(still, 0, 0, paceMilliseconds)
    setImmediate(pace)
  }
  pace()
  return {}
}

/** Waits until as many events have come; answers how many there are. */
const await_ = async ({ from, events }: ReturnType<typeof Await>): Promise<object> => {
  const until = performance.now() + patienceMilliseconds
  while (counts[from] < events && performance.now() < until) await wait(5)
  return { events: counts[from], faults: faults.slice(0, 5) }
}

serveCommands(
  { connect: (wanted) => connect(Connect(wanted)), await: (wanted) => await_(Await(wanted)) },
  async () => {},
)
