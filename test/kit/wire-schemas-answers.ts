/** The answers that carry records (contract 3.1), each to the letter, by the method and path that they are answers to. */
import * as Schema from "effect/Schema"
import { Message, StreamRecord, Subscription } from "./wire-schemas-channels.ts"
import { Member, OwnMember, SpectatedPerson } from "./wire-schemas-people.ts"
import { Count, SortedIds } from "./wire-schemas-values.ts"

const success = {
  result: Schema.Literal("success"),
  msg: Schema.Literal(""),
  ignored_parameters_unsupported: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMinLength(1))),
}
const answer = <const F extends Schema.Struct.Fields>(fields: F) => Schema.Struct({ ...success, ...fields })

const Topic = Schema.Struct({ name: Schema.String, max_id: Count })

/** The newest message is asked for by a number that is none of a message. */
const Anchor = Schema.Union([Count, Schema.Literal(10_000_000_000_000_000)])

/** `{}` stands for any one segment. */
export const answers = {
  "GET /messages": answer({
    messages: Schema.Array(Message),
    found_anchor: Schema.Boolean,
    found_oldest: Schema.Boolean,
    found_newest: Schema.Boolean,
    history_limited: Schema.Literal(false),
    anchor: Schema.NullOr(Anchor),
  }),
  "GET /messages/{}": answer({ message: Message, raw_content: Schema.String }),
  "GET /users": answer({ members: Schema.Union([Schema.Array(Member), Schema.Array(SpectatedPerson)]) }),
  "GET /users/me": OwnMember(success),
  "GET /users/{}": answer({ user: Member }),
  "GET /users/me/subscriptions": answer({ subscriptions: Schema.Array(Subscription) }),
  "GET /users/{}/subscriptions/{}": answer({ is_subscribed: Schema.Boolean }),
  "GET /users/me/{}/topics": answer({ topics: Schema.Array(Topic) }),
  "GET /streams": answer({ streams: Schema.Array(StreamRecord) }),
  "GET /streams/{}": answer({ stream: StreamRecord }),
  "GET /streams/{}/members": answer({ subscribers: SortedIds }),
}

const patterns = Object.entries(answers).map(([route, schema]) => {
  const [method = "", path = ""] = route.split(" ")
  return { method, path: new RegExp(`^${path.replaceAll("{}", "[^/]+")}$`), schema }
})

/** The schema of the answer; undefined where the answer has no records. The first that fits: words before any segment. */
export const answerTo = (method: string, path: string) =>
  patterns.find((each) => each.method === method && each.path.test(path.replace(/\?.*$/, "")))?.schema
