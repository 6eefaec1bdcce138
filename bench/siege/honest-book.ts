/**
 * Messages that the honest users sent and got: every one of theirs must reach each of them exactly once. They belong to
 * the phase in which they were sent, however late they arrive.
 */
import { quantile } from "../../src/command-line/bench/statistics.ts"

export type Transport = "poll" | "socket"

interface Sent {
  readonly phase: string
  readonly sender: number
  readonly at: number
  /** The answer's status; a word where there was none; null while it is awaited. */
  answer: number | string | null
  took: number
  /** Number of times that each user got it. */
  readonly got: Map<number, number>
}

export interface Times {
  readonly count: number
  readonly p50: number | null
  readonly p99: number | null
  readonly most: number | null
}

export interface PhaseFigures {
  readonly sends: Times
  readonly events: Readonly<Record<Transport, Times>>
  /** Sends without success, by status or by what happened. */
  readonly failures: Readonly<Record<string, number>>
  /** Pairs of an acknowledged message and a user who did not get it. */
  readonly lost: number
  readonly doubled: number
  /** Connections that were lost, and queues that were gone. */
  readonly reconnections: number
  readonly queuesLost: number
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null)

const timesOf = (samples: ReadonlyArray<number>): Times => ({
  count: samples.length,
  p50: orNull(quantile(samples, 0.5)),
  p99: orNull(quantile(samples, 0.99)),
  most: orNull(Math.max(...samples)),
})

export class HonestBook {
  phase = "before"
  readonly #sent = new Map<string, Sent>()
  readonly #latencies: Array<{ readonly phase: string; readonly transport: Transport; readonly took: number }> = []
  readonly #incidents: Array<{ readonly phase: string; readonly kind: "reconnection" | "queue lost" }> = []

  sends(sender: number, number: number): void {
    const at = performance.now()
    this.#sent.set(`${sender} ${number}`, { phase: this.phase, sender, at, answer: null, took: 0, got: new Map() })
  }

  answered(sender: number, number: number, answer: number | string): void {
    const sent = this.#sent.get(`${sender} ${number}`)
    if (sent === undefined) return
    sent.answer = answer
    sent.took = performance.now() - sent.at
  }

  /** A user has got the event of a message. */
  got(receiver: number, transport: Transport, sender: number, number: number): void {
    const sent = this.#sent.get(`${sender} ${number}`)
    if (sent === undefined) return
    sent.got.set(receiver, (sent.got.get(receiver) ?? 0) + 1)
    if (receiver !== sender) this.#latencies.push({ phase: sent.phase, transport, took: performance.now() - sent.at })
  }

  incident(kind: "reconnection" | "queue lost"): void {
    this.#incidents.push({ phase: this.phase, kind })
  }

  /** Whether an answer or an event is still awaited. */
  isWaiting(users: number): boolean {
    for (const { answer, got } of this.#sent.values())
      if (answer === null || (answer === 200 && got.size < users)) return true
    return false
  }

  figures(phase: string, users: number): PhaseFigures {
    const sent = [...this.#sent.values()].filter((each) => each.phase === phase)
    const failures: Record<string, number> = {}
    for (const { answer } of sent)
      if (answer !== 200) failures[answer ?? "no answer"] = (failures[answer ?? "no answer"] ?? 0) + 1
    const now = performance.now()
    const times = (transport: Transport) =>
      timesOf(
        this.#latencies.filter((each) => each.phase === phase && each.transport === transport).map(({ took }) => took),
      )
    const incidents = this.#incidents.filter((each) => each.phase === phase)
    return {
      sends: timesOf(sent.map(({ answer, at, took }) => (answer === null ? now - at : took))),
      events: { poll: times("poll"), socket: times("socket") },
      failures,
      lost: sent.reduce((sum, { answer, got }) => sum + (answer === 200 ? users - got.size : 0), 0),
      doubled: sent.reduce((sum, { got }) => sum + [...got.values()].filter((times) => times > 1).length, 0),
      reconnections: incidents.filter(({ kind }) => kind === "reconnection").length,
      queuesLost: incidents.filter(({ kind }) => kind === "queue lost").length,
    }
  }
}
