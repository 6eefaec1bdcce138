/**
 * The parameters of GET /messages that say which messages are wanted: an anchor with numbers before and after it, or a
 * list of ids. Used by fetch.ts, and by flags.ts for the messages whose flags are to be changed.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked, missingVariable } from "../../../api/errors.ts"
import type { Range } from "./fetch-store.ts"

export const maxMessages = 5000
export const tooMany = badRequest(`Too many messages requested (maximum ${maxMessages}).`)
/** The anchor "newest" as a number, higher than any message id. */
export const newest = 10_000_000_000_000_000

const readAnchor = (raw: string, firstUnread: number): Checked<number> => {
  if (raw === "first_unread") return Result.succeed(firstUnread)
  if (raw === "newest") return Result.succeed(newest)
  if (raw === "oldest") return Result.succeed(0)
  return /^-?\d+$/.test(raw)
    ? Result.succeed(Math.min(Math.max(Number(raw), 0), newest))
    : Result.fail(badRequest("Invalid anchor"))
}

export interface Asked {
  readonly anchor: string | undefined
  readonly useFirstUnreadAnchor: boolean | undefined
  readonly includeAnchor: boolean | undefined
  readonly numBefore: number | undefined
  readonly numAfter: number | undefined
}

const rawAnchor = ({ anchor, useFirstUnreadAnchor }: Asked): string | undefined =>
  useFirstUnreadAnchor === true ? "first_unread" : anchor

/** Whether the anchor is the first unread message, which has to be looked for. */
export const wantsFirstUnread = (asked: Asked): boolean => rawAnchor(asked) === "first_unread"

/** `firstUnread`: the first unread message; where there is none, `newest`. */
export const readRange = (asked: Asked, firstUnread: number = newest): Checked<Range> =>
  Result.gen(function* () {
    const raw = rawAnchor(asked)
    if (raw === undefined) return yield* Result.fail(badRequest("Missing 'anchor' argument."))
    const anchor = yield* readAnchor(raw, firstUnread)
    const { numBefore, numAfter, includeAnchor = true } = asked
    if (numBefore === undefined) return yield* Result.fail(missingVariable("num_before"))
    if (numAfter === undefined) return yield* Result.fail(missingVariable("num_after"))
    if (numBefore + numAfter > maxMessages) return yield* Result.fail(tooMany)
    if (!includeAnchor && numBefore > 0 && numAfter > 0)
      return yield* Result.fail(badRequest("The anchor can only be excluded at an end of the range"))
    return {
      anchor,
      before: anchor === 0 ? 0 : numBefore,
      withAnchor: includeAnchor,
      after: anchor === newest ? 0 : numAfter,
    }
  })

/** A list of ids cannot be combined with parameters that select messages in another way. */
export const requireAlone = (asked: Asked): Checked<void> => {
  const others = Object.entries({
    num_before: asked.numBefore,
    num_after: asked.numAfter,
    anchor: asked.anchor,
    include_anchor: asked.includeAnchor,
    use_first_unread_anchor: asked.useFirstUnreadAnchor,
  }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (others.length === 0) return Result.succeed(undefined)
  const parameters = [...others, "message_ids"].join(", ")
  return Result.fail(badRequest(`Unsupported parameter combination: ${parameters}`, { parameters }))
}
