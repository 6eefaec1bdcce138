/**
 * POST /external/{integration}: another service tells something, and the bot of the key in its address says it, by the same
 * way like every message: with the bot's permissions, and once, however often the service tries where it says which attempt
 * belongs to which delivery. What happens there and is of no interest is a success without a message: services switch web
 * hooks off that are refused.
 */
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Caller, dataReply, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest, type Checked, notThere, type RequestFailure, withFields } from "../../../api/errors.ts"
import { anyLength, json, optional, text } from "../../../api/params.ts"
import { bounded, list } from "../../../api/shapes.ts"
import type { WebhookBody } from "../../../api/webhook-body.ts"
import { Config } from "../../../config/config.ts"
import type { JsonObject } from "../../../json.ts"
import { findOwner, mayKnowOf } from "../../ground/permissions/permissions.ts"
import { isInvisible, unwantedCharacters } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Realms } from "../../ground/realm/realms.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { Id } from "../../ground/wire/wire-values.ts"
import type { Destination } from "../messages/destination.ts"
import { readContent } from "../messages/prepare-send.ts"
import { sendMessage } from "../messages/send-message.ts"
import { type EventFilter, isWanted } from "./event-filter.ts"
import { usualChoices, type WebhookChoices, type WebhookResult } from "./formats/webhook-result.ts"
import { type Integration, integrations } from "./integrations.ts"
import { readPayload } from "./read-payload.ts"

/** Some services encode addresses once more than they should: `my%20channel` arrives as it stands here. */
const decodedTwice = (name: string): string => {
  try {
    return /%[0-9a-f]{2}/i.test(name) ? decodeURIComponent(name) : name
  } catch {
    return name
  }
}

/** Digits are an id, as long as no channel that the sender or their owner may know of has them as its name. */
const channelOf = (realm: Realm, sender: UserRecord | undefined, stream: string): string | number => {
  const name = decodedTwice(stream)
  if (!/^\d{1,15}$/.test(name)) return name
  const named = realm.findChannelByName(name)
  const eyes = sender === undefined ? [] : [sender, findOwner(realm, sender)]
  const isName = named !== undefined && eyes.some((user) => user !== undefined && mayKnowOf(realm, user, named))
  return isName ? name : Number(name)
}

/** To a channel, or else to whom the bot belongs. Without a channel there is no topic. */
const destinationOf = (
  realm: Realm,
  caller: Caller,
  stream: string | undefined,
  topic: string,
): Checked<Destination> => {
  const sender = realm.users.get(caller.user)
  if (stream !== undefined) return Result.succeed({ type: "channel", to: channelOf(realm, sender, stream), topic })
  const owner = sender === undefined || !sender.is_bot ? sender : findOwner(realm, sender)
  return owner === undefined
    ? Result.fail(badRequest("The bot has no owner to write to: name a channel as stream in the address"))
    : Result.succeed({ type: "direct", to: [owner.id], topic: undefined })
}

const topicFrom = (raw: string, { topic }: Integration): string => {
  const cleaned = raw.replace(unwantedCharacters, " ").trim()
  return isInvisible(cleaned) ? topic : cleaned
}

/** The key by which a further attempt is known, where the service numbers its deliveries. */
const echoOf = ({ delivery }: WebhookBody, { name }: Integration, { to, topic }: Destination) => {
  if (delivery === "") return null
  const digest = (text: string) => createHash("sha256").update(text).digest("base64url")
  // Two web hooks of one service may tell two places of the same.
  return {
    queueId: `hook:${name}:${digest(JSON.stringify([to, topic ?? null]))}`,
    localId: digest(delivery),
    digest: name,
  }
}

/** What one request asks for, beside its body. */
interface WebhookOptions {
  readonly stream: string | undefined
  readonly topic: string | undefined
  readonly filter: EventFilter
  readonly choices: WebhookChoices
}

/** What is answered where nothing is told: many look at the answers when they wonder why. */
const untold = ({ ignoredEvent, reason }: Extract<WebhookResult, { readonly ignoredEvent: string }>) =>
  reason === undefined ? { ignored_event: ignoredEvent } : { ignored_event: ignoredEvent, ignored_reason: reason }

const tell = Effect.fnUntraced(function* (
  caller: Caller,
  integration: Integration,
  asked: WebhookOptions,
  hook: WebhookBody,
) {
  const payload = yield* Effect.fromResult(readPayload(hook))
  const heard = integration.format(payload, hook.event, asked.choices)
  if ("refused" in heard) return yield* badRequest(heard.refused)
  if ("ignoredEvent" in heard) return untold(heard)
  if (!isWanted(heard.event, asked.filter))
    return untold({ ignoredEvent: heard.event, reason: "The address leaves this kind of event out" })
  const { realm } = yield* (yield* Realms).get(caller.realm)
  const topic = asked.topic ?? topicFrom(heard.topic, integration)
  const destination = yield* Effect.fromResult(destinationOf(realm, caller, asked.stream, topic))
  const content = yield* Effect.fromResult(readContent(heard.content, (yield* Config).limits))
  const echo = echoOf(hook, integration, destination)
  const { id } = yield* sendMessage(caller, { destination, content, readBySender: false, widget: undefined, echo })
  return { id }
})

/**
 * Programs that write to Slack look for its answer in ours: without `ok` some take it for a refusal, and send the same again
 * at each interval.
 */
const asSlackAnswers = <R>(telling: Effect.Effect<JsonObject, RequestFailure, R>) =>
  telling.pipe(
    Effect.map((fields) => ({ ok: true, ...fields })),
    Effect.catchTag("ApiError", (refusal) => withFields(refusal, { ok: false, error: refusal.msg })),
  )

const patterns = list(bounded({ max: 100 }), 100)

const absentHook: WebhookBody = { text: "", fields: null, event: "", delivery: "" }

export const postExternal = userEndpoint({
  method: "POST",
  path: "/external/{integration}",
  fresh: "onRefusal",
  forWebhookBots: true,
  takesWebhook: true,
  summary: "Takes what another service tells by its web hook, and sends it as a message.",
  params: {
    integration: text("integration", { max: 100 }),
    /** Read before the endpoint is found to be asked: the account is that of this key. */
    apiKey: optional(text("api_key", { max: 100 })),
    stream: optional(text("stream", anyLength)),
    topic: optional(text("topic", anyLength)),
    onlyEvents: optional(json("only_events", patterns)),
    excludeEvents: optional(json("exclude_events", patterns)),
    // Fields of other services' forms may be called like these, so no text is wrong.
    description: optional(text("description", anyLength)),
    desc: optional(text("desc", anyLength)),
    name: optional(text("name", anyLength)),
  },
  reply: Schema.Struct({
    id: Schema.optionalKey(Id),
    ignored_event: Schema.optionalKey(Schema.String),
    ignored_reason: Schema.optionalKey(Schema.String),
    ok: Schema.optionalKey(Schema.Literal(true)),
  }),
  errors: ["INVALID_API_KEY", "INVALID_JSON", "USER_DEACTIVATED", "REALM_DEACTIVATED", "STREAM_DOES_NOT_EXIST"],
  run: Effect.fnUntraced(function* (caller, { params, webhook: hook = absentHook }) {
    const integration = integrations.find(({ name }) => name === params.integration)
    if (integration === undefined) return yield* notThere("There is no such integration.")
    const { stream, topic, onlyEvents: only, excludeEvents: exclude } = params
    const { description, desc = usualChoices.textLabel, name = usualChoices.topicLabel } = params
    const choices = { isDescribed: description !== "false", textLabel: desc.trim(), topicLabel: name.trim() }
    const telling = tell(caller, integration, { stream, topic, filter: { only, exclude }, choices }, hook)
    return dataReply(yield* integration.answers === "slack" ? asSlackAnswers(telling) : telling)
  }),
})
