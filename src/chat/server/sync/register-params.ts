/** The parameters of POST /register: reading and checking them. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { alias, boolean, type Decoded, integer, json, jsonOrText, optional, withDefault } from "../../../api/params.ts"
import { bounded, either, boolean as flag, list, integer as number, refined, shape, word } from "../../../api/shapes.ts"
import type { Limits } from "../../../config/config.ts"
import { type Capabilities, capabilitiesOf, noCapabilities } from "../../../events/client-capabilities.ts"
import type { ClientRendering } from "../../../events/encode.ts"
import type { SectionView } from "../../ground/kinds/section-view.ts"
import { narrowTerm } from "./queue-description.ts"

/** Bounds, because each message is compared with the whole narrow, each event with all types, and queues store both. */
const longestNarrow = 100
const mostTypes = 200
const longestOperand = 256
const longestType = 64
const mostCapabilities = 100

const pair = refined(
  list(bounded({ max: longestOperand })),
  ([operator, operand, ...further], path) =>
    operator === undefined || operand === undefined || further.length > 0
      ? Result.fail(`${path} is not length 2`)
      : Result.succeed([operator, operand] as const),
  { minItems: 2, maxItems: 2 },
)

const capabilitiesSchema = {
  type: "object",
  additionalProperties: { type: "boolean" },
  maxProperties: mostCapabilities,
}
/** Unknown names are accepted. */
const capabilities = shape<Capabilities>(capabilitiesSchema, (value, path) => {
  if (!Predicate.isObject(value)) return Result.fail(`${path} is not a dict`)
  if (Object.keys(value).length > mostCapabilities)
    return Result.fail(`${path} is too long (limit: ${mostCapabilities} items)`)
  const wrong = Object.entries(value).find(([, each]) => !Predicate.isBoolean(each))
  if (wrong !== undefined) return Result.fail(`${path}["${wrong[0]}"] is not a boolean`)
  return Result.succeed(capabilitiesOf(new Set(Object.keys(value).filter((name) => value[name] === true))))
})

export const registerParams = {
  applyMarkdown: withDefault(boolean("apply_markdown"), false),
  /** Default: true for users, false for visitors. */
  gravatar: optional(boolean("client_gravatar")),
  includeSubscribers: withDefault(
    jsonOrText("include_subscribers", either(flag, word("partial"), "is not a boolean")),
    false,
  ),
  slimPresence: withDefault(boolean("slim_presence"), false),
  presenceHistoryDays: optional(integer("presence_history_limit_days", { min: 0 })),
  eventTypes: optional(json("event_types", list(bounded({ max: longestType }), mostTypes))),
  fetchEventTypes: optional(json("fetch_event_types", list(bounded({ max: longestType }), mostTypes))),
  /** Default: false, for bots as their settings say. */
  allPublicStreams: optional(boolean("all_public_streams")),
  narrow: withDefault(json("narrow", list(pair, longestNarrow)), []),
  capabilities: withDefault(json("client_capabilities", capabilities), noCapabilities),
  idle: optional(
    alias(jsonOrText("idle_queue_timeout", either(number, word("mobile"), "is not an integer")), "queue_lifespan_secs"),
  ),
}

/** The checked parameters of a register. */
export interface RegisterRequest {
  /** The types of events that the queue gets; null: all. */
  readonly types: ReadonlyArray<string> | null
  readonly view: SectionView
  readonly rendering: ClientRendering
  readonly narrow: ReadonlyArray<readonly [string, string]>
  /** Undefined where the request does not say. */
  readonly allPublicStreams: boolean | undefined
  readonly idleSeconds: number
}

const readIdleSeconds = (idle: number | "mobile" | undefined, limits: Limits): Checked<number> => {
  if (idle === undefined) return Result.succeed(limits.queueIdleSeconds)
  // Phones sleep for long, so their queues get the longest timeout.
  if (idle === "mobile") return Result.succeed(limits.queueIdleMaxSeconds)
  if (idle < 1) return Result.fail(badRequest("idle_queue_timeout is too small"))
  if (idle > limits.queueIdleMaxSeconds) return Result.fail(badRequest("idle_queue_timeout is too large"))
  return Result.succeed(idle)
}

/** The name of a parameter that visitors may not choose; undefined if the request has none. */
const refusedToVisitors = ({ gravatar, includeSubscribers }: Decoded<typeof registerParams>): string | undefined => {
  if (gravatar === true) return "client_gravatar"
  return includeSubscribers === false ? undefined : "include_subscribers"
}

/**
 * The description of a queue holds less than this beside its narrow and event types: positions, the form of events, the
 * channel of a bot that says no narrow, and a space for each comma, as the database writes JSON.
 */
const otherBytes = 1536

/** Each term once, and no more of narrow and types than a queue's stored description may hold. */
const readNarrow = (
  narrow: RegisterRequest["narrow"],
  types: RegisterRequest["types"],
  limits: Limits,
): Checked<RegisterRequest["narrow"]> => {
  const terms = [...new Map(narrow.map((term) => [JSON.stringify(term), term])).values()]
  const unknown = terms.find(([operator, operand]) => narrowTerm(operator, operand) === null)
  if (unknown !== undefined) return Result.fail(badRequest(`Operator ${unknown[0]} not supported.`))
  const most = limits.queueDescriptionBytes - otherBytes
  return Buffer.byteLength(JSON.stringify([terms, types])) > most
    ? Result.fail(badRequest(`narrow and event_types are too long (limit: ${most} bytes together)`))
    : Result.succeed(terms)
}

export const readRequest = (
  params: Decoded<typeof registerParams>,
  limits: Limits,
  who: "user" | "visitor",
): Checked<RegisterRequest> => {
  const { capabilities, eventTypes, includeSubscribers, slimPresence, presenceHistoryDays: presenceDays } = params
  const refused = who === "visitor" ? refusedToVisitors(params) : undefined
  if (refused !== undefined) return Result.fail(badRequest(`Invalid '${refused}' parameter for anonymous request`))
  const types = eventTypes === undefined ? null : [...new Set(eventTypes)]
  const read = readNarrow(params.narrow, types, limits)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const fetched = params.fetchEventTypes ?? types
  const gravatar = params.gravatar ?? who === "user"
  const fetch = fetched === null ? null : new Set(fetched)
  return Result.map(readIdleSeconds(params.idle, limits), (idleSeconds) => ({
    types,
    view: { fetch, gravatar, includeSubscribers, slimPresence, presenceDays, ...capabilities },
    rendering: { rendered: params.applyMarkdown, gravatar, slimPresence, ...capabilities },
    narrow: read.success,
    allPublicStreams: params.allPublicStreams,
    idleSeconds,
  }))
}
