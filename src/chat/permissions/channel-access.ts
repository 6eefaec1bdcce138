/** A channel as somebody may know of it: what they may not know of answers exactly like what does not exist. */
import * as Result from "effect/Result"
import { type ApiError, badRequest, notSignedIn } from "../../errors.ts"
import type { ChannelId } from "../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import { isOpenToVisitors, mayKnowOf } from "./permissions.ts"

/** Archived ones too: they are known, only listed no more. */
export const requireChannel = (
  realm: Realm,
  user: UserRecord,
  id: ChannelId,
): Result.Result<ChannelRecord, ApiError> => {
  const channel = realm.channels.get(id)
  return channel !== undefined && mayKnowOf(realm, user, channel)
    ? Result.succeed(channel)
    : Result.fail(badRequest("Invalid channel ID"))
}

/** The same for whoever reads; to a visitor anything else is what needs an account. */
export const requireChannelFor = (
  realm: Realm,
  reader: UserRecord | null,
  id: ChannelId,
): Result.Result<ChannelRecord, ApiError> => {
  if (reader !== null) return requireChannel(realm, reader, id)
  const channel = realm.channels.get(id)
  return channel !== undefined && isOpenToVisitors(channel) ? Result.succeed(channel) : Result.fail(notSignedIn())
}
