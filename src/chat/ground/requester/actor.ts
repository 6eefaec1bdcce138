/**
 * The requester of a command, looked up again each time the command is judged: that they are active, and that the key
 * of the request is still valid, must hold at the command's position (I6).
 */
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { type Checked, unauthorized } from "../../../api/errors.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"

export const requireActor = (realm: Realm, caller: Pick<Caller, "user" | "keyVersion">): Checked<UserRecord> => {
  const user = realm.users.get(caller.user)
  if (realm.isDeactivated) return Result.fail(unauthorized("This organization has been deactivated"))
  if (user === undefined || !realm.isActive(caller.user)) return Result.fail(unauthorized("Account is deactivated"))
  return user.key_version === caller.keyVersion ? Result.succeed(user) : Result.fail(unauthorized("Invalid API key"))
}
