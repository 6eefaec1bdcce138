/**
 * The process of those who talk while the server is busy with others: they send at a steady pace, whether or not earlier
 * sends are answered, and each send is timed. Where the system lets it, it goes before other processes: what is timed must
 * be the server, not its own turn.
 */
import { setPriority } from "node:os"
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { Account } from "../siege/target.ts"
import { ask } from "./http.ts"

const Start = Schema.decodeUnknownSync(
  Schema.Struct({
    port: Schema.Number,
    talkers: Schema.Array(Account),
    channel: Schema.String,
    perSecond: Schema.Number,
  }),
)
const Phase = Schema.decodeUnknownSync(Schema.Struct({ phase: Schema.String }))

const favoured = -10
const patienceMilliseconds = 60_000

interface Sent {
  readonly phase: string
  readonly at: number
  took: number | null
  failed: boolean
}

const sent: Array<Sent> = []
let phase = "before"
let beat: NodeJS.Timeout | null = null

const start = async ({ port, talkers, channel, perSecond }: ReturnType<typeof Start>): Promise<object> => {
  try {
    setPriority(favoured)
  } catch {
    // Only an administrator may.
  }
  const form = `type=channel&to=${encodeURIComponent(channel)}&topic=talk&content=${"x".repeat(100)}`
  let next = 0
  const send = async (): Promise<void> => {
    const account = talkers[next++ % talkers.length]
    if (account === undefined) return
    const mine: Sent = { phase, at: performance.now(), took: null, failed: false }
    sent.push(mine)
    await ask(port, "/api/v1/messages", account, form).catch(() => {
      mine.failed = true
    })
    mine.took = performance.now() - mine.at
  }
  // The first one loads what the server loads when it is first asked.
  await send()
  sent.length = 0
  beat = setInterval(() => void send(), 1000 / perSecond)
  return {}
}

const finish = async (): Promise<object> => {
  if (beat !== null) clearInterval(beat)
  const until = performance.now() + patienceMilliseconds
  while (sent.some(({ took }) => took === null) && performance.now() < until)
    await new Promise((resolve) => setTimeout(resolve, 20))
  const now = performance.now()
  const phases: Record<string, { readonly times: Array<number>; failed: number }> = {}
  for (const each of sent) {
    phases[each.phase] ??= { times: [], failed: 0 }
    const of = phases[each.phase]
    of?.times.push(each.took ?? now - each.at)
    if (of !== undefined && (each.failed || each.took === null)) of.failed++
  }
  return { phases }
}

serveCommands(
  {
    start: (wanted) => start(Start(wanted)),
    phase: async (wanted) => {
      phase = Phase(wanted).phase
      return {}
    },
    finish,
  },
  async () => {},
)
