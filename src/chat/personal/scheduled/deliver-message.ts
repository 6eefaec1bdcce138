/** Scheduled messages are sent exactly as POST /messages sends: rendered, marked and judged by what holds at that moment. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Caller } from "../../../api/endpoint.ts"
import { Config } from "../../../config/config.ts"
import { wakeBotCalls } from "../../sending/messages/bot-calls.ts"
import type { Destination } from "../../sending/messages/destination.ts"
import { planSend } from "../../sending/messages/judge-send.ts"
import { noteSent, prepareSend, readContent } from "../../sending/messages/prepare-send.ts"
import { readOutcome } from "../../sending/messages/send-outcome.ts"
import { deliverer, type PreparedDelivery } from "./delivery.ts"
import { type ScheduledMessage, scheduledMessages } from "./scheduled-lists.ts"

interface AddressedMessage extends Pick<ScheduledMessage, "type" | "to"> {
  readonly topic?: string | undefined
}

export const destinationOf = ({ type, to, topic }: AddressedMessage): Destination => ({
  type: type === "stream" ? "channel" : "direct",
  to,
  topic,
})

const prepare = Effect.fnUntraced(function* (value: ScheduledMessage, caller: Caller) {
  const { limits } = yield* Config
  const content = yield* Effect.fromResult(readContent(value.content, limits))
  const { read_by_sender: readBySender } = value
  const unsent = { destination: destinationOf(value), content, readBySender, widget: undefined, echo: null }
  const prepared = yield* prepareSend(caller, unsent)
  return {
    plan: (realm, _author, now) =>
      Result.map(planSend(realm, now, prepared.send, limits), ({ args, changesRules, met, after }) => ({
        met,
        after,
        step: {
          fn: "send_messages_v5",
          calls: [args],
          answers: true,
          ...(changesRules ? {} : { keepsRules: true }),
        },
        asks: { begin: { member_key: args.member_key ?? null, may_begin: args.may_begin ?? true } },
      })),
    sent: ([outcome = null]) => {
      const sent = readOutcome(outcome)
      return sent._tag === "Done"
        ? Effect.andThen(noteSent(caller, sent.answer, prepared), wakeBotCalls)
        : Effect.die(sent.failure)
    },
  } satisfies PreparedDelivery<unknown>
})

export const deliverMessage = deliverer({
  itemKind: "scheduled_message",
  list: scheduledMessages,
  prepare,
  asFailed: (value: ScheduledMessage) => ({ ...value, failed: true }),
  caller: ({ client, origin }: ScheduledMessage) => ({ client, origin }),
})
