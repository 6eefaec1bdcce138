/**
 * The requester as a command's judgement sees them: looked up again at every judging, because being active, with the
 * key that the request was signed with, is one of the rules a command takes effect under (I6).
 */
import * as Result from "effect/Result"
import type { Caller } from "../../endpoint.ts"
import { type ApiError, unauthorized } from "../../errors.ts"
import type { Realm } from "../realm/realm.ts"
import type { UserRecord } from "../realm/records.ts"

export const requireActor = (
  realm: Realm,
  caller: Pick<Caller, "user" | "keyVersion">,
): Result.Result<UserRecord, ApiError> => {
  const user = realm.users.get(caller.user)
  if (realm.isDeactivated) return Result.fail(unauthorized("This organization has been deactivated"))
  if (user === undefined || !realm.isActive(caller.user)) return Result.fail(unauthorized("Account is deactivated"))
  return user.key_version === caller.keyVersion ? Result.succeed(user) : Result.fail(unauthorized("Invalid API key"))
}
