/**
 * What Notification Bot writes where messages were, and where they are moved to (contract 3.6). A private channel is named
 * only in itself: those who read the notice elsewhere may not know of it.
 */
import { publicAnd } from "../markdown/find-names.ts"
import { namePlace } from "../notices/name-place.ts"
import { type Notice, silentMention } from "../notices/notices.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"

export interface Place {
  readonly channel: ChannelRecord
  readonly topic: string
}

export interface Told {
  readonly mover: UserRecord
  readonly from: Place
  readonly to: Place
  /** How many messages are moved; "all": the whole topic. */
  readonly count: number | "all"
}

const nameOf = ({ channel, topic }: Place, readIn: Place): string =>
  publicAnd(readIn.channel)(channel) ? namePlace(channel, topic) : "a private channel"

const whatOf = (count: Told["count"]): string =>
  count === "all" ? "This topic was" : count === 1 ? "A message was" : `${count} messages were`

export const noticeThere = ({ mover, from, to, count }: Told): Notice => ({
  ...to,
  content: `${whatOf(count)} moved here from ${nameOf(from, to)} by ${silentMention(mover)}.`,
})

export const noticeWhereTheyWere = ({ mover, from, to, count }: Told): Notice => ({
  ...from,
  content: `${whatOf(count)} moved${count === "all" ? "" : " from this topic"} to ${nameOf(to, from)} by ${silentMention(mover)}.`,
})

export const noticeOfResolution = (mover: UserRecord, place: Place, what: "resolved" | "unresolved"): Notice => ({
  ...place,
  content: `${silentMention(mover)} has marked this topic as ${what}.`,
})
