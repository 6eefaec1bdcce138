/**
 * The requester as a command's judgement sees them: looked up again at every judging, because being active is one of
 * the rules a command takes effect under (I6).
 */
import * as Result from "effect/Result"
import type { Caller } from "../endpoint.ts"
import { type ApiError, unauthorized } from "../errors.ts"
import type { Realm } from "./realm.ts"
import type { UserRecord } from "./records.ts"

export const requireActor = (realm: Realm, caller: Caller): Result.Result<UserRecord, ApiError> => {
  const user = realm.users.get(caller.user)
  return user !== undefined && realm.isActive(caller.user)
    ? Result.succeed(user)
    : Result.fail(unauthorized("Account is deactivated"))
}
