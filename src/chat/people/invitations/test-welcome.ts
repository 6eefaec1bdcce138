/**
 * POST /realm/test_welcome_bot_custom_message: an administrator gets a text as Welcome Bot would send it to new accounts.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { text } from "../../../api/params.ts"
import { change, refused } from "../../../events/command.ts"
import { mayChangeRealm, ranksTooLow } from "../../ground/permissions/permissions.ts"
import { longestWelcomeText } from "../../ground/realm/realm-settings.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import { noticeSteps } from "../../sending/notices/notices.ts"
import { customWelcome } from "../users/welcome-messages.ts"

export const testWelcome = userEndpoint({
  method: "POST",
  path: "/realm/test_welcome_bot_custom_message",
  fresh: "onRefusal",
  summary: "Sends the requester a text as Welcome Bot would send it to new accounts.",
  params: { content: text("welcome_message_custom_text", { max: longestWelcomeText }) },
  reply: Schema.Struct({ message_id: Id }),
  errors: ["UNAUTHORIZED_PRINCIPAL"],
  run: Effect.fnUntraced(function* (caller, { params: { content } }) {
    if (content.trim() === "") return yield* badRequest("Message must not be empty")
    const message_id = yield* submitAs(caller, (realm, actor) => {
      if (!mayChangeRealm(actor)) return refused(ranksTooLow(actor))
      const sends = noticeSteps(realm, [customWelcome(realm, actor, content)])
      return change(
        sends.map((step) => ({ ...step, answers: true as const })),
        {
          answer: (_positions, [sent]) => (Predicate.isObject(sent) ? Number(sent["id"]) : Number.NaN),
        },
      )
    })
    return dataReply({ message_id })
  }),
})
