/** The process of those who send: each of them again as soon as the last message is answered, in all channels in turn. */
import * as Schema from "effect/Schema"
import { cpuOf, threadsOf } from "../../src/command-line/bench/process-figures.ts"
import { quantile } from "../../src/command-line/bench/statistics.ts"
import { PostSender } from "../../src/command-line/bench/wire/post-sender.ts"
import { loopback } from "../../src/command-line/bench/wire/server-address.ts"
import { serveCommands } from "../remote.ts"
import { authorization, post } from "./http.ts"

const Put = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    pid: Schema.Number,
    databaseThreads: Schema.Array(Schema.Number),
    /** None: the server asks nobody who they are. */
    accounts: Schema.Array(
      Schema.Struct({ email: Schema.String, key: Schema.String, host: Schema.optional(Schema.String) }),
    ),
    senders: Schema.Number,
    /** How many all of them send in a second at most; absent: as many as are answered. */
    perSecond: Schema.optional(Schema.Number),
    channels: Schema.Array(Schema.String),
    content: Schema.String,
    warmUpSeconds: Schema.Number,
    seconds: Schema.Number,
  }),
)

const patienceMs = 10_000
const leastSends = 10

const put = async (orders: ReturnType<typeof Put>) => {
  const { port, pid, databaseThreads, accounts, senders, channels, content, perSecond } = orders
  const heads = accounts.map((account) => ({ host: account.host, lines: [authorization(account)] }))
  const faults: Array<string> = []
  const begun: Array<number> = []
  let times: Array<number> = []
  let isSending = true
  let answered = 0
  const sender = new PostSender(loopback(port), senders, ({ status, body }, number) => {
    if (status !== 200 && faults.length < 5) faults.push(`${status} ${body.toString("utf8", 0, 200)}`)
    answered++
    times.push(performance.now() - (begun[number] ?? Number.NaN))
    if (!isSending) return
    if (perSecond === undefined) send()
    else setTimeout(() => isSending && send(), (1000 * senders) / perSecond)
  })
  const send = (): void => {
    const number = begun.length
    const to = encodeURIComponent(channels[number % channels.length] ?? "")
    const form = `type=channel&to=${to}&topic=bench&content=${content}`
    begun.push(performance.now())
    const head = heads[number % Math.max(1, heads.length)]
    sender.send(post(port, "/api/v1/messages", head?.lines ?? [], form, head?.host), number)
  }
  const wait = (seconds: number) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds))
  const main = () =>
    cpuOf(
      pid,
      threadsOf(pid).filter((thread) => thread !== pid),
    )
  const look = () => ({
    at: performance.now(),
    own: cpuOf(process.pid),
    server: cpuOf(pid, databaseThreads),
    main: main(),
  })
  for (let n = 0; n < senders; n++) send()
  await wait(orders.warmUpSeconds)
  times = []
  const from = look()
  await wait(orders.seconds)
  // Of fewer nothing can be said, however slow the machine is.
  for (const end = performance.now() + patienceMs; times.length < leastSends && performance.now() < end; )
    await wait(0.01)
  const to = look()
  const counted = [...times]
  isSending = false
  // What is in flight is answered first, so that nothing of it is left for the next measurement.
  for (const end = performance.now() + patienceMs; answered < begun.length && performance.now() < end; )
    await wait(0.01)
  if (counted.length < leastSends) faults.push(`only ${counted.length} sends were answered`)
  if (answered < begun.length) faults.push(`${begun.length - answered} sends had no answer`)
  sender.close()
  const took = to.at - from.at
  return {
    sends: counted.length,
    seconds: took / 1000,
    cpu: (to.server - from.server) / counted.length,
    main: (to.main - from.main) / counted.length,
    p50: quantile(counted, 0.5),
    p99: quantile(counted, 0.99),
    busy: (to.own - from.own) / took / 1000,
    faults,
  }
}

serveCommands({ put: (wanted) => put(Put(wanted)) }, async () => {})
