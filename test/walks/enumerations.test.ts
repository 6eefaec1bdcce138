/**
 * What values parameters take that have few: for every setting, and for the other words and numbers of the API, those of
 * feature level 417, all of them and no other. The lists are written out, so that a word that is wrong on both sides of the
 * program is seen.
 */
import * as Result from "effect/Result"
import t from "tap"
import { endpoints } from "../../src/chat/features.ts"
import { settingChoices } from "../../src/chat/ground/realm/user-settings.ts"

const oneTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

interface Line {
  readonly route: string
  readonly param: string
  readonly takes: ReadonlyArray<unknown>
  /** Words of later levels for some of these: taken, and never told. */
  readonly alsoTakes?: ReadonlyArray<unknown>
  /** Beside what no such parameter takes. */
  readonly not?: ReadonlyArray<unknown>
}

const settings: Readonly<Record<string, Pick<Line, "takes" | "alsoTakes" | "not">>> = {
  web_mark_read_on_scroll_policy: { takes: oneTo(3) },
  web_channel_default_view: { takes: oneTo(4) },
  color_scheme: { takes: oneTo(3) },
  web_home_view: {
    takes: ["recent_topics", "inbox", "all_messages"],
    alsoTakes: ["recent"],
    not: ["all", "feed", "all-messages", "recent topics", "Inbox"],
  },
  emojiset: { takes: ["google", "google-blob", "twitter", "text"], not: ["apple", "google_blob"] },
  demote_inactive_streams: { takes: oneTo(3) },
  user_list_style: { takes: oneTo(3) },
  web_animate_image_previews: { takes: ["always", "on_hover", "never"], not: ["hover", "on-hover"] },
  web_stream_unreads_count_display_policy: { takes: oneTo(3) },
  desktop_icon_count_display: { takes: oneTo(4) },
  realm_name_in_email_notifications_policy: { takes: oneTo(3) },
  automatically_follow_topics_policy: { takes: oneTo(4) },
  automatically_unmute_topics_in_muted_streams_policy: { takes: oneTo(4) },
  resolved_topic_notice_auto_read_policy: {
    takes: ["always", "except_followed", "never"],
    not: ["except-followed", "followed"],
  },
  email_address_visibility: { takes: oneTo(5) },
}

const roles = [100, 200, 300, 400, 600]
const kinds = ["direct", "channel", "stream", "private"]
const modes = ["change_one", "change_later", "change_all"]
const ops = ["add", "remove"]

const lines: ReadonlyArray<Line> = [
  ...Object.entries(settings).map(([param, line]) => ({ route: "PATCH /settings", param, ...line })),
  { route: "PATCH /settings", param: "notification_sound", takes: ["zulip", "none"] },
  { route: "PATCH /realm", param: "org_type", takes: [0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000] },
  { route: "PATCH /realm", param: "digest_weekday", takes: [0, 1, 2, 3, 4, 5, 6] },
  { route: "PATCH /realm", param: "giphy_rating", takes: [0, 1, 2, 3, 4, 5] },
  { route: "PATCH /realm", param: "video_chat_provider", takes: [0, 1], not: [3, 4] },
  {
    route: "PATCH /realm",
    param: "topics_policy",
    takes: ["allow_empty_topic", "disable_empty_topic"],
    not: ["inherit", "empty_topic_only"],
  },
  {
    route: "PATCH /realm",
    param: "message_edit_history_visibility_policy",
    takes: ["all", "moves", "none"],
    not: ["edits"],
  },
  {
    route: "PATCH /realm",
    param: "message_retention_days",
    takes: ["unlimited", 1, 99],
    not: ["realm_default", "forever"],
  },
  ...[
    "move_messages_within_stream_limit_seconds",
    "move_messages_between_streams_limit_seconds",
    "message_content_edit_limit_seconds",
    "message_content_delete_limit_seconds",
  ].map((param) => ({ route: "PATCH /realm", param, takes: ["unlimited", 1, 99], not: ["forever", "anytime"] })),
  ...["PATCH /streams/{stream_id:int}", "POST /channels/create", "POST /users/me/subscriptions"].flatMap((route) => [
    {
      route,
      param: "topics_policy",
      takes: ["inherit", "allow_empty_topic", "disable_empty_topic", "empty_topic_only"],
    },
    { route, param: "message_retention_days", takes: ["realm_default", "unlimited", 1, 99], not: ["forever"] },
  ]),
  { route: "POST /user_topics", param: "visibility_policy", takes: [0, 1, 2, 3] },
  { route: "PATCH /users/me/subscriptions/muted_topics", param: "op", takes: ops },
  { route: "PATCH /default_stream_groups/{group_id:int}/streams", param: "op", takes: ops },
  { route: "PATCH /messages/{message_id:int}", param: "propagate_mode", takes: modes },
  { route: "POST /messages", param: "type", takes: kinds },
  { route: "POST /scheduled_messages", param: "type", takes: kinds },
  { route: "PATCH /scheduled_messages/{scheduled_message_id:int}", param: "type", takes: kinds },
  { route: "POST /typing", param: "type", takes: ["direct", "stream", "channel"], not: ["private"] },
  { route: "POST /typing", param: "op", takes: ["start", "stop"] },
  { route: "POST /messages/{message_id:int}/typing", param: "op", takes: ["start", "stop"] },
  {
    route: "POST /messages/{message_id:int}/report",
    param: "report_type",
    takes: ["spam", "harassment", "inappropriate", "norms", "other"],
  },
  { route: "POST /export/realm", param: "export_type", takes: [1, 2], not: [3, "public"] },
  { route: "POST /invites", param: "invite_as", takes: roles, not: [500] },
  { route: "POST /invites/multiuse", param: "invite_as", takes: roles, not: [500] },
  { route: "PATCH /users/{user_id:int}", param: "role", takes: roles, not: [500] },
]

/** What no parameter with few values takes. */
const never: ReadonlyArray<unknown> = [0, -1, 99, 1.5, "", " ", "ALWAYS", "null", null, true, [], {}, "x".repeat(200)]

/** As clients send it: words as they are. */
const sent = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))

t.test("each takes the values of its level and no other", async (t) => {
  for (const { route, param: name, takes: told, alsoTakes = [], not = [] } of lines) {
    const takes = [...told, ...alsoTakes]
    const found = endpoints.find(({ method, path }) => `${method} ${path}` === route)
    const param = Object.values(found?.params ?? {}).find((each) => each.name === name)
    if (param === undefined) {
      t.fail(`${route} has no parameter ${name}`)
      continue
    }
    const isTaken = (value: unknown) => {
      const read = param.read(sent(value))
      // Some judge what they read later.
      const inner: unknown = Result.isSuccess(read) ? read.success : undefined
      return Result.isSuccess(read) && !(Result.isResult(inner) && Result.isFailure(inner))
    }
    t.strictSame(
      takes.filter((value) => !isTaken(value)),
      [],
      `${route} ${name} takes these`,
    )
    const words = takes.filter((value) => typeof value === "string")
    t.strictSame(
      words.filter((word) => Result.isFailure(param.read(JSON.stringify(word)))),
      [],
      `${route} ${name} takes these in quotes`,
    )
    const others = [...never, ...not].filter((value) => !takes.some((each) => sent(each) === sent(value)))
    t.strictSame(others.filter(isTaken), [], `${route} ${name} takes none of these`)
  }
})

/** Words that their endpoints judge. */
const keywords = [
  ["GET /messages", "anchor", "newest"],
  ["POST /messages/flags/narrow", "anchor", "first_unread"],
  ["POST /messages/flags", "op", "add"],
  ["POST /messages/flags", "flag", "starred"],
  ["POST /messages/flags/narrow", "op", "remove"],
  ["POST /messages/flags/narrow", "flag", "read"],
  ["POST /messages/{message_id:int}/reactions", "reaction_type", "unicode_emoji"],
  ["DELETE /messages/{message_id:int}/reactions", "reaction_type", "unicode_emoji"],
  ["POST /users/me/status", "reaction_type", "realm_emoji"],
  ["POST /users/me/presence", "status", "active"],
  ["PATCH /users/me/subscriptions/{stream_id:int}", "property", "color"],
  ["POST /users/me/onboarding_steps", "onboarding_step", "intro_inbox_view_modal"],
  ["PATCH /settings", "timezone", "Europe/Berlin"],
] as const

t.test("words are taken plain and in quotes", async (t) => {
  for (const [route, name, word] of keywords) {
    const found = endpoints.find(({ method, path }) => `${method} ${path}` === route)
    const param = Object.values(found?.params ?? {}).find((each) => each.name === name)
    for (const raw of [word, JSON.stringify(word)])
      t.match(param?.read(raw), Result.succeed(word), `${route} ${name} ${raw}`)
  }
})

t.test("no setting with few values is missing above", async (t) => {
  t.strictSame(Object.keys(settings).sort(), Object.keys(settingChoices).sort())
  for (const [name, { takes }] of Object.entries(settings)) {
    const choices: unknown = Object.entries(settingChoices).find(([each]) => each === name)?.[1]
    t.strictSame(choices, takes, `${name} in events and in register`)
  }
})
