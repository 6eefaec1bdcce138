/**
 * What a queue gets where its register does not say. That of a bot has defaults of its own, so that a program that asks for
 * nothing in particular reads what the bot is for, as whoever made it has set it.
 */
import { botSettings } from "../../ground/bot-settings/bot-settings.ts"
import { isGuest } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import type { QueueDescription } from "./queue-description.ts"
import type { RegisterRequest } from "./register-params.ts"

type QueueScope = Pick<QueueDescription, "narrow" | "all_public_streams">

/**
 * The messages that a new queue gets. A request that narrows itself is not narrowed further, and one that says whether it
 * wants all public channels is heard; guests never get these. A channel is known by the name that it has now.
 */
export const queueScopeOf = (
  realm: Realm,
  user: UserRecord,
  { narrow, allPublicStreams }: Pick<RegisterRequest, "narrow" | "allPublicStreams">,
): QueueScope => {
  if (!user.is_bot) return { narrow, all_public_streams: allPublicStreams ?? false }
  const { reading, all_public } = realm.part(botSettings).of(user.id)
  const channel = reading === null ? undefined : realm.channels.get(reading.id)
  return {
    narrow: narrow.length > 0 || channel === undefined ? narrow : [["channel", channel.name]],
    all_public_streams: allPublicStreams ?? (all_public && !isGuest(user)),
  }
}
