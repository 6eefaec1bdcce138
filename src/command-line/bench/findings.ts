/** What a figure must not be read without: what was lost, doubled, refused or cut while it was taken. */

/** Characters of a reason that tell one kind from another. */
const kindLength = 60

export interface FindingCounts {
  readonly messages: number
  readonly deliveries: number
  /** Events of stored messages that did not come. */
  readonly lost: number
  /** Events that came again. */
  readonly doubled: number
  /** Requests that failed or were not answered. */
  readonly failed: number
  /** Answers that say: too many requests. */
  readonly limited: number
  /** Connections that ended and that nobody here had cut, and queues that the server ended. */
  readonly cut: number
  readonly gone: number
}

const note = (reasons: Map<string, number>, why: string): void => {
  const kind = why.split("\r\n")[0]?.slice(0, kindLength) ?? ""
  reasons.set(kind, (reasons.get(kind) ?? 0) + 1)
}

export class BenchFindings {
  readonly #failures = new Map<string, number>()
  readonly #cuts = new Map<string, number>()
  failed = 0
  limited = 0
  cut = 0
  gone = 0

  fail(why: string): void {
    this.failed++
    note(this.#failures, why)
  }

  lose(kind: "gone" | "limited" | "cut", why: string): void {
    this[kind]++
    if (kind === "cut") note(this.#cuts, why)
  }

  /** What became of `messages` and `deliveries`, and all since the last call of this; it begins anew. */
  close(of: Pick<FindingCounts, "messages" | "deliveries" | "lost" | "doubled">) {
    const counts: FindingCounts = { ...of, failed: this.failed, limited: this.limited, cut: this.cut, gone: this.gone }
    const doubts = doubtsOf(counts, { failed: [...this.#failures], cut: [...this.#cuts] })
    this.#failures.clear()
    this.#cuts.clear()
    this.failed = this.limited = this.cut = this.gone = 0
    return { counts, doubts }
  }
}

type Reasons = ReadonlyArray<readonly [why: string, times: number]>

const because = (reasons: Reasons): string =>
  reasons.length === 0
    ? ""
    : ` (${reasons
        .slice(0, 3)
        .map(([why, times]) => `${times} x ${why}`)
        .join("; ")})`

/** Each as a sentence; none where all is well. */
export const doubtsOf = (
  counts: FindingCounts,
  reasons: { readonly failed: Reasons; readonly cut: Reasons },
): ReadonlyArray<string> => {
  const said: ReadonlyArray<readonly [number, string]> = [
    [counts.messages === 0 ? 1 : 0, "no message was sent"],
    [counts.lost, `${counts.lost} events lost`],
    [counts.doubled, `${counts.doubled} events came twice`],
    [counts.failed, `${counts.failed} requests failed${because(reasons.failed)}`],
    [
      counts.limited,
      `${counts.limited} requests refused by rate limits (429): the figures are theirs, not the server's`,
    ],
    [counts.cut, `${counts.cut} connections ended by themselves${because(reasons.cut)}`],
    [counts.gone, `${counts.gone} queues ended by the server`],
  ]
  return said.flatMap(([count, text]) => (count > 0 ? [text] : []))
}
