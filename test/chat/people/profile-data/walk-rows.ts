/** What names, and what people have in profile fields, add to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { everybodySees, patch } from "../../../walks/hidden/parts.ts"
import { ids, list } from "../../../walks/worst-cases/values.ts"

const own = "/users/me/profile_data"
const want = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")

export const rows = walkRows({
  conventions: {
    "types of parameters": [
      {
        row: "not a date",
        ask: async ({ ask }) => {
          const form = { name: "Birthday", field_type: 4 }
          const { body } = await ask({ method: "POST", path: "/realm/profile_fields", as: "iago", form })
          return ask({ method: "PATCH", path: own, form: { data: [{ id: body["id"], value: "1.5" }] } })
        },
        want: refusal("Birthday is not a date"),
      },
    ],
    "signing in": [],
  },
  levels: [
    {
      row: "313: people are changed by an address, too",
      ask: async ({ ask }) => {
        const path = "/users/polonius@test.example"
        const { status } = await ask({ method: "PATCH", path, as: "iago", form: { full_name: "Advisor" } })
        return { status, user: (await ask({ path })).body["user"] }
      },
      want: { status: 200, user: { full_name: "Advisor" } },
    },
  ],
  leaks: {
    "PATCH /users/me/profile_data": [],
    "DELETE /users/me/profile_data": [],
    "PATCH /users/{email}": [{ who: ["polonius", "hamlet", "shiva"], fields: { full_name: "N" }, want }],
  },
  hidden: {
    questions: () => ({
      "PATCH /users/me/profile_data": everybodySees,
      "DELETE /users/me/profile_data": everybodySees,
      "PATCH /users/{email}": {
        address: [
          (email) => patch(`/users/${encodeURIComponent(email)}`, { full_name: "N" }),
          (email) => patch(`/users/${encodeURIComponent(email)}`, { role: 400 }),
          (email) => patch(`/users/${encodeURIComponent(email.toUpperCase())}`, { profile_data: [] }),
          (email) => patch(`/users/${encodeURIComponent(email)}`),
        ],
      },
    }),
  },
  worstCases: {
    "PATCH /users/me/profile_data data": list(100, (n) => ({ id: n + 1, value: "x" })),
    "DELETE /users/me/profile_data data": ids(100),
  },
  garbage: {
    fields: {
      "PATCH /users/{email}": { email: "nobody@test.example", full_name: "N" },
      "PATCH /users/me/profile_data": { data: [] },
      "DELETE /users/me/profile_data": { data: [] },
    },
    texts: ["Name too short!", "Name too long!", "Invalid characters in name!"],
  },
})
