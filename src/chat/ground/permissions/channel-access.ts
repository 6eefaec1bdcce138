/** Finds a channel for a user. One that the user may not know of is refused exactly like one that does not exist. */
import * as Result from "effect/Result"
import {
  type ApiError,
  badRequest,
  type Checked,
  channelExists,
  channelIsArchived,
  notSignedIn,
} from "../../../api/errors.ts"
import type { ChannelId } from "../../../ids.ts"
import type { Realm } from "../realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../realm/records.ts"
import { isOpenToVisitors, mayKnowOf } from "./permissions.ts"

/** The channel with this id, archived ones too, if the user may know of it. */
export const requireChannel = (realm: Realm, user: UserRecord, id: ChannelId): Checked<ChannelRecord> => {
  const channel = realm.channels.get(id)
  return channel !== undefined && mayKnowOf(realm, user, channel)
    ? Result.succeed(channel)
    : Result.fail(badRequest("Invalid channel ID"))
}

/** The refusal of a name that a channel has. Only who may know of that channel is told that it is archived. */
export const nameTaken = (realm: Realm, user: UserRecord, channel: ChannelRecord, name: string): ApiError =>
  channel.is_archived && mayKnowOf(realm, user, channel) ? channelIsArchived(name) : channelExists(name)

/** As requireChannel; for a visitor (null) only channels open to visitors, and "not signed in" for all others. */
export const requireChannelFor = (realm: Realm, reader: UserRecord | null, id: ChannelId): Checked<ChannelRecord> => {
  if (reader !== null) return requireChannel(realm, reader, id)
  const channel = realm.channels.get(id)
  return channel !== undefined && isOpenToVisitors(channel) ? Result.succeed(channel) : Result.fail(notSignedIn())
}
