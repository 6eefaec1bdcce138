/** Whether a message can be reported: its reporter may read it, and the organization has a channel for moderation requests. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { ChannelId } from "../../../ids.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { findPerson } from "../../ground/realm/system-bots.ts"
import { noMessage, requireReadable } from "../../reading/history/message-access.ts"
import type { FoundMessage } from "../message-edits/found-message.ts"
import type { MessageReport } from "./report-notice.ts"

const requireRequestChannel = ({ settings, channels }: Realm): Checked<ChannelRecord> => {
  const channel = channels.get(ChannelId(settings.moderation_request_channel_id))
  return channel === undefined || channel.is_archived
    ? Result.fail(
        badRequest("This organization has no channel for moderation requests, so messages cannot be reported."),
      )
    : Result.succeed(channel)
}

/** The reported message, if the user may read it, and where its copy goes. */
export const requireReportable = (realm: Realm, user: UserRecord, found: FoundMessage) =>
  Result.gen(function* () {
    const requests = yield* requireRequestChannel(realm)
    const place = yield* requireReadable(realm, user, found.place)
    const sender = findPerson(realm, place.sender_id)
    if (found.text === undefined || sender === undefined) return yield* Result.fail(noMessage)
    const { content, topic } = found.text
    const channel = place.channel_id === null ? undefined : realm.channels.get(place.channel_id)
    const message: MessageReport["message"] = {
      id: place.id,
      sender,
      content,
      place: channel === undefined ? null : { channel, topic },
    }
    return { requests, place, topic, message }
  })

export type ReportedMessage = Result.Result.Success<ReturnType<typeof requireReportable>>
