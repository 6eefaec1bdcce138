/** What Notification Bot writes of scheduled messages and reminders: that one was not sent and why, and the reminder itself. */

import { cut } from "../../ground/realm/domain-values.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { asCode, type FindChannel, namePlace } from "../../sending/notices/names-in-notices.ts"
import { silentMention } from "../../sending/notices/notices.ts"
import { longestNotice, quoted } from "../../sending/notices/quote-text.ts"
import type { ScheduledItemKind } from "./scheduled-lists.ts"

const called: Readonly<Record<ScheduledItemKind, string>> = { scheduled_message: "message", reminder: "reminder" }

/** The error may hold names, which are shown as they are. `dueAt`: in milliseconds since the Unix epoch. */
export const refusalNotice = (itemKind: ScheduledItemKind, dueAt: number, error: string): string =>
  [
    `The ${called[itemKind]} that you scheduled for <time:${Math.floor(dueAt / 1000)}> was not sent because of the following error:`,
    quoted(asCode(error.replaceAll(/\s/g, " "))),
    "It stays among your scheduled messages. With a new time it is tried again.",
  ].join("\n\n")

/** A message of which somebody wants to be reminded, as they may read it now. */
export interface RemindedOf {
  readonly id: number
  readonly sender: UserRecord
  readonly content: string
  /** null: a direct message. */
  readonly place: { readonly channel: ChannelRecord; readonly topic: string } | null
}

const noteOf = (note: string): ReadonlyArray<string> => (note === "" ? [] : ["**Note:**", quoted(note)])

/**
 * `message`: undefined where it is gone, or hidden from who is to be reminded. `find`: the channels that they see.
 * `longest`: characters of a message.
 */
export const reminderText = (
  message: RemindedOf | undefined,
  note: string,
  find: FindChannel,
  longest: number,
): string => {
  const parts =
    message === undefined
      ? ["You asked to be reminded of a message that is not there for you any more.", ...noteOf(note)]
      : [
          `You asked to be reminded of ${message.place === null ? "a direct message" : namePlace(message.place.channel, message.place.topic, find, message.id)}.`,
          ...noteOf(note),
          `${silentMention(message.sender)} wrote:`,
          // Twice the length, because a character may be two code units: the cut below finds what is too long.
          quoted(message.content.slice(0, 2 * longestNotice)),
        ]
  return cut(parts.join("\n\n"), Math.min(longest, longestNotice), "\n\n[message truncated]")
}

/** What is listed of a reminder before its time: what nobody can lose the right to read. */
export const reminderContent = (note: string): string => (note === "" ? "You asked to be reminded of a message." : note)
