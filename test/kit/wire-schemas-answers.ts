/** The answers (contract 2, 3.8, 3.10), each to the letter, by the method and path that they are answers to. */
import * as Schema from "effect/Schema"
import { Folders, StreamRecord, Subscription } from "./wire-schemas-channels.ts"
import { Group } from "./wire-schemas-groups.ts"
import { Message } from "./wire-schemas-messages.ts"
import { Member, OwnMember, SpectatedPerson } from "./wire-schemas-people.ts"
import { Count, Id, SortedIds } from "./wire-schemas-values.ts"

const success = {
  result: Schema.Literal("success"),
  msg: Schema.Literal(""),
  ignored_parameters_unsupported: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMinLength(1))),
}
const answer = <const F extends Schema.Struct.Fields>(fields: F) => Schema.Struct({ ...success, ...fields })
/** Nothing beside the success itself. */
const plain = answer({})

const Topic = Schema.Struct({ name: Schema.String, max_id: Count })

/** The newest message is asked for by a number that is none of a message. */
const Anchor = Schema.Union([Count, Schema.Literal(10_000_000_000_000_000)])

const Names = Schema.Array(Schema.NonEmptyString)
/** By the ids of users. */
const NamesByUser = Schema.Record(Schema.String.check(Schema.isPattern(/^[1-9]\d*$/)), Names)
const subscribed = {
  subscribed: NamesByUser,
  already_subscribed: NamesByUser,
  unauthorized: Schema.optionalKey(Names),
  new_subscription_messages_sent: Schema.optionalKey(Schema.Boolean),
}
const unsubscribed = { removed: Names, not_removed: Names }

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
  "PATCH /users/{}": plain,
  "DELETE /users/{}": plain,
  "POST /users/{}/reactivate": plain,
  "PATCH /realm": plain,

  "GET /users/me/subscriptions": answer({ subscriptions: Schema.Array(Subscription) }),
  "POST /users/me/subscriptions": answer(subscribed),
  "PATCH /users/me/subscriptions": answer({ ...subscribed, ...unsubscribed }),
  "DELETE /users/me/subscriptions": answer(unsubscribed),
  "POST /users/me/subscriptions/properties": plain,
  "PATCH /users/me/subscriptions/{}": plain,
  "GET /users/{}/subscriptions/{}": answer({ is_subscribed: Schema.Boolean }),

  "GET /users/me/{}/topics": answer({ topics: Schema.Array(Topic) }),
  "GET /streams": answer({ streams: Schema.Array(StreamRecord) }),
  "GET /streams/{}": answer({ stream: StreamRecord }),
  "PATCH /streams/{}": plain,
  "DELETE /streams/{}": plain,
  "GET /streams/{}/members": answer({ subscribers: SortedIds }),
  "GET /get_stream_id": answer({ stream_id: Id }),
  "POST /channels/create": answer({ id: Id }),

  "POST /default_streams": plain,
  "DELETE /default_streams": plain,
  "POST /default_stream_groups/create": plain,
  "GET /channel_folders": answer({ channel_folders: Folders }),
  "POST /channel_folders/create": answer({ channel_folder_id: Id }),
  "PATCH /channel_folders": plain,
  "PATCH /channel_folders/{}": plain,

  "GET /user_groups": answer({ user_groups: Schema.Array(Group) }),
  "POST /user_groups/create": answer({ group_id: Id }),
  "PATCH /user_groups/{}": plain,
  "POST /user_groups/{}/deactivate": plain,
  "GET /user_groups/{}/members": answer({ members: SortedIds }),
  "POST /user_groups/{}/members": plain,
  "GET /user_groups/{}/members/{}": answer({ is_user_group_member: Schema.Boolean }),
  "GET /user_groups/{}/subgroups": answer({ subgroups: SortedIds }),
  "POST /user_groups/{}/subgroups": plain,
}

const patterns = Object.entries(answers).map(([route, schema]) => {
  const [method = "", path = ""] = route.split(" ")
  return { method, path: new RegExp(`^${path.replaceAll("{}", "[^/]+")}$`), schema }
})

/** The schema of the answer; undefined where none is written down. The first that fits: words before any segment. */
export const answerTo = (method: string, path: string) =>
  patterns.find((each) => each.method === method && each.path.test(path.replace(/\?.*$/, "")))?.schema
