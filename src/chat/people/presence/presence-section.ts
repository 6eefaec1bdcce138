/** The section of register that says who is there. */
import * as Schema from "effect/Schema"
import type { Section, SectionSource } from "../../ground/kinds/section.ts"
import { member, membersOf } from "../../ground/kinds/section-text.ts"
import type { SectionView } from "../../ground/kinds/section-view.ts"
import { presences } from "../../ground/presences/presences.ts"
import { isLimited } from "../../ground/realm/acquaintance/acquaintance.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { NoKeys } from "../../ground/wire/wire-values.ts"
import { formOf, listPresences, Presences, recent } from "./presence-forms.ts"

/** The greatest id of a change; -1: there was none. */
const UpdateId = Schema.Int.check(Schema.isGreaterThanOrEqualTo(-1))

/** What an answer says of its moment: the greatest id, and Unix seconds with a fraction. */
export const momentKeys = { presence_last_update_id: UpdateId, server_timestamp: Schema.Finite }

export const momentOf = (realm: Realm, now: number) => {
  const { shown } = realm.part(presences)
  // Whoever asks with it when presences are shown again is answered all of them.
  const isNone = shown === 0 || realm.settings.presence_disabled
  return { presence_last_update_id: isNone ? -1 : shown, server_timestamp: now / 1000 }
}

const wanted = ({ now }: SectionSource, { slimPresence, presenceDays }: SectionView) => ({
  name: slimPresence ? ("newer" as const) : ("older" as const),
  range: recent(now, presenceDays),
})

/** A visitor without an account sees nobody. */
export const presenceSection: Section = {
  name: "presence",
  keys: { presences: Presences, ...momentKeys },
  visitorKeys: { presences: NoKeys, presence_last_update_id: Schema.Literal(-1) },
  prepare: (source, view) => {
    const { realm, user, now } = source
    const { lists } = realm.part(presences)
    lists.renew(unixSeconds(now))
    if (user === null || isLimited(realm, user)) return []
    const { name, range } = wanted(source, view)
    return lists.prepare(formOf(realm, name), range)
  },
  take: (source, view) => {
    const { realm, user, now } = source
    if (user === null) return membersOf({ presences: {}, presence_last_update_id: -1, server_timestamp: now / 1000 })
    const { name, range } = wanted(source, view)
    const moment = momentOf(realm, now)
    return [
      listPresences(realm, user, name, range),
      member("presence_last_update_id", moment.presence_last_update_id),
      member("server_timestamp", moment.server_timestamp),
    ]
  },
}
