/**
 * For how long messages are kept, by place, and from when on that holds. A shorter time, or the first one, takes hold a day after the
 * server has noticed it, so that a mistake can be taken back before anything is gone; a longer one holds at once.
 */
import * as Schema from "effect/Schema"
import type { Realm } from "../../ground/realm/realm.ts"

/** What is noted of a place: the days that hold, those that are wanted, and when these were noticed, in milliseconds. */
const RetentionTerm = Schema.Struct({
  /** null: for ever. */
  days: Schema.NullOr(Schema.Number),
  wanted: Schema.NullOr(Schema.Number),
  since: Schema.Number,
})
export type RetentionTerm = typeof RetentionTerm.Type

/** By the number of a channel, and `direct`. What is kept for ever is not among them. */
export type RetentionTerms = Readonly<Record<string, RetentionTerm>>

export const readTerms = Schema.decodeUnknownSync(Schema.Record(Schema.String, RetentionTerm))

export const direct = "direct"

const dayMilliseconds = 24 * 3600_000
/** From a shorter time, or the first, until it holds. */
export const graceMilliseconds = dayMilliseconds
/** A later time than this from now was noted by a clock that was wrong. */
const slackMilliseconds = 3600_000

const limited = (days: number): number | null => (days > 0 ? days : null)

/** What the organization and its channels want now. */
export const wantedTerms = (realm: Pick<Realm, "channels" | "settings">): ReadonlyMap<string, number> => {
  const own = limited(realm.settings.message_retention_days)
  const wanted = new Map<string, number>(own === null ? [] : [[direct, own]])
  for (const { id, retention_days } of realm.channels.values()) {
    const days = retention_days === null ? own : limited(retention_days)
    if (days !== null) wanted.set(String(id), days)
  }
  return wanted
}

const isShorter = (wanted: number, days: number | null): boolean => days === null || wanted < days

const nextTerm = (known: RetentionTerm | undefined, wanted: number, now: number): RetentionTerm => {
  const days = known?.days ?? null
  if (!isShorter(wanted, days)) return { days: wanted, wanted, since: now }
  if (known?.wanted !== wanted || known.since > now + slackMilliseconds) return { days, wanted, since: now }
  return now - known.since >= graceMilliseconds ? { ...known, days: wanted } : known
}

/** `now`: milliseconds since the Unix epoch, by the database's clock. */
export const nextTerms = (known: RetentionTerms, wanted: ReadonlyMap<string, number>, now: number): RetentionTerms =>
  Object.fromEntries([...wanted].map(([place, days]) => [place, nextTerm(known[place], days, now)]))

export interface DueDeletion {
  /** null: direct messages. */
  readonly channel_id: number | null
  /** What was sent before this time goes. */
  readonly before: number
  /** Messages, and conversations of direct ones, below this id are done with, for all that is known. */
  readonly from: number
}

/** The places where something may be too old. */
export const dueTerms = (terms: RetentionTerms, now: number): ReadonlyArray<DueDeletion> =>
  Object.entries(terms).flatMap(([place, { days }]) =>
    days === null
      ? []
      : [{ channel_id: place === direct ? null : Number(place), before: now - days * dayMilliseconds, from: 0 }],
  )
