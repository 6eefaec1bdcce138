/**
 * POST /messages/{message_id}/report: whoever may read a message may report it to the moderators. They get a copy of it
 * in the organization's channel for moderation requests, whether they may read the message itself or not.
 */
import * as Effect from "effect/Effect"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { choice, id, optional, text } from "../../../api/params.ts"
import { Config } from "../../../config/config.ts"
import { type Conflict, conflict } from "../../../conflict.ts"
import { change, done, type Judgement, judgementOf } from "../../../events/command.ts"
import { MessageId } from "../../../ids.ts"
import { FileClaims } from "../../ground/files/file-claims.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitWithRecord } from "../../ground/requester/submit.ts"
import { type Notice, noticeSteps } from "../../sending/notices/notices.ts"
import { publicAnd } from "../../text/markdown/find-names.ts"
import { textsOfCommand } from "../../text/markdown/render-text.ts"
import { findMessageWithText } from "../message-edits/found-message.ts"
import { reportNotice, reportTypes } from "./report-notice.ts"
import { type ReportedMessage, requireReportable } from "./require-reportable.ts"

const longestDescription = 1000

/** The message, and the files that its copy links and the reporter may read: so may the moderators. */
const findReported = Effect.fnUntraced(function* (
  caller: Caller,
  id: MessageId,
  noticeOf: (realm: Realm, reported: ReportedMessage, reporter: UserRecord) => Notice,
) {
  const found = yield* findMessageWithText(caller, id)
  const { realm, user } = yield* requireAccount(caller)
  const reported = yield* Effect.fromResult(requireReportable(realm, user, found))
  const html = textsOfCommand()(realm, publicAnd(reported.requests), noticeOf(realm, reported, user).content)
  return { found, files: yield* (yield* FileClaims).find(caller, html) }
})

export const reportMessage = userEndpoint({
  method: "POST",
  path: "/messages/{message_id:int}/report",
  fresh: "onRefusal",
  summary: "Reports a message to the organization's moderators.",
  params: {
    messageId: id("message_id", MessageId),
    type: choice("report_type", reportTypes),
    description: optional(text("description", { max: longestDescription })),
  },
  reply: noFields,
  errors: ["REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params: { messageId, type, description: raw = "" } }) {
    const { limits } = yield* Config
    const longest = { topic: limits.maxTopicLength, message: limits.maxMessageLength }
    const description = raw.trim() === "" ? undefined : raw.trim()
    if (type === "other" && description === undefined)
      return yield* badRequest("A report for another reason needs a description.")
    const noticeOf = (realm: Realm, { requests, message }: ReportedMessage, reporter: UserRecord) =>
      reportNotice(realm, requests, { reporter, type, description, message }, longest)
    yield* submitWithRecord(
      caller,
      findReported(caller, messageId, noticeOf),
      ({ found, files }, realm, reporter): Judgement<undefined | Conflict> =>
        judgementOf(
          requireReportable(realm, reporter, found),
          (reported): Judgement<undefined | Conflict> =>
            change(noticeSteps(realm, [{ ...noticeOf(realm, reported, reporter), files }]), {
              answer: () => undefined,
              // A message that is deleted or moved meanwhile is looked for again: the requester may have lost it.
              guard: {
                fn: "is_still_there_v1",
                args: {
                  message_id: messageId,
                  channel_id: reported.place.channel_id,
                  since: reported.place.channel_since,
                  topic: reported.topic,
                },
              },
              refused: { moved: done(conflict) },
            }),
        ),
    )
    return dataReply()
  }),
})
