/**
 * The process of the honest users: they talk from `start` to `finish`, in phases that the runner names. Where the system
 * lets it, it goes before other processes: what its users wait for must be the server, not their own turn.
 */
import { setPriority } from "node:os"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setTimeout as wait } from "node:timers/promises"
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { HonestBook } from "./honest-book.ts"
import { HonestUser } from "./honest-user.ts"
import { Target } from "./target.ts"

const Start = Schema.decodeUnknownSync(Schema.Struct({ port: Schema.Number, target: Target, perSecond: Schema.Number }))
const Phase = Schema.decodeUnknownSync(Schema.Struct({ phase: Schema.String }))
const Finish = Schema.decodeUnknownSync(
  Schema.Struct({ phases: Schema.Array(Schema.String), patienceSeconds: Schema.Number }),
)

const book = new HonestBook()
const blocks = monitorEventLoopDelay({ resolution: 5 })
let users: ReadonlyArray<HonestUser> = []

const favoured = -10

const favour = (): void => {
  try {
    setPriority(favoured)
  } catch {
    // Only an administrator may.
  }
}

const start = async ({ port, target, perSecond }: ReturnType<typeof Start>): Promise<object> => {
  favour()
  users = target.honest.map((account, n) => {
    const transport = n % 2 === 0 ? "socket" : "poll"
    return new HonestUser({ port, account, channel: target.channels.talk.name, transport, perSecond, book })
  })
  for (const user of users) await user.begin()
  for (const user of users) {
    user.talk()
    // So that they do not all speak at the same moment.
    await wait(1000 / perSecond / users.length)
  }
  blocks.enable()
  return {}
}

const finish = async ({ phases, patienceSeconds }: ReturnType<typeof Finish>): Promise<object> => {
  for (const user of users) user.silence()
  blocks.disable()
  const until = performance.now() + 1000 * patienceSeconds
  while (book.isWaiting(users.length) && performance.now() < until) await wait(50)
  // Messages that come twice may come late.
  await wait(500)
  await Promise.all(users.map((user) => user.end()))
  return {
    phases: Object.fromEntries(phases.map((phase) => [phase, book.figures(phase, users.length)])),
    ownBlock: blocks.max / 1e6,
  }
}

serveCommands(
  {
    start: (wanted) => start(Start(wanted)),
    phase: async (wanted) => {
      book.phase = Phase(wanted).phase
      return {}
    },
    finish: (wanted) => finish(Finish(wanted)),
  },
  async () => {},
)
