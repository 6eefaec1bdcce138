/**
 * The largest value that each parameter of each route accepts, as a table: whatever is done with a value is bounded by
 * it. A parameter without a row fails, so whoever adds one has to think of its worst case. And texts of a megabyte that
 * would take long to parse are refused by every parameter before they are parsed; a quick run tries an eighth of those of each
 * kind. Sizes only: times are measured by the benchmark.
 */
import * as Result from "effect/Result"
import t from "tap"
import type { Route } from "../../src/api/endpoint.ts"
import type { Param } from "../../src/api/params.ts"
import type { AppServices } from "../../src/app.ts"
import { endpoints as routes } from "../../src/chat/features.ts"
import { realmPermissionNames } from "../../src/chat/ground/realm/permission-choices.ts"
import { channelPermissions, groupPermissions } from "../../src/chat/ground/realm/records.ts"
import { unbuiltSettings } from "../../src/chat/organization/organization/unbuilt-settings.ts"
import { readBody } from "../../src/http/request/request-fields.ts"
import { complexityFault } from "../../src/json.ts"
import { some } from "../kit/share.ts"
import { joined, rowsOfRooms } from "../kit/walk-rows-of-features.ts"
import { anyJson, ids, json, list, name, names, text, times, type WorstCase, whole } from "./worst-cases/values.ts"

const permission: WorstCase = {
  most: 1000,
  values: (count) => {
    const value = { direct_members: times(count, (n) => n + 1), direct_subgroups: [] }
    return [json(value), json({ new: value, old: value })]
  },
}
const channelsNamed = list(500, (n) => ({ name: `name ${n}`, description: "", color: "#000000" }))
const terms = list(100, (n) => ["topic", `${n}`])

const rows: ReadonlyMap<string, WorstCase> = new Map<string, WorstCase>([
  ...[...realmPermissionNames, ...channelPermissions, ...groupPermissions].map((each) => [each, permission] as const),
  ...unbuiltSettings.map((each) => [`PATCH /realm ${each}`, anyJson(1000)] as const),
  ["alert_words", names(100)],
  ["status_text", text(60)],
  ["default_language", { most: 100, values: (length) => ['"en"'.padEnd(length)] }],
  ["web_home_view", { most: 100, values: (length) => ['"inbox"'.padEnd(length)] }],
  ["emojiset", { most: 100, values: (length) => ['"text"'.padEnd(length)] }],
  ["web_animate_image_previews", { most: 100, values: (length) => ['"never"'.padEnd(length)] }],
  ["notification_sound", { most: 100, values: (length) => ['"none"'.padEnd(length)] }],
  ["resolved_topic_notice_auto_read_policy", { most: 100, values: (length) => ['"never"'.padEnd(length)] }],
  ["timezone", { most: 32, values: (length) => ["America/Argentina/ComodRivadavia".padEnd(length, "a")] }],
  ["old_password", name],
  ["new_password", name],
  ["username", name],
  ["password", name],
  ["email", name],
  ["full_name", name],
  ["profile_data", list(100, (n) => ({ id: n + 1, value: "x" }))],
  ["new_email", name],
  ["name", name],
  ["new_name", name],
  ["group_name", name],
  ["new_group_name", name],
  ["stream", name],
  ["property", name],
  ["queue_id", name],
  ["anchor", name],
  ["anchor_date", text(100)],
  ["emoji_name", text(100)],
  ["realm_id_str", text(200)],
  ["shard", text(200)],
  ["GET /user_uploads/{realm_id_str}/{shard}/{token}/{filename} token", text(200)],
  ["filename", text(200)],
  [
    "widget_content",
    {
      most: 100,
      values: (count) => {
        const choices = times(count, () => ({ short_name: "a", long_name: "b", reply: "c" }))
        return [json({ widget_type: "zform", extra_data: { type: "choices", heading: "h", choices } })]
      },
    },
  ],
  ["pattern", name],
  ["url_template", name],
  ["ordered_linkifier_ids", ids(100)],
  ["emoji_code", text(100)],
  ["reaction_type", text(100)],
  ["PATCH /realm authentication_methods", { most: 1000, values: (length) => ['{"Email":true}'.padEnd(length)] }],
  ["PATCH /realm jitsi_server_url", { most: 200, values: (length) => ["https://meet.example/".padEnd(length, "x")] }],
  ["PATCH /realm name", text(40)],
  ["welcome_message_custom_text", text(8000)],
  ["invitee_emails", text(100_000)],
  ["invite_expires_in_minutes", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ["group_ids", ids(1000)],
  ["POST /messages queue_id", text(255)],
  ["local_id", text(255)],
  ["messages", ids(10_000)],
  ["op", name],
  ["flag", name],
  ["topic_name", name],
  ["topic", whole],
  ["content", whole],
  ["POST /submessage content", name],
  ["description", whole],
  ["new_description", whole],
  ["PATCH /realm description", text(1000)],
  ["POST /messages/{message_id:int}/report description", text(1000)],
  ["POST /user_groups/create description", text(1024)],
  ["PATCH /user_groups/{user_group_id:int} description", text(1024)],
  ["to", list(1000, (n) => `user${n}@example.org`)],
  ["POST /typing to", ids(1000)],
  ["drafts", list(200, () => ({ type: "", to: [], topic: "", content: "c" }))],
  [
    "draft",
    { most: 200, values: (count) => [json({ type: "", to: times(count, (n) => n), topic: "", content: "c" })] },
  ],
  ["POST /scheduled_messages to", ids(1000)],
  ["PATCH /scheduled_messages/{scheduled_message_id:int} to", ids(1000)],
  ["note", text(1000)],
  ["narrow", terms],
  ["principals", names(10_000)],
  ["subscribers", ids(10_000)],
  ["members", ids(10_000)],
  ["subgroups", ids(10_000)],
  ["add", ids(10_000)],
  ["delete", ids(10_000)],
  ["add_subgroups", ids(10_000)],
  ["delete_subgroups", ids(10_000)],
  ["order", ids(10_000)],
  ["user_ids", ids(10_000)],
  ["message_ids", ids(10_000)],
  ["msg_ids", ids(5000)],
  ["stream_ids", ids(1000)],
  ["stream_names", names(1000)],
  ["subscriptions", channelsNamed],
  ["PATCH /users/me/subscriptions add", channelsNamed],
  ["PATCH /users/me/subscriptions delete", names(500)],
  ["DELETE /users/me/subscriptions subscriptions", names(500)],
  ["subscription_data", list(500, () => ({ stream_id: 1, property: "color", value: "#000000" }))],
  ["value", anyJson(200_000)],
  ["event_types", names(200)],
  ["fetch_event_types", names(200)],
  [
    "client_capabilities",
    { most: 100, values: (count) => [json(Object.fromEntries(times(count, (n) => [`capability ${n}`, true])))] },
  ],
  ["topics_policy", { most: 17, values: (length) => ["allow_empty_topic".padEnd(length, "x")] }],
  ["default_code_block_language", { most: 100, values: (length) => ['"python"'.padEnd(length)] }],
  ["PATCH /messages/{message_id:int} prev_content_sha256", text(64)],
  ["message_content_edit_limit_seconds", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ["message_content_delete_limit_seconds", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ["message_edit_history_visibility_policy", { most: 5, values: (length) => ["moves".padEnd(length, "x")] }],
  ["move_messages_within_stream_limit_seconds", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ["move_messages_between_streams_limit_seconds", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ["message_retention_days", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ["include_subscribers", { most: 200_000, values: (length) => ["true".padEnd(length)] }],
  ["idle_queue_timeout", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ["folder_id", { most: 200_000, values: (length) => ["1".padEnd(length)] }],
  ...Object.entries(joined(rowsOfRooms.map(({ worstCases }) => worstCases))),
])

const table: ReadonlyArray<Route<AppServices>> = routes
/** Every parameter with a free value; those of other kinds accept only short texts. */
const free = table.flatMap((route) =>
  Object.values(route.params).map((param) => ({ where: `${route.method} ${route.path} ${param.name}`, param })),
)
const hasRow = ({ kind }: Param<unknown>): boolean => kind === "text" || kind === "json"

/** Whether a value is accepted. The values of `unjudged` parameters are Results themselves. */
const accepts = (param: Param<unknown>, raw: string): boolean => {
  const read = param.read(raw)
  return Result.isSuccess(read) && !(Result.isResult(read.success) && Result.isFailure(read.success))
}

t.test("the largest value of each parameter", async (t) => {
  const used = new Set<string>()
  for (const { where, param } of free.filter((each) => hasRow(each.param))) {
    const key = rows.has(where) ? where : param.name
    const row = rows.get(key)
    used.add(key)
    if (row === undefined) {
      t.fail(`${where} has no row: what is the largest value that it accepts?`)
      continue
    }
    t.ok(
      row.values(row.most).some((value) => accepts(param, value)),
      `${where} accepts ${row.most}`,
    )
    if (row.any === undefined)
      t.notOk(
        row.values(row.most + 1).some((value) => accepts(param, value)),
        `${where} accepts no more than ${row.most}`,
      )
  }
  t.same(
    [...rows.keys()].filter((key) => !used.has(key)),
    [],
    "every row has its parameter",
  )
})

t.test("no parameter parses a megabyte, or what is deep or has many parts", async (t) => {
  const megabyte = 1_000_000
  const long = [
    "x".repeat(megabyte),
    "9".repeat(megabyte),
    " ".repeat(megabyte),
    ",".repeat(megabyte),
    `"${"\\u0001".repeat(megabyte / 6)}"`,
    "[".repeat(megabyte),
  ]
  const complex = [
    "[".repeat(1000),
    `{"a":`.repeat(1000),
    `[${"[],".repeat(20_000)}0]`,
    `{${times(15_000, (n) => `"${n.toString(36)}":0`).join(",")}}`,
  ]
  const kinds = [...new Set(free.map(({ param }) => param.kind))]
  const ofKind = (kind: Param<unknown>["kind"]) => free.filter(({ param }) => param.kind === kind)
  const parse = t.capture(JSON, "parse", JSON.parse)
  for (const { where, param } of kinds.flatMap((kind) => some(ofKind(kind), 8, kind))) {
    if ((rows.get(where) ?? rows.get(param.name))?.any !== undefined) continue
    const hostile = param.kind === "text" ? long : [...long, ...complex]
    t.equal(hostile.filter((value) => accepts(param, value)).length, 0, where)
  }
  const parsed = parse().map(({ args: [raw] }) => String(raw))
  t.equal(parsed.filter((raw) => raw.length > 600_000).length, 0)
  t.equal(parsed.filter((raw) => complexityFault(raw) !== undefined).length, 0)
})

t.test("a form has at most 1000 parameters, and short names of parts", async (t) => {
  const urlencoded = "application/x-www-form-urlencoded"
  const parts = (count: number, name: string) =>
    Buffer.from(`${`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n\r\n`.repeat(count)}--x--`)
  const multipart = "multipart/form-data; boundary=x"
  for (const [body, type, isRead] of [
    [Buffer.from("a=&".repeat(1000)), urlencoded, true],
    [Buffer.from("a=&".repeat(1001)), urlencoded, false],
    [Buffer.from("&".repeat(1001)), urlencoded, false],
    [parts(1000, "a"), multipart, true],
    [parts(1001, "a"), multipart, false],
    [parts(1, "a".repeat(256)), multipart, true],
    [parts(1, "a".repeat(257)), multipart, false],
    [parts(1, `a"; b="c`.repeat(20)), multipart, true],
  ] as const) {
    t.equal(Result.isSuccess(readBody(body, type)), isRead, `${type}: ${body.length} bytes`)
  }
  const spaces = readBody(Buffer.from("a=+b+%2B+&+=+"), urlencoded)
  t.same(Result.isSuccess(spaces) && [...spaces.success], [
    ["a", " b + "],
    [" ", " "],
  ])
})
