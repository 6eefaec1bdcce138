/**
 * The outgoing webhooks that a message calls: bots whose programs run elsewhere, and are told of what mentions them in a channel
 * or is sent to them directly. A row of the outbox is added for each in the commit of the message; what is done with it is the
 * feature `outgoing-webhooks`. What bots send calls nobody, so two of them cannot talk for ever.
 */
import * as Schema from "effect/Schema"
import type { NewCalls } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { Jobs } from "../../../jobs/jobs.ts"
import { botTypes } from "../../ground/bot-settings/bot-settings.ts"
import { mayReadMessage } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import type { Mentions } from "../../text/markdown/context/rendered.ts"

/** The name of the kind of these rows in the outbox, which its SQL function knows, too. */
export const botCallName = "bot call"

const triggers = ["direct_message", "mention"] as const

/** A row of the outbox. */
export const BotCallPayload = Schema.Struct({
  bot: idSchemas.user,
  trigger: Schema.Literals(triggers),
  message: idSchemas.message,
  /** Nobody is called: too many calls of the bot waited already, which its owner is told. */
  left_out: Schema.optionalKey(Schema.Literal(true)),
})
export type BotCallPayload = typeof BotCallPayload.Type

/** The message gets its id in the commit. */
export type BotCall = Pick<BotCallPayload, "bot" | "trigger">

const nobody: ReadonlyArray<BotCall> = []

const isCalled = (realm: Realm, user: UserRecord | undefined): user is UserRecord =>
  user?.bot_type === botTypes.outgoingWebhook && realm.isActive(user.id)

/** A mention lets no bot into a private channel. */
export const calledByMention = (
  realm: Realm,
  sender: UserRecord,
  channel: ChannelRecord,
  { users }: Mentions,
): ReadonlyArray<BotCall> => {
  if (sender.is_bot || users.length === 0) return nobody
  const reads = (id: UserId): boolean => {
    const user = realm.users.get(id)
    return isCalled(realm, user) && mayReadMessage(realm, user, channel, true)
  }
  return users.filter(reads).map((bot) => ({ bot, trigger: "mention" }))
}

export const calledByDirect = (
  realm: Realm,
  sender: UserRecord,
  people: ReadonlyArray<UserRecord>,
): ReadonlyArray<BotCall> => {
  if (sender.is_bot) return nobody
  const called = people.filter((user) => isCalled(realm, user))
  return called.length === 0 ? nobody : called.map(({ id }) => ({ bot: id, trigger: "direct_message" }))
}

const noSteps: ReadonlyArray<NewCalls> = []

/** The step behind the send. */
export const callSteps = (calls: ReadonlyArray<BotCall>): ReadonlyArray<NewCalls> =>
  calls.length === 0 ? noSteps : [{ fn: "add_bot_calls_v1", calls, keepsRules: true }]

/** To be run behind such a commit. */
export const wakeBotCalls = Jobs.useSync((jobs) => jobs.wake({ name: `outbox: ${botCallName}` }))
