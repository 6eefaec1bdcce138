/**
 * Files that are sent at a time: each is an open file and 64 KB of it for as long as its client takes to read. Visitors
 * have a small share of their own, because addresses cost nothing: whoever reads slowly from many of them delays no member.
 * Used by serve-downloads.ts.
 */
import type { ClockShape } from "../../clock.ts"
import { type InTurns, makeInTurns } from "../../fairness/fair-turns.ts"
import type { RefusalsShape } from "../../fairness/refusals.ts"

const common = { limit: "downloads at once", waitMs: 30_000 } as const
const memberLimits = { ...common, capacity: 224, perOwner: 16, ownerWaiting: 200, allWaiting: 2000 }
const visitorLimits = { ...common, capacity: 32, perOwner: 8, ownerWaiting: 100, allWaiting: 1000 }

export const makeDownloadTurns = (
  clock: ClockShape,
  refusals: RefusalsShape,
): ((kind: "visitor" | undefined) => InTurns) => {
  const members = makeInTurns({ clock, refusals }, memberLimits)
  const visitors = makeInTurns({ clock, refusals }, visitorLimits)
  return (kind) => (kind === "visitor" ? visitors : members)
}
