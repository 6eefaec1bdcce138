/** The parameters of register: defaults, options, refusals; and the queue made from them. */
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import t from "tap"
import { decodeParams } from "../../../../src/api/params.ts"
import { makeQueueSpecs, type QueueDescription } from "../../../../src/chat/server/sync/queue-description.ts"
import { readRequest, registerParams } from "../../../../src/chat/server/sync/register-params.ts"
import { defaultLimits } from "../../../../src/config/config.ts"
import { capabilityNames } from "../../../../src/events/client-capabilities.ts"
import { lastIdOf } from "../../../../src/events/event.ts"
import { isContained } from "../../../../src/events/queue-spec.ts"
import { QueueId, UserId, WireId } from "../../../../src/ids.ts"
import type { JsonObject } from "../../../../src/json.ts"
import { all, containedTypes, row } from "../../../kit/hand-made-realm.ts"

const queueSpec = makeQueueSpecs()

const decode = (source: Readonly<Record<string, string>>, who: "user" | "visitor" = "user") =>
  Result.flatMap(decodeParams(registerParams, new Map(Object.entries(source))), (params) =>
    readRequest(params, defaultLimits, who),
  )
const accepted = (source: Readonly<Record<string, string>>) => {
  const request = decode(source)
  if (Result.isFailure(request)) throw new Error(request.failure.msg)
  return request.success
}
const refusal = (source: Readonly<Record<string, string>>, who: "user" | "visitor" = "user") =>
  Option.getOrUndefined(Option.map(Result.getFailure(decode(source, who)), ({ code, msg }) => `${code} ${msg}`))

t.test("the defaults of a register", async (t) => {
  const request = accepted({})
  t.equal(request.types, null)
  t.strictSame(request.view, { ...all, gravatar: true, userSettingsObject: false })
  t.strictSame(request.narrow, [])
  t.equal(request.idleSeconds, defaultLimits.queueIdleSeconds)
  t.equal(request.allPublicStreams, undefined, "bots have a default of their own")
  t.equal(request.rendering.rendered, false)
})

t.test("the options of a register", async (t) => {
  t.strictSame(accepted({ event_types: '["message","message","x"]' }).types, ["message", "x"])
  t.strictSame(accepted({ event_types: '["message"]' }).view.fetch, new Set(["message"]))
  t.strictSame(accepted({ event_types: '["message"]', fetch_event_types: '["realm"]' }).view.fetch, new Set(["realm"]))
  t.strictSame(accepted({ fetch_event_types: "[]" }).types, null)
  t.equal(accepted({ include_subscribers: "partial" }).view.includeSubscribers, "partial")
  t.equal(accepted({ include_subscribers: '"partial"' }).view.includeSubscribers, "partial")
  t.equal(accepted({ include_subscribers: "true" }).view.includeSubscribers, true)
  t.match(accepted({ client_capabilities: '{"archived_channels":true,"empty_topic_name":false,"later":true}' }), {
    view: { archivedChannels: true, notificationNull: false, userSettingsObject: false },
    rendering: { archivedChannels: true, emptyTopicName: false, channelTyping: false },
  })
  t.equal(accepted({ idle_queue_timeout: "60" }).idleSeconds, 60)
  t.equal(accepted({ queue_lifespan_secs: "604800" }).idleSeconds, 604_800)
  t.equal(accepted({ idle_queue_timeout: "mobile" }).idleSeconds, defaultLimits.queueIdleMaxSeconds)
  t.strictSame(accepted({ narrow: '[["stream","lobby"],["is","dm"]]' }).narrow, [
    ["stream", "lobby"],
    ["is", "dm"],
  ])
  t.strictSame(accepted({ narrow: '[["is","odd"],["is","muted"]]' }).narrow, [
    ["is", "odd"],
    ["is", "muted"],
  ])
})

t.test("parameters that a register refuses", async (t) => {
  const refused: ReadonlyArray<[source: Readonly<Record<string, string>>, failure: string]> = [
    [{ event_types: "message" }, "BAD_REQUEST event_types is not valid JSON"],
    [{ event_types: "[1]" }, "BAD_REQUEST event_types[0] is not a string"],
    [{ fetch_event_types: '"message"' }, "BAD_REQUEST fetch_event_types is not a list"],
    [{ apply_markdown: "True" }, "BAD_REQUEST apply_markdown is not a boolean"],
    [{ narrow: '[["has","link"]]' }, "BAD_REQUEST Operator has not supported."],
    [{ narrow: '[["stream","x"],["colour","red"]]' }, "BAD_REQUEST Operator colour not supported."],
    [{ narrow: '[["near","5"]]' }, "BAD_REQUEST Operator near not supported."],
    [{ narrow: '[["is","followed"]]' }, "BAD_REQUEST Operator is not supported."],
    [{ narrow: '[["stream"]]' }, "BAD_REQUEST narrow[0] is not length 2"],
    [{ narrow: '[["stream","a","b"]]' }, "BAD_REQUEST narrow[0] is not length 2"],
    [{ narrow: '[{"operator":"stream"}]' }, "BAD_REQUEST narrow[0] is not a list"],
    [{ narrow: '[["stream",5]]' }, "BAD_REQUEST narrow[0][1] is not a string"],
    [{ client_capabilities: "[]" }, "BAD_REQUEST client_capabilities is not a dict"],
    [{ client_capabilities: '{"a":true,"b":1}' }, 'BAD_REQUEST client_capabilities["b"] is not a boolean'],
    [{ idle_queue_timeout: "0" }, "BAD_REQUEST idle_queue_timeout is too small"],
    [{ idle_queue_timeout: "604801" }, "BAD_REQUEST idle_queue_timeout is too large"],
    [{ idle_queue_timeout: "soon" }, "BAD_REQUEST idle_queue_timeout is not an integer"],
    [
      { idle_queue_timeout: "5", queue_lifespan_secs: "5" },
      "REQUEST_CONFUSING_VAR Can't decide between 'idle_queue_timeout' and 'queue_lifespan_secs' arguments",
    ],
    [{ include_subscribers: "some" }, "BAD_REQUEST include_subscribers is not a boolean"],
    [{ event_types: '"message"' }, "BAD_REQUEST event_types is not a list"],
    [{ presence_history_limit_days: "-1" }, "BAD_REQUEST presence_history_limit_days is too small"],
  ]
  for (const [source, failure] of refused) t.equal(refusal(source), failure, JSON.stringify(source))
})

t.test("every capability is accepted, and those that something depends on are kept", async (t) => {
  const given = (name: string) => accepted({ client_capabilities: JSON.stringify({ [name]: true, unheard_of: true }) })
  const flags = (name: string) => {
    const { rendering, view } = given(name)
    const entries = Object.entries({ ...view, ...rendering, gravatar: false })
    return entries.filter(([, value]) => value === true).map(([flag]) => flag)
  }
  t.match(
    Object.fromEntries(capabilityNames.map((name) => [name, flags(name)])),
    {
      notification_settings_null: ["notificationNull"],
      bulk_message_deletion: ["bulkDeletion"],
      stream_typing_notifications: ["channelTyping"],
      user_settings_object: ["userSettingsObject"],
      linkifier_url_template: ["linkifierTemplates"],
      include_deactivated_groups: ["deactivatedGroups"],
      archived_channels: ["archivedChannels"],
      empty_topic_name: ["emptyTopicName"],
    },
    "under the keys that stored descriptions have",
  )
  t.strictSame(flags("unheard_of"), [])
  const many = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`capability_${n}`, true])))
  t.equal(refusal({ client_capabilities: many(100) }), undefined)
  t.equal(refusal({ client_capabilities: many(101) }), "BAD_REQUEST client_capabilities is too long (limit: 100 items)")
})

t.test("a visitor cannot choose what to read", async (t) => {
  const wrong = (name: string) => `BAD_REQUEST Invalid '${name}' parameter for anonymous request`
  t.equal(refusal({ client_gravatar: "true" }, "visitor"), wrong("client_gravatar"))
  t.equal(refusal({ include_subscribers: "true" }, "visitor"), wrong("include_subscribers"))
  t.equal(refusal({ include_subscribers: "partial" }, "visitor"), wrong("include_subscribers"))
  t.equal(refusal({ client_gravatar: "false", include_subscribers: "false" }, "visitor"), undefined)
  const unsaid = decode({}, "visitor")
  t.ok(Result.isSuccess(unsaid) && !unsaid.success.view.gravatar)
})

t.test("a queue made from a stored description skips the rows that its state contains", async (t) => {
  const request = accepted({ fetch_event_types: '["subscription","stream"]', narrow: '[["is","dm"]]' })
  const description: QueueDescription = {
    event_types: request.types,
    narrow: request.narrow,
    all_public_streams: false,
    rendering: request.rendering,
    state: { saw: 28, width: 2, took: 30, types: containedTypes(request.view) },
  }
  const stored: JsonObject = JSON.parse(JSON.stringify(description))
  const id = QueueId("e1-x")
  const spec = queueSpec({
    id,
    user: UserId(2),
    description: stored,
    acked: WireId(-1),
    idleMilliseconds: 1,
    seen: 0,
    heldBy: null,
    heldSince: 0,
  })
  t.equal(spec.start, lastIdOf(28, 2))
  t.ok(isContained(spec.contained, row(29, "stream", [2])))
  t.ok(isContained(spec.contained, row(30, "subscription", [2])))
  t.notOk(isContained(spec.contained, row(28, "subscription", [2])))
  t.notOk(isContained(spec.contained, row(31, "subscription", [2])))
  t.notOk(isContained(spec.contained, row(30, "realm_user", [2])))
})

t.test("a queue stored by an older program can still be used", async (t) => {
  const description = {
    event_types: ["message"],
    narrow: [["stream", "lobby"]],
    all_public_streams: false,
    rendering: {
      rendered: true,
      gravatar: true,
      emptyTopicName: false,
      bulkDeletion: false,
      archivedChannels: false,
      notificationNull: true,
      channelTyping: false,
    },
    state: { saw: 28, width: 2, took: 30, types: ["realm_user"] },
  }
  const id = QueueId("e1-x")
  const spec = queueSpec({
    id,
    user: UserId(2),
    description,
    acked: WireId(-1),
    idleMilliseconds: 1,
    seen: 0,
    heldBy: null,
    heldSince: 0,
  })
  t.ok(spec.clientOptions.wants("message"))
  t.notOk(spec.clientOptions.wants("typing"))
  t.match(spec.clientOptions.rendering, { notificationNull: true, deactivatedGroups: false, userSettingsObject: false })
  t.ok(isContained(spec.contained, row(29, "realm_user", [2])))
})
