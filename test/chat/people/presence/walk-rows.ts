/** What presence adds to the walks: the example for state that is not in the log. */
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { get, namesNothing } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

const path = "/users/me/presence"

export const rows = walkRows({
  conventions: {
    "signing in": [
      {
        row: "human-only: presence",
        ask: async ({ ask, server }) => {
          const bot = { fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
          await server.run(setUpUser(server.realmId, { ...bot, email: "never-there@test.example" }))
          const as = server.accountOf("never-there@test.example")
          return ask({ method: "POST", path, as, form: { status: "active" } })
        },
        want: refusal("This endpoint does not accept bot requests."),
      },
    ],
  },
  levels: [
    {
      row: "263: last_update_id, and what is newer",
      ask: async ({ ask }) => {
        const first = await ask({ method: "POST", path, form: { status: "active", last_update_id: "-1" } })
        const last_update_id = String(first.body["presence_last_update_id"])
        return [first, await ask({ method: "POST", path, form: { status: "active", last_update_id } })]
      },
      want: [
        { status: 200, body: { presences: Object, presence_last_update_id: Number } },
        { status: 200, body: { presences: {} } },
      ],
    },
    {
      row: "288: history_limit_days",
      ask: ({ ask }) => ask({ method: "POST", path, form: { status: "idle", history_limit_days: "0" } }),
      want: { status: 200, body: { presences: Object, server_timestamp: Number } },
    },
  ],
  hidden: {
    questions: () => ({
      [`POST ${path}`]: namesNothing,
      "GET /realm/presence": namesNothing,
      "GET /users/{user_id_or_email}/presence": { address: [(email) => get(`/users/${email}/presence`)] },
    }),
  },
  worstCases: {
    user_id_or_email: text(10_000),
    "POST /users/me/presence status": { most: 6, values: (length) => ["active".padEnd(length, "x").slice(0, length)] },
  },
  garbage: { texts: ["Invalid status", "No presence data for"], fields: { [`POST ${path}`]: { status: "active" } } },
  contained: ["presence"],
  client: {
    presence: {
      key: "presences",
      apply: (known, { presences, email, presence }) => {
        const { website } = Object(presence)
        const { pushable: _pushable, ...aggregated } = Object(website)
        return { ...Object(known), ...Object(presences ?? { [String(email)]: { aggregated, website } }) }
      },
    },
  },
})
