/** What owners are told when messages of their organization are to be kept for another time: they alone may take it back. */

import * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import { Database } from "../../../db/database.ts"
import { fromTo, retentionName, retentionWarning } from "../../channels/channels/channel-notices.ts"
import { countOlderInRealm } from "../../channels/channels/channel-store.ts"
import { maySetRetention } from "../../ground/permissions/permissions.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { type Notice, silentMention } from "../../sending/notices/notices.ts"

/** `older`: how many messages are older than they may be by the new time, in `days`. */
export const retentionNotices = (
  realm: Realm,
  actor: UserRecord,
  days: number,
  older: number,
): ReadonlyArray<Notice> => {
  const before = retentionName(realm.settings.message_retention_days)
  const content = `${silentMention(actor)} changed for how long messages are kept, in channels that say nothing of their own and in direct messages:${fromTo(before, retentionName(days))}${retentionWarning(older)}`
  return [...realm.users.values()]
    .filter((user) => user.role === roles.owner && !user.is_bot && realm.isActive(user.id))
    .map((user) => ({ user, content }))
}

/** How many messages are older than they may be by a new retention. Whoever may not say it is refused without a count. */
export const countExpiring = Effect.fnUntraced(function* (caller: Caller, days = -1) {
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const actor = realm.users.get(caller.user)
  if (days < 0 || actor === undefined || !maySetRetention(actor)) return 0
  return yield* countOlderInRealm(yield* Database, caller.realm, realm.now() - days * 24 * 3600_000)
})
