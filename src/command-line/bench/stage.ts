/**
 * A crowd under load: what the scenarios share. All queues have had a first message before anything is measured, so that a
 * queue that does not work is no slow one.
 */
import { setTimeout as wait } from "node:timers/promises"
import { type BenchScene, newWord } from "./bench-channel.ts"
import { BenchImpossible } from "./bench-impossible.ts"
import { QueueCrowd } from "./crowd.ts"
import type { FindingCounts } from "./findings.ts"
import { MessageLoad } from "./message-load.ts"
import { cpuOf, threadsOf } from "./process-figures.ts"

export interface StageOptions {
  readonly scene: BenchScene
  readonly transport: "socket" | "poll"
  readonly size: number
  readonly textBytes: number
  readonly connections: number
}

/** One measurement. Figures by name with their unit; null where nothing can be said. */
export interface Measurement {
  readonly scenario: string
  /** The queues and how the messages come, in words. */
  readonly label: string
  readonly how: string
  readonly queues: number
  readonly transport: "socket" | "poll"
  readonly figures: Readonly<Record<string, number | null>>
  /** What set the pace: the client, the server, rate limits, or the messages themselves. */
  readonly limit: string
  readonly counts: FindingCounts
  readonly doubts: ReadonlyArray<string>
}

const helloMilliseconds = 20_000
const drainMilliseconds = 10_000
/** For what comes twice, which may come late. */
const lateMilliseconds = 200
const tellMilliseconds = 1000
/** Who used more of a core than this share sets the pace. */
const bound = 0.9

const microseconds = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

export class BenchStage {
  readonly options: StageOptions
  readonly load: MessageLoad
  readonly crowd: QueueCrowd

  private constructor(options: StageOptions, load: MessageLoad, crowd: QueueCrowd) {
    this.options = options
    this.load = load
    this.crowd = crowd
  }

  static async open(options: StageOptions): Promise<BenchStage> {
    const { scene, size, transport, textBytes, connections } = options
    const mark = `parley-bench-${newWord()}-`
    const load = new MessageLoad({ scene, size, mark, textBytes, connections })
    const onNumbers = (queue: number, numbers: ReadonlyArray<number>) => {
      const now = performance.now()
      for (const number of numbers) load.ledger.take(queue, number, now)
    }
    const crowd = new QueueCrowd({ scene, transport, size, mark: Buffer.from(mark), onNumbers })
    const stage = new BenchStage(options, load, crowd)
    try {
      await crowd.open()
      await stage.#hello()
      return stage
    } catch (error) {
      await stage.close()
      throw error
    }
  }

  /** Connecting goes on meanwhile: what has not been sent when a queue connects is read from the log. */
  async #hello(): Promise<void> {
    const { scene, size } = this.options
    scene.tell("a first message")
    this.load.sendOne()
    const missing = await this.load.drain(helloMilliseconds)
    const { counts, doubts } = scene.findings.close({ messages: 1, deliveries: 0, lost: 0, doubled: 0 })
    if (counts.gone > 0)
      throw new BenchImpossible(
        `the server ended ${counts.gone} of ${size} queues: name more accounts, or fewer queues`,
      )
    if (this.load.ledger.count("stored") === 0)
      throw new BenchImpossible(`no message could be sent: ${doubts.join("; ")}`)
    if (missing > 0) throw new BenchImpossible(`${missing} of ${size} queues got no message: ${doubts.join("; ")}`)
  }

  labelOf(how: string): string {
    const { size, transport } = this.options
    return `${size} ${transport}s, ${how}`
  }

  /** Waits, and tells how far it has come. */
  async pass(what: string, seconds: number): Promise<void> {
    const { scene } = this.options
    const end = performance.now() + 1000 * seconds
    scene.tell(what)
    for (let left = 1000 * seconds; left > 0; left = end - performance.now()) {
      await wait(Math.min(left, tellMilliseconds), undefined, { signal: scene.signal })
      const { deliveries } = this.load.ledger
      const secondsLeft = Math.max(0, Math.round((end - performance.now()) / 1000))
      scene.tell(what, `${deliveries.toLocaleString("en")} events, ${secondsLeft} s left`)
    }
  }

  /** The shares of a core that client and server use until `share` is called; the server's is its main thread's. */
  watch(): () => { readonly client: number; readonly server: number | null } {
    const { pid } = this.options.scene
    const ofServer = () =>
      pid === null
        ? Number.NaN
        : cpuOf(
            pid,
            threadsOf(pid).filter((id) => id !== pid),
          )
    const [at, client, server] = [performance.now(), microseconds(), ofServer()]
    return () => {
      const took = 1000 * (performance.now() - at)
      const share = (ofServer() - server) / took
      return { client: (microseconds() - client) / took, server: Number.isNaN(share) ? null : share }
    }
  }

  /** Has `act` done, and accounts for every event that there was meanwhile. `free`: what sets the pace where nobody is busy. */
  async measure(
    scenario: string,
    how: string,
    free: string,
    act: () => Promise<{
      readonly figures: Readonly<Record<string, number>>
      readonly shares: { readonly client: number; readonly server: number | null }
      /** The pace that was not kept, in words. */
      readonly missed?: string | null
    }>,
  ): Promise<Measurement> {
    const { scene, size, transport } = this.options
    const { ledger } = this.load
    const label = this.labelOf(how)
    await this.load.mayGoOn()
    scene.findings.close({ messages: 0, deliveries: 0, lost: 0, doubled: 0 })
    const before = {
      messages: ledger.messages,
      deliveries: ledger.deliveries,
      missing: ledger.missing,
      doubled: ledger.doubled,
    }
    const { figures, shares, missed = null } = await act().finally(() => this.load.stop())
    scene.tell(`${scenario}: ${label}, waiting for what has not come`)
    const missing = await this.load.drain(drainMilliseconds)
    await wait(lateMilliseconds)
    const { counts, doubts } = scene.findings.close({
      messages: ledger.messages - before.messages,
      deliveries: ledger.deliveries - before.deliveries,
      lost: missing - before.missing,
      doubled: ledger.doubled - before.doubled,
    })
    const busy = { "client busy": shares.client, "server busy": shares.server }
    const all = Object.entries({ ...figures, ...busy }).map(
      ([name, value]) => [name, value === null || !Number.isFinite(value) ? null : value] as const,
    )
    return {
      scenario,
      label,
      how,
      queues: size,
      transport,
      figures: Object.fromEntries(all),
      limit: limitOf(shares, counts, missed === null ? free : "waits for answers"),
      counts,
      doubts: missed === null ? doubts : [missed, ...doubts],
    }
  }

  async close(): Promise<void> {
    this.load.close()
    await this.crowd.close()
  }
}

const limitOf = (
  { client, server }: { readonly client: number; readonly server: number | null },
  { limited }: FindingCounts,
  free: string,
): string =>
  limited > 0
    ? "rate limits"
    : client > bound
      ? "client-bound"
      : server !== null && server > bound
        ? "server-bound"
        : free
