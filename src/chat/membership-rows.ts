/**
 * The rows that tell of a user's coming into the groups of their role, or leaving them, in the form in which the SQL
 * functions of users.sql, roles.sql and reactivate.sql write them after the row about the user.
 */
import type { JsonObject } from "../json.ts"
import { roleGroupIds } from "./groups.ts"
import type { Realm } from "./realm.ts"
import type { UserRecord } from "./records.ts"

/** One per group; `now` in milliseconds since the Unix epoch. */
export const membershipRows = (
  realm: Realm,
  user: UserRecord,
  op: "add_members" | "remove_members",
  now: number,
): ReadonlyArray<JsonObject> =>
  roleGroupIds(realm, user, now).map((group) => ({
    type: "user_group",
    payload: { op, group_id: group, user_ids: [user.id] },
    audience: { kind: "realm" },
  }))
