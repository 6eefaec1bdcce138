import t from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import type { UserRecord } from "../../../../src/chat/ground/realm/records.ts"
import type { LogRow } from "../../../../src/events/event.ts"
import { UserId } from "../../../../src/ids.ts"
import type { JsonObject } from "../../../../src/json.ts"
import { column, makeRealm, only, person, record, row, sectionsFor } from "../../../kit/hand-made-realm.ts"

t.test("a cached text is made anew after every row that changes it", async (t) => {
  const realm = makeRealm()
  const everything = only(..."realm realm_user realm_user_groups stream subscription realm_bot".split(" "))
  const fresh = (viewer: UserRecord) => sectionsFor(viewer, { ...everything, includeSubscribers: true }, realm)
  const viewers = () => [1, 2, 3].map((id) => realm.users.get(UserId(id))).filter((user) => user !== undefined)
  const rows: ReadonlyArray<readonly [string, LogRow, (state: JsonObject) => unknown, unknown]> = [
    [
      "a new name",
      row(31, "realm", [], { op: "update", key: "name", value: "Helsingør", development: false }),
      (state) => state["realm_name"],
      "Helsingør",
    ],
    [
      "a role",
      row(32, "realm_user", [], { op: "update", user_id: 2, role: roles.moderator }),
      (state) => record(state["realm_users"], "user_id", 2)["role"],
      roles.moderator,
    ],
    [
      "its groups",
      row(33, "user_group", [], { op: "add_members", group_id: 5, user_ids: [2] }),
      (state) => record(state["realm_user_groups"], "id", 5)["members"],
      [2],
    ],
    [
      "a hidden address",
      row(34, "user_settings", [], { user_id: 2, property: "email_address_visibility", value: 4 }),
      (state) => record(state["realm_users"], "user_id", 2)["email"],
      "user2@chat.example.org",
    ],
    [
      "somebody who leaves",
      row(35, "realm_user", [], { op: "update", user_id: 4, is_active: false }),
      (state) => [
        column(state["realm_non_active_users"], "user_id"),
        record(state["subscriptions"], "stream_id", 1)["subscribers"],
        record(state["streams"], "stream_id", 1)["subscriber_count"],
      ],
      [[4, 5], [1, 2, 3], 3],
    ],
    [
      "a channel's first message",
      row(36, "stream", [], { op: "update", channel_id: 1, name: "lobby", property: "first_message_id", value: 99 }),
      (state) => record(state["streams"], "stream_id", 1)["first_message_id"],
      99,
    ],
    [
      "somebody new",
      row(37, "realm_user", [], {
        op: "add",
        user: { ...person(7, "Rosencrantz", roles.member), settings: {} },
      }),
      (state) => [column(state["realm_users"], "user_id"), record(state["realm_user_groups"], "id", 3)["members"]],
      [
        [1, 2, 3, 6, 7],
        [6, 7],
      ],
    ],
  ]
  for (const viewer of viewers()) fresh(viewer)
  for (const [name, change, read, expected] of rows) {
    realm.apply(change)
    for (const viewer of viewers())
      t.strictSame(read(fresh(viewer)), expected, `${name}, as ${viewer.full_name} sees it`)
  }
})
