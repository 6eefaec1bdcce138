/** Commands by which tests change an organization or an account, whoever may. Used by with-server.ts. */
import * as Effect from "effect/Effect"
import type { RealmSettings } from "../../src/chat/ground/realm/realm-settings.ts"
import type { UserSetting, UserSettings } from "../../src/chat/ground/realm/user-settings.ts"
import { judgeRealmChange } from "../../src/chat/organization/organization/realm-update.ts"
import { accountStateKind } from "../../src/chat/people/users/account-kinds.ts"
import { settingRows } from "../../src/chat/people/users/setting-rows.ts"
import { submitTo } from "../../src/chat/server/setup/setup-commands.ts"
import { Config } from "../../src/config/config.ts"
import { toServers } from "../../src/events/audience.ts"
import { change, done } from "../../src/events/command.ts"
import type { RealmId, UserId } from "../../src/ids.ts"

/** Changes some settings of an organization. Dies if a value is not one that the setting can have. */
export const changeRealmSettings = Effect.fnUntraced(function* (id: RealmId, changes: Partial<RealmSettings>) {
  const config = yield* Config
  yield* submitTo(id, (realm) => judgeRealmChange(realm, changes, config))
})

/** The user can no longer sign in with their password; their API key stays valid. */
export const requirePasswordReset = (id: RealmId, user: UserId) =>
  submitTo(id, (realm) => {
    const known = realm.users.get(user)
    if (known === undefined || known.must_reset_password) return done(undefined)
    return change([accountStateKind.change({ user_id: user, must_reset: true }, toServers)])
  })

/** Changes a user's setting. Dies if the value is not one that the setting can have. */
export const changeUserSetting = <Name extends UserSetting>(
  id: RealmId,
  user: UserId,
  property: Name,
  value: UserSettings[Name],
) =>
  submitTo(id, (realm) => {
    const before = realm.users.get(user)
    const rows = before === undefined ? [] : settingRows(realm, before, [[property, value]])
    return rows.length === 0 ? done(undefined) : change(rows)
  })
