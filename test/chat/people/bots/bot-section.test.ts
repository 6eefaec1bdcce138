import t from "tap"
import type { UserRecord } from "../../../../src/chat/ground/realm/records.ts"
import { column, only, people, sectionsFor } from "../../../kit/hand-made-realm.ts"

t.test("administrators read all bots, others their own", async (t) => {
  const bots = (user: UserRecord | null) => sectionsFor(user, only("realm_bot"))["realm_bots"]
  t.match(bots(people.iago), [
    {
      user_id: 4,
      full_name: "Echo",
      email: "echo@example.org",
      bot_type: 1,
      is_active: true,
      api_key: /^[0-9A-Za-z]{32}$/,
      owner_id: 1,
      default_sending_stream: null,
      default_events_register_stream: null,
      default_all_public_streams: false,
      services: [],
    },
  ])
  for (const user of [people.hamlet, people.polonius, people.echo, null]) t.strictSame(bots(user), [])
  const owner = { ...people.hamlet, id: people.iago.id }
  t.equal(column(bots(owner), "user_id").length, 1, "a member's own")
})
