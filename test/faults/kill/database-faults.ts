/**
 * The faults of PostgreSQL and of the connections to it that test/deep/database-kill.test.ts provokes under load. The
 * server must keep running, answer truthfully meanwhile, and use the database again by itself.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { type FaultProxy, startProxy } from "../../../src/testing/fault-proxy.ts"
import { Cluster } from "./cluster.ts"
import type { Dice } from "./dice.ts"
import { type LateProxy, startLateProxy } from "./late-proxy.ts"
import type { Scene } from "./scene.ts"

/** The server reaches the cluster through `late`, then through `proxy`. */
export interface Database {
  readonly cluster: Cluster
  readonly proxy: FaultProxy
  readonly late: LateProxy
  /** How the server reaches it. */
  readonly url: string
}

export const openThroughProxies = async (t: {
  readonly teardown: (clean: () => Promise<void>) => void
}): Promise<Database> => {
  const cluster = await Cluster.create(t)
  const proxy = await startProxy("127.0.0.1", cluster.port)
  t.teardown(() => proxy.close())
  const late = await startLateProxy(proxy.port)
  t.teardown(async () => late.close())
  return { cluster, proxy, late, url: cluster.urlThrough(late.port) }
}

type Fault = (database: Database, dice: Dice, scene: Pick<Scene, "progress">) => Promise<unknown>

const restart =
  (signal: "SIGKILL" | "SIGQUIT" | "SIGINT"): Fault =>
  async ({ cluster }, dice) => {
    await cluster.end(signal)
    await sleep(dice.between(0, 1000))
    await cluster.start()
  }

const lose =
  (direction: "requests" | "answers"): Fault =>
  async ({ proxy }, dice) => {
    proxy.stall(direction)
    await sleep(dice.between(5, 300))
    proxy.cut()
    proxy.resume()
  }

/** Each fault resolves when the database can be reached again. */
const faults = {
  "a connection is cut": async ({ proxy }) => proxy.cut(),
  "answers are lost": lose("answers"),
  "requests are lost": lose("requests"),
  "statements arrive late": async ({ late }, dice, { progress }) => {
    // Only on a connection that has prepared it before is a commit sent whole.
    await progress(40)
    late.keep()
    await sleep(dice.between(5, 100))
    late.breakAndDeliver(dice.between(0, 800))
  },
  "nothing flows for a while": async ({ proxy }, dice) => {
    proxy.stall()
    await sleep(dice.between(500, 1500))
    proxy.resume()
  },
  "connections are refused": async ({ proxy }, dice) => {
    await proxy.refuse()
    proxy.cut()
    await sleep(dice.between(200, 1500))
    await proxy.accept()
  },
  "PostgreSQL is killed": restart("SIGKILL"),
  "PostgreSQL is stopped at once": restart("SIGQUIT"),
  "PostgreSQL is stopped in good order": restart("SIGINT"),
} as const satisfies Record<string, Fault>

/** Longer than the 10 s after which the watchdog drops a silent connection. */
const longSilence: Fault = async ({ proxy }) => {
  proxy.stall()
  await sleep(11_000)
  proxy.resume()
}

const shuffled = <A>(list: ReadonlyArray<A>, dice: Dice): ReadonlyArray<A> =>
  list
    .map((each) => ({ each, at: dice.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ each }) => each)

export interface Recovery {
  readonly fault: string
  /** Milliseconds from the end of the fault until a send got through. */
  readonly took: number
}

/**
 * Provokes all faults in random order, some more often, again and again while `goesOn` says so; `withSilence` adds a
 * long silence. `note` is told how long each recovery took.
 */
export const disturbDatabase =
  (
    database: Database,
    dice: Dice,
    { goesOn, withSilence }: { readonly goesOn: () => boolean; readonly withSilence: boolean },
    note: (recovery: Recovery) => void,
  ) =>
  async (scene: Scene): Promise<void> => {
    const disturb = async (fault: string, act: Fault): Promise<void> => {
      await scene.progress(dice.between(1, 40))
      await act(database, dice, scene)
      note({ fault, took: Math.round(await scene.progress(1)) })
    }
    const each = Object.entries(faults)
    const cuts = Array.from({ length: 5 }, () => ["another cut", faults["a connection is cut"]] as const)
    const lates = Array.from({ length: 3 }, () => ["statements again", faults["statements arrive late"]] as const)
    for (let round: ReadonlyArray<readonly [string, Fault]> = []; goesOn() && scene.world.running(); ) {
      if (round.length === 0) round = shuffled([...each, ...cuts, ...lates], dice)
      const [next, ...rest] = round
      round = rest
      if (next !== undefined) await disturb(...next)
    }
    if (withSilence) await disturb("nothing flows for long", longSilence)
    await scene.progress(50)
  }

/** The longest recovery from each kind of fault, in milliseconds, as text. */
export const longest = (recoveries: ReadonlyArray<Recovery>): string => {
  const by = new Map<string, number>()
  for (const { fault, took } of recoveries) by.set(fault, Math.max(by.get(fault) ?? 0, took))
  return [...by].map(([fault, took]) => `${fault} ${took}`).join(", ")
}
