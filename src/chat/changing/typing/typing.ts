/**
 * POST /typing and its indicators. A typist's indicator in a conversation exists while they type (typing-indicators.ts). Its
 * announcements go, at most once, to the live queues of those who are in the conversation then. Nothing is stored. The
 * permissions are those of sending a message; only a channel that is not there, or hidden, is refused in other words.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, noFields, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, type RequestFailure } from "../../../api/errors.ts"
import { anyLength, choice, integer, json, optional, text, unjudged, withDefault } from "../../../api/params.ts"
import { id as idShape, list } from "../../../api/shapes.ts"
import { Config, type Limits } from "../../../config/config.ts"
import { type UserSet, userSet } from "../../../events/event.ts"
import { idSchemas, UserId } from "../../../ids.ts"
import { findPersonFor } from "../../ground/realm/acquaintance/find-user.ts"
import { fold } from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { requireActor } from "../../ground/requester/actor.ts"
import { requireChannelToPost, requireDirectMessages, requireTopic } from "../../sending/messages/destination.ts"
import { type TypingPayload, typingKind } from "./typing-event.ts"
import { type IndicatorKind, makeIndicators } from "./typing-indicators.ts"
import type { TypingOp } from "./typing-machine.ts"

/** The place of typing as the request states it, not checked yet. */
export type TypingPlace =
  | { readonly kind: "channel"; readonly channel: number; readonly topic: string }
  | { readonly kind: "people"; readonly people: ReadonlyArray<UserId> }

const op = Schema.Literals(["start", "stop"])

/** What somebody says, as processes tell it each other: ids, because a text of them all would be too long. */
const Said = Schema.Union([
  Schema.Struct({ op, sender: idSchemas.user, channel: idSchemas.channel, topic: Schema.String }),
  /** All participants by id, the typist and deactivated users included: together they identify the conversation. */
  Schema.Struct({ op, sender: idSchemas.user, people: Schema.Array(idSchemas.user) }),
])
type Said = typeof Said.Type

const requireSaid = (
  realm: Realm,
  typist: UserRecord,
  op: TypingOp,
  place: TypingPlace,
  limits: Limits,
): Checked<Said> =>
  Result.gen(function* () {
    if (place.kind === "channel") {
      if (!typist.settings.send_stream_typing_notifications)
        return yield* Result.fail(badRequest("User has disabled typing notifications for channel messages"))
      const found = requireChannelToPost(realm, typist, place.channel)
      const channel = yield* Result.mapError(found, (fault) =>
        fault.code === "STREAM_DOES_NOT_EXIST" ? badRequest("Invalid channel ID") : fault,
      )
      const topic = yield* requireTopic(realm, channel, place.topic, limits.maxTopicLength)
      return { op, sender: typist.id, channel: channel.id, topic }
    }
    if (!typist.settings.send_private_typing_notifications)
      return yield* Result.fail(badRequest("User has disabled typing notifications for direct messages"))
    const found = new Map([[typist.id, typist]])
    for (const id of place.people) {
      const user = findPersonFor(realm, typist, id)
      if (user === undefined) return yield* Result.fail(badRequest(`Invalid user ID ${id}`))
      found.set(id, user)
    }
    const people = [...found.values()].sort((a, b) => a.id - b.id)
    const active = people.filter(({ id }) => realm.isActive(id))
    yield* requireDirectMessages(realm, typist, active)
    return { op, sender: typist.id, people: people.map(({ id }) => id) }
  })

/** Whether a channel has too many subscribers for indicators: each start would cost as much as a message. */
const isCrowded = (realm: Realm, said: Said, limits: Limits): boolean =>
  "channel" in said && realm.subscribers(said.channel).length > limits.typingChannelSubscribers

/** The present participants or subscribers, without those who do not want to see typing indicators. */
const receiversNow = (realm: Realm, said: Said): UserSet => {
  const users =
    "people" in said ? userSet(said.people.filter((id) => realm.isActive(id))) : realm.subscribers(said.channel)
  const wantsToKnow = (id: number) => realm.users.get(UserId(id))?.settings.receives_typing_notifications !== false
  // If possible the channel's own set: the hub has looked up its queues already.
  return users.every(wantsToKnow) ? users : users.filter(wantsToKnow)
}

/** Undefined where there is somebody whom this process does not know. */
const payloadOf = (realm: Realm, said: Said): TypingPayload | undefined => {
  // The present address: a user may have hidden their address between the start and the expiry.
  const wirePeople = (ids: ReadonlyArray<UserId>) =>
    ids.flatMap((id) => {
      const user = realm.users.get(id)
      return user === undefined ? [] : [{ user_id: id, email: apiEmail(realm, user) }]
    })
  const [sender] = wirePeople([said.sender])
  if (sender === undefined) return undefined
  const common = { op: said.op, sender }
  if ("channel" in said) return { ...common, channel: { id: said.channel, topic: said.topic } }
  const people = wirePeople(said.people)
  return people.length === said.people.length ? { ...common, people } : undefined
}

const indicators: IndicatorKind<Said> = {
  type: typingKind.type,
  said: Said,
  keyOf: (said) =>
    "channel" in said
      ? `${said.sender} in ${said.channel} ${fold(said.topic)}`
      : `${said.sender} to ${said.people.join(",")}`,
  event: (realm, said, limits) => {
    // If a channel has grown too large since the start, the expiry of the indicator is not announced.
    const payload = isCrowded(realm, said, limits) ? undefined : payloadOf(realm, said)
    return payload === undefined ? null : { payload, users: receiversNow(realm, said) }
  },
}

interface TypingShape {
  /** Checks a start or stop and announces it; fails as sending a message to that place would. */
  readonly tell: (caller: Caller, op: TypingOp, place: TypingPlace) => Effect.Effect<void, RequestFailure>
}

export class Typing extends Context.Service<Typing, TypingShape>()("parley/chat/Typing") {
  /** Ends before the realms do, so that no indicator expires in a realm that has stopped. */
  static readonly layer = Layer.effect(
    Typing,
    Effect.gen(function* () {
      const realms = yield* Realms
      const { limits } = yield* Config
      const announce = yield* makeIndicators(indicators)

      return Typing.of({
        tell: Effect.fnUntraced(function* (caller, op, place) {
          const runtime = yield* realms.get(caller.realm)
          const { realm } = runtime
          const typist = yield* Effect.fromResult(requireActor(realm, caller))
          const said = yield* Effect.fromResult(requireSaid(realm, typist, op, place, limits))
          if (!isCrowded(realm, said, limits)) announce(runtime, said)
        }),
      })
    }),
  )
}

/** A required parameter: a refusal if it is absent or malformed. */
const requireGiven = <A>(given: Checked<A | undefined>, fault: string): Checked<A> =>
  Result.flatMap(given, (value) => (value === undefined ? Result.fail(badRequest(fault)) : Result.succeed(value)))

export const postTyping = userEndpoint({
  method: "POST",
  path: "/typing",
  fresh: "onRefusal",
  summary: "Tells the others in a conversation that the requester has started or stopped typing.",
  params: {
    type: withDefault(choice("type", ["direct", "stream", "channel"]), "direct"),
    op: choice("op", ["start", "stop"]),
    to: unjudged(optional(json("to", list(idShape(UserId), 1000)))),
    streamId: unjudged(optional(integer("stream_id"))),
    topic: unjudged(optional(text("topic", anyLength))),
  },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { type, op, to, streamId, topic } }) {
    const typing = yield* Typing
    if (type === "direct") {
      const people = yield* Effect.fromResult(requireGiven(to, "Missing 'to' argument"))
      if (people.length === 0) return yield* Effect.fail(badRequest("Empty 'to' list"))
      yield* typing.tell(caller, op, { kind: "people", people })
    } else {
      const channel = yield* Effect.fromResult(requireGiven(streamId, "Missing 'stream_id' argument"))
      const named = yield* Effect.fromResult(requireGiven(topic, "Missing topic"))
      yield* typing.tell(caller, op, { kind: "channel", channel, topic: named })
    }
    return dataReply()
  }),
})
