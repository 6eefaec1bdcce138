/** Parsing narrows, resolving them for a reader, and combining their conditions to a search. */

import * as Result from "effect/Result"
import t from "tap"
import { type Role, roles, systemGroups } from "../../../../src/chat/ground/realm/domain-values.ts"
import { Realm } from "../../../../src/chat/ground/realm/realm.ts"
import { readRealmSettings } from "../../../../src/chat/ground/realm/realm-settings.ts"
import { type ChannelRecord, channelPermissions, type UserRecord } from "../../../../src/chat/ground/realm/records.ts"
import { defaultUserSettings } from "../../../../src/chat/ground/realm/user-settings.ts"
import type { NarrowCondition } from "../../../../src/chat/reading/history/narrows/matcher.ts"
import { narrowShape, readNarrow } from "../../../../src/chat/reading/history/narrows/narrow.ts"
import { readSearch } from "../../../../src/chat/reading/history/walk/search.ts"
import { ChannelId, RealmId, UserId } from "../../../../src/ids.ts"
import type { Json } from "../../../../src/json.ts"
import { emptyParts } from "../../../kit/catalog.ts"

const person = (id: number, role: Role): UserRecord => ({
  id: UserId(id),
  email: `user${id}@example.com`,
  full_name: `User ${id}`,
  role,
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  timezone: "",
  avatar_version: 1,
  avatar: null,
  key_version: 1,
  joined_at: 0,
  must_reset_password: false,
  settings: defaultUserSettings,
})

const allowed = Object.fromEntries(
  channelPermissions.map((name) => [name, systemGroups["role:everyone"]]),
) as ChannelRecord["permissions"]
const channel = (id: number, name: string, flags: Partial<ChannelRecord>): ChannelRecord => ({
  id: ChannelId(id),
  name,
  description: "",
  rendered_description: "",
  creator_id: null,
  created_at: 0,
  is_private: false,
  is_web_public: false,
  history_shared: true,
  is_archived: false,
  is_default: false,
  topics_policy: "inherit",
  retention_days: null,
  permissions: allowed,
  folder_id: null,
  is_recently_active: true,
  weekly_traffic: null,
  first_message_id: null,
  ...flags,
})

const realm = new Realm({
  id: RealmId(1),
  host: "localhost",
  epoch: "e",
  settings: readRealmSettings({}),
  position: 100,
  createdAt: 0,
  now: () => 0,
  moves: new Map(),
  parts: emptyParts(),
})
for (const [id, role] of [
  [1, roles.member],
  [2, roles.member],
  [3, roles.guest],
  [4, roles.owner],
  [9, roles.member],
] as const) {
  realm.setUser(person(id, role))
  realm.roles.add(UserId(id), role, { opened: 1, closed: null })
}
realm.setChannel(channel(1, "Lobby", {}))
realm.setChannel(channel(2, "secret", { is_private: true }))
realm.setChannel(channel(3, "board", { is_private: true, history_shared: false }))
realm.setChannel(channel(4, "web", { is_web_public: true }))
const subscribe = (id: number, user: number, closed: number | null) =>
  realm.subscriptions.add(ChannelId(id), UserId(user), { opened: 10, closed })
subscribe(2, 1, null)
subscribe(3, 1, null)
subscribe(2, 9, 50)
const muted = { color: "#c2c2c2", is_muted: true, pin_to_top: false, notify: {} }
realm.subscriptions.setSettings(UserId(1), ChannelId(2), muted)

/** The narrow, or the sentence that refuses it. */
const read = (narrow: Json, as = 1) => {
  const terms = narrowShape(narrow, "narrow")
  if (Result.isFailure(terms)) return terms.failure
  const user = realm.users.get(UserId(as))
  if (user === undefined) throw new Error(`no user ${as}`)
  const answer = readNarrow(terms.success, { realm, user })
  if (Result.isSuccess(answer)) return answer.success
  const { code, msg, fields } = answer.failure
  if (code !== "BAD_NARROW" || msg !== `Invalid narrow operator: ${fields["desc"]}`) throw new Error(`${code}: ${msg}`)
  return `desc: ${fields["desc"]}`
}
/** Of a text with phrases that has neither joined words nor any without spaces. */
const simple = { apart: [], sequences: [], runs: [], pairs: [], joined: [] }
const term = (operator: string, operand: Json, negated = false) => ({ operator, operand, negated })

t.test("every operator, under each of its names, as an object and as a pair", async (t) => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Json, NarrowCondition["matcher"] | null]> = [
    [["channel", "stream"], "LOBBY", { kind: "channel", channel: ChannelId(1) }],
    [["topic", "subject"], " Tea ", { kind: "topic", topic: "Tea" }],
    [["topic"], "", { kind: "topic", topic: "" }],
    [["topic"], "General Chat", { kind: "topic", topic: "" }],
    [["sender"], "USER2@example.com", { kind: "sender", sender: UserId(2) }],
    [
      ["dm", "pm-with", "pm_with"],
      "user9@example.com, user2@example.com",
      { kind: "conversation", memberKey: "1,2,9" },
    ],
    [["is"], "dm", { kind: "direct" }],
    [["is"], "private", { kind: "direct" }],
    [["channels", "streams"], "web-public", { kind: "channels", channels: [ChannelId(4)] }],
    [["near"], "17", null],
    [["in"], "all", null],
    [["in"], "home", { kind: "home", channels: [ChannelId(2)] }],
    [["is"], "muted", { kind: "muted", channels: [ChannelId(2)] }],
    [["is"], "followed", { kind: "followed" }],
    [["is"], "resolved", { kind: "resolved" }],
    [
      ["search"],
      'Fox "a B"',
      { kind: "text", text: { words: "Fox  ", within: "", phrases: ["a b"], ...simple, former: "Fox   " } },
    ],
    [
      ["search"],
      '"see a\tB c-d e_ 5 x.y" "z',
      {
        kind: "text",
        text: { words: "   z", within: "a B 5", phrases: ["see a\tb c-d e_ 5 x.y"], ...simple, former: "   z a B 5" },
      },
    ],
    [["has"], "link", { kind: "part", part: "has_link" }],
    [["has"], "image", { kind: "part", part: "has_image" }],
    [["has"], "attachment", { kind: "part", part: "has_attachment" }],
    [["dm-including"], "user2@example.com", { kind: "including", user: UserId(2) }],
    [["group-pm-with", "group_pm_with"], "user2@example.com", { kind: "group", user: UserId(2) }],
  ]
  for (const [names, operand, matcher] of cases) {
    for (const name of names) {
      const conditions = (negated: boolean) => (matcher === null ? [] : [{ matcher, negated }])
      t.match(read([[name, operand]]), { conditions: conditions(false) }, name)
      t.match(read([{ operator: name, operand, extra: 1 }]), { conditions: conditions(false) }, name)
      t.match(read([term(name, operand, true)]), { conditions: conditions(true), history: [] }, `-${name}`)
    }
  }
  t.match(read([term("channel", 2)]), { conditions: [{ matcher: { channel: 2 } }] })
  t.match(read([term("sender", 9)]), { conditions: [{ matcher: { sender: 9 } }] })
  t.match(read([term("id", 17)]), { conditions: [{ matcher: { kind: "message", message: 17 } }] })
  t.match(read([term("id", "17")]), { conditions: [{ matcher: { kind: "message", message: 17 } }] })
  t.match(read([term("near", 17)]), { conditions: [] })
  t.same(read([]), { conditions: [], history: [] })
})

t.test("naming oneself in a conversation makes no difference, and no conversation has no participants", async (t) => {
  const key = (operand: Json) => {
    const narrow = read([term("dm", operand)])
    const matcher = typeof narrow === "string" ? undefined : narrow.conditions[0]?.matcher
    return matcher?.kind === "conversation" ? matcher.memberKey : undefined
  }
  t.equal(key([9, 2]), "1,2,9")
  t.equal(key([2, 1, 9, 2]), "1,2,9")
  t.equal(key([1]), "1")
  t.equal(key([]), "")
  t.equal(key("user1@example.com"), "1")
})

t.test("values that are not narrows", async (t) => {
  const cases: ReadonlyArray<readonly [Json, string]> = [
    [{}, "narrow is not a list"],
    ["x", "narrow is not a list"],
    [["x"], "dict or list required"],
    [[null], "dict or list required"],
    [[["channel"]], "narrow[0] is not a string pair"],
    [[term("is", "dm"), ["channel", 1]], "narrow[1] is not a string pair"],
    [[{ operand: "x" }], "operator is missing"],
    [[{ operator: "topic" }], "operand is missing"],
    [[{ operator: 1, operand: "x" }], "operator is not a string"],
    [[{ operator: "topic", operand: "x", negated: "yes" }], "negated is not a boolean"],
    [[term("channel", true)], "operand is not a string or integer"],
    [[term("sender", [1])], "operand is not a string or integer"],
    [[term("id", 1.5)], "operand is not a string or integer"],
    [[term("dm", 5)], "operand is not a string or an integer list"],
    [[term("dm", ["a@b.c"])], "operand is not a string or an integer list"],
    [[term("topic", 5)], "operand is not a string"],
    [[term("topic", "\u0000")], "operand must not contain null bytes"],
    [Array.from({ length: 101 }, () => term("is", "dm")), "narrow is too long (limit: 100 items)"],
  ]
  for (const [narrow, sentence] of cases) t.equal(read(narrow), sentence)
  t.match(read(Array.from({ length: 100 }, () => term("is", "dm"))), { history: [] })
})

t.test("narrows that cannot be resolved", async (t) => {
  const cases: ReadonlyArray<readonly [Json, string]> = [
    [["foo", "x"], "unknown operator foo"],
    [["-channel", "Lobby"], "unknown operator -channel"],
    [["constructor", "x"], "unknown operator constructor"],
    [term("channel", 77), "unknown channel 77"],
    [term("channel", 77, true), "unknown channel 77"],
    [["stream", "Nowhere"], "unknown channel Nowhere"],
    [["channels", "archived"], "unknown channels operand archived"],
    [term("sender", 77), "unknown user 77"],
    [["sender", "x@y.z"], "unknown user x@y.z"],
    [term("dm", [2, 77]), "unknown user in [2,77]"],
    [["dm", "user2@example.com,x@y.z"], "unknown user in user2@example.com,x@y.z"],
    [["id", "x"], "Invalid message ID"],
    [term("id", -1), "Invalid message ID"],
    [["is", "odd"], "unknown 'is' operand odd"],
    [["in", "odd"], "unknown 'in' operand odd"],
    [["has", "odd"], "unknown 'has' operand odd"],
    [["dm-including", "x@y.z"], "unknown user x@y.z"],
    [term("group-pm-with", 77), "unknown user 77"],
    [["mentions", "2"], "unknown operator mentions"],
  ]
  for (const [each, desc] of cases) t.equal(read([each]), `desc: ${desc}`)
})

t.test("a term for direct messages and one for channels exclude each other, unless one is negated", async (t) => {
  const direct = [term("is", "dm"), term("dm", [2]), term("dm-including", 2), term("group-pm-with", 2)]
  const ofChannels = [term("channel", 1), term("topic", "x"), term("channels", "public")]
  for (const left of direct) {
    for (const right of ofChannels) {
      const desc = "desc: No message can be both a channel message and direct message"
      t.equal(read([left, right]), desc)
      t.equal(read([right, term("sender", 2), left]), desc)
      t.match(read([left, { ...right, negated: true }]), { history: [] })
      t.not(read([{ ...left, negated: true }, right]), desc)
    }
  }
})

t.test("a channel that the reader may not see answers like one that does not exist", async (t) => {
  t.equal(read([term("channel", 2)], 2), "desc: unknown channel 2")
  t.equal(read([term("channel", "Secret")], 2), "desc: unknown channel Secret")
  t.equal(read([term("channel", 1)], 3), "desc: unknown channel 1")
  t.match(read([term("channel", 4)], 3), { history: [4] })
})

t.test("a channel's whole history is searched only if the reader may read it", async (t) => {
  const history = (narrow: Json, as: number) => {
    const answer = read(narrow, as)
    return typeof answer === "string" ? answer : [...answer.history]
  }
  t.same(history([term("channel", 1)], 2), [1], "public, not subscribed")
  t.same(history([term("channel", 2)], 1), [2], "private with shared history, subscribed")
  t.same(history([term("channel", 3)], 1), [], "protected history, subscribed")
  t.match(history([term("channel", 2)], 9), "unknown channel 2", "left: a private channel does not exist for them")
  t.same(history([term("channel", 2)], 4), [], "an administrator who is not subscribed knows of it, no more")
  t.same(history([term("channel", 1, true)], 1), [], "negated")
  t.same(history([term("channels", "public")], 2), [1, 4])
  t.same(history([term("channels", "public")], 3), [4], "a guest")
  t.same(history([term("topic", "x")], 1), [])
  for (const operand of ["starred", "unread", "mentioned", "alerted"])
    t.same(history([term("channel", 1), term("is", operand)], 1), [], `${operand}: of what was received`)
  for (const operand of ["starred", "unread", "mentioned", "alerted", "dm"])
    t.same(history([term("channel", 1), term("is", operand, true)], 1), [1], `not ${operand}`)
  for (const operand of ["resolved", "followed", "muted"])
    t.same(history([term("channel", 1), term("is", operand, true)], 1), [1], `not ${operand}`)
})

t.test("conditions are combined to one search", async (t) => {
  const search = (...terms: ReadonlyArray<Json>) => {
    const narrow = read(terms, 2)
    if (typeof narrow === "string") throw new Error(narrow)
    return readSearch(narrow.conditions)
  }
  const anything = {
    channels: null,
    topic: null,
    sender: null,
    memberKey: null,
    including: [],
    isGroup: false,
    message: null,
    direct: null,
    flags: [],
    parts: [],
    isResolved: null,
    isFollowed: null,
    muting: null,
    hasReaction: null,
    texts: [],
    words: [],
    unwanted: null,
  }
  const unwanted = {
    channels: [],
    topics: [],
    senders: [],
    memberKeys: [],
    messages: [],
    flags: [],
    parts: [],
    including: [],
    groups: [],
  }
  t.same(search(), anything)
  t.same(search(term("channel", 1), term("topic", "A"), term("topic", "a"), term("sender", 2), term("sender", 2)), {
    ...anything,
    channels: [1],
    topic: "a",
    sender: 2,
  })
  t.same(search(term("channels", "public"), term("channel", 4)), { ...anything, channels: [4] })
  t.same(search(term("is", "dm", true)), { ...anything, direct: false })
  t.same(search(term("channel", 1, true), term("channel", 4, true), term("topic", "B", true), term("id", 5, true)), {
    ...anything,
    unwanted: { ...unwanted, channels: [1, 4], topics: ["b"], messages: [5] },
  })
  t.same(search(term("is", "unread"), term("is", "starred"), term("is", "mentioned", true)), {
    ...anything,
    flags: ["starred", "unread"],
    unwanted: { ...unwanted, flags: ["mentioned"] },
  })
  t.same(search(term("dm-including", 1), term("group-pm-with", 9)), {
    ...anything,
    including: [1, 9],
    isGroup: true,
    direct: true,
  })
  t.same(
    search(term("has", "link"), term("has", "image", true), term("is", "resolved", true), term("is", "followed")),
    {
      ...anything,
      parts: ["has_link"],
      isResolved: false,
      isFollowed: true,
      unwanted: { ...unwanted, parts: ["has_image"] },
    },
  )
  const home = { ...anything, muting: { wanted: false, channels: [] } }
  t.same(search(term("in", "home")), home)
  t.same(search(term("is", "muted", true)), home)
  t.same(search(term("in", "home", true)), search(term("is", "muted")))
  t.equal(search(term("in", "home"), term("is", "muted")), null, "muted and not")
  t.equal(search(term("has", "link"), term("has", "link", true)), null, "with a link and without")
  t.equal(search(term("is", "resolved"), term("is", "resolved", true)), null, "resolved and not")
  t.equal(search(term("is", "followed"), term("is", "followed", true)), null, "followed and not")
  t.equal(search(term("dm-including", 1), term("is", "dm", true)), null, "with somebody, and not direct")
  t.equal(search(term("is", "alerted"), term("is", "alerted", true)), null, "alerted and not")
  t.equal(search(term("channel", 1), term("channel", 4)), null, "two channels")
  t.equal(search(term("topic", "a"), term("topic", "b")), null, "two topics")
  t.equal(search(term("sender", 1), term("sender", 2)), null, "two senders")
  t.equal(search(term("id", 1), term("id", 2)), null, "two messages")
  t.equal(search(term("dm", [1]), term("dm", [9])), null, "two conversations")
  t.equal(search(term("is", "dm"), term("is", "dm", true)), null, "direct and not")
})

t.test("a repeated term counts once, under whichever of its names", async (t) => {
  const times = (count: number, terms: ReadonlyArray<Json>) => Array.from({ length: count }, () => terms).flat()
  const conditions = (narrow: Json) => {
    const found = read(narrow)
    return typeof found === "string" ? found : found.conditions.length
  }
  t.equal(conditions(times(50, [["channels", "public"], term("streams", "public")])), 1)
  t.equal(conditions(times(50, [term("channel", 1, true), term("stream", 1, true)])), 1)
  t.equal(conditions([term("channel", 1), term("channel", "Lobby"), term("channel", 1, true)]), 3)
  t.equal(conditions([term("dm", [2, 9]), term("pm_with", [2, 9]), term("dm", [9, 2])]), 2)
})

t.test("a narrow has at most 20,000 characters, and a term at most 250 people", async (t) => {
  const long = Array.from({ length: 100 }, (_, n) => term("topic", `${n}`.padEnd(200)))
  t.equal(read(long), "narrow is too long (limit: 20000 characters)")
  t.match(read(long.slice(0, 50)), { conditions: { length: 50 } })
  const people = Array.from({ length: 251 }, () => 2)
  t.equal(read([term("dm", people)]), "operand is not a string or an integer list")
  t.equal(read([term("dm", ",".repeat(250))]), "desc: more than 250 users")
  t.match(read([term("dm", people.slice(1))]), { conditions: [{ matcher: { memberKey: "1,2" } }] })
})
