/**
 * The parameters of GET /messages that say which messages are wanted: an anchor with numbers before and after it, or a
 * list of ids. Used by fetch-messages.ts, and by flags.ts for the messages whose flags are to be changed.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked, missingVariable } from "../../../api/errors.ts"
import { readIsoTime } from "../../../iso-time.ts"
import type { MessageRange } from "./fetch-messages-store.ts"

export const maxMessages = 5000
export const tooMany = badRequest(`Too many messages requested (maximum ${maxMessages}).`)
/** The anchor "newest" as a number, higher than any message id. */
export const newest = 10_000_000_000_000_000

const invalid = badRequest("Invalid anchor")

const readAnchor = (raw: string, sought: number | null): Checked<number> => {
  if (raw === "newest") return Result.succeed(newest)
  if (raw === "oldest") return Result.succeed(0)
  if (raw === "first_unread" || raw === "date") return Result.succeed(sought ?? newest)
  return /^-?\d+$/.test(raw) ? Result.succeed(Math.min(Math.max(Number(raw), 0), newest)) : Result.fail(invalid)
}

export interface RangeParams {
  readonly anchor: string | undefined
  /** null: the request cannot say a date. */
  readonly anchorDate: string | undefined | null
  readonly useFirstUnreadAnchor: boolean | undefined
  readonly includeAnchor: boolean | undefined
  readonly numBefore: number | undefined
  readonly numAfter: number | undefined
}

const rawAnchor = ({ anchor, useFirstUnreadAnchor }: RangeParams): string | undefined =>
  useFirstUnreadAnchor === true ? "first_unread" : anchor

/** An anchor that has to be looked for: the first unread message, or the first one from a moment on, in milliseconds. */
export type Sought = { readonly kind: "unread" } | { readonly kind: "since"; readonly time: number }

const readSince = (date: RangeParams["anchorDate"]): Checked<Sought> => {
  if (date === null) return Result.fail(invalid)
  if (date === undefined) return Result.fail(missingVariable("anchor_date"))
  const time = readIsoTime(date.trim())
  return time === undefined || Number.isNaN(time)
    ? Result.fail(badRequest("Invalid anchor_date"))
    : Result.succeed({ kind: "since", time })
}

/** What of the anchor has to be looked for; undefined: nothing. */
export const readSought = (asked: RangeParams): Checked<Sought | undefined> => {
  const raw = rawAnchor(asked)
  if (raw === "first_unread") return Result.succeed({ kind: "unread" })
  return raw === "date" ? readSince(asked.anchorDate) : Result.succeed(undefined)
}

/** `sought`: the anchor that was looked for; null where there is none, or before it is looked for. */
export const readRange = (asked: RangeParams, sought: number | null = null): Checked<MessageRange> =>
  Result.gen(function* () {
    const raw = rawAnchor(asked)
    if (raw === undefined) return yield* Result.fail(badRequest("Missing 'anchor' argument."))
    const anchor = yield* readAnchor(raw, sought)
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
export const requireAlone = (asked: RangeParams): Checked<void> => {
  const others = Object.entries({
    num_before: asked.numBefore,
    num_after: asked.numAfter,
    anchor: asked.anchor,
    include_anchor: asked.includeAnchor,
    use_first_unread_anchor: asked.useFirstUnreadAnchor,
    anchor_date: asked.anchorDate,
  }).flatMap(([name, value]) => (value === undefined ? [] : [name]))
  if (others.length === 0) return Result.succeed(undefined)
  const parameters = [...others, "message_ids"].join(", ")
  return Result.fail(badRequest(`Unsupported parameter combination: ${parameters}`, { parameters }))
}
