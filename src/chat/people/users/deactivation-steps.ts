/**
 * What is written when people leave: the rows of an account that is deactivated. Their queues end, because nobody can read
 * them any more; connections are closed by the row itself.
 */
import { toRealm } from "../../../events/audience.ts"
import type { CommandStep } from "../../../events/step.ts"
import { channelsOf, peerInAll } from "../../channels/subscriptions/subscription-steps.ts"
import { endQueuesRow, tellOrEndQueues } from "../../ground/kinds/queue-end-row.ts"
import { realmUserRows } from "../../ground/kinds/realm-user-row.ts"
import { partingRows } from "../../ground/permissions/acquaintance-rows.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { type IsActive, withChangedRules } from "../../ground/realm/realm-rules.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { accountLinksEndedRow } from "../account-links/account-link-kinds.ts"
import { allMembershipRows, namingRows } from "../user-groups/membership-rows.ts"
import { keysForgotten } from "./roles/roles.ts"

/** The active bots of a user, by id. */
export const botsOf = (realm: Realm, owner: UserRecord): ReadonlyArray<UserRecord> =>
  [...realm.ownedBots(owner.id)]
    .filter(realm.isActive)
    .sort((a, b) => a - b)
    .flatMap((id) => realm.users.get(id) ?? [])

const leave = (realm: Realm, user: UserRecord, isActive: IsActive): ReadonlyArray<CommandStep> => {
  const before = withChangedRules(realm, { isActive })
  const after = withChangedRules(realm, { isActive: (id) => id !== user.id && isActive(id) })
  const channels = channelsOf(realm, user.id)
  return [
    realmUserRows.change({ op: "update", user_id: user.id, is_active: false }, toRealm),
    endQueuesRow([user.id]),
    accountLinksEndedRow(user.id),
    ...keysForgotten(realm, user, null),
    ...tellOrEndQueues([
      ...allMembershipRows(before, user, "remove_members"),
      ...peerInAll("peer_remove", before, channels, user.id),
    ]),
    ...partingRows(
      realm,
      channels.map(({ id }) => ({ channel: id, users: [user] })),
    ),
    ...tellOrEndQueues(namingRows(after, user)),
  ]
}

/** These active accounts leave in one commit, one after the other. */
export const deactivationSteps = (realm: Realm, users: ReadonlyArray<UserRecord>): ReadonlyArray<CommandStep> => {
  const gone = new Set<number>()
  return users.flatMap((user) => {
    const before = new Set(gone)
    gone.add(user.id)
    return leave(realm, user, (id) => !before.has(id) && realm.isActive(id))
  })
}
