/** What profile fields add to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import type { Name } from "../../../kit/with-server.ts"
import { everybodySees } from "../../../walks/hidden/parts.ts"
import { ids, text } from "../../../walks/worst-cases/values.ts"

const path = "/realm/profile_fields"
const field = { name: "Room", field_type: 1 }
const belowAdmins: ReadonlyArray<Name> = ["polonius", "hamlet", "shiva"]
const want = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")

export const rows = walkRows({
  levels: [
    {
      row: "252: of a profile field only what is passed changes",
      ask: async ({ ask }) => {
        const { body } = await ask({ method: "POST", path, as: "iago", form: { ...field, hint: "h" } })
        await ask({ method: "PATCH", path: `${path}/${String(body["id"])}`, as: "iago", form: { required: true } })
        return ask({ path })
      },
      want: { body: { custom_fields: [{ ...field, field_type: undefined, type: 1, hint: "h", required: true }] } },
    },
    {
      row: "296: profile fields that people do not edit",
      ask: async ({ ask }) => {
        const form = { name: "Desk", field_type: 1, editable_by_user: false }
        const { body } = await ask({ method: "POST", path, as: "iago", form })
        const data = [{ id: body["id"], value: "12" }]
        return ask({ method: "PATCH", path: "/users/me/profile_data", form: { data } })
      },
      want: refusal("You are not allowed to change this field. Contact an administrator to update it."),
    },
  ],
  leaks: {
    "GET /realm/profile_fields": [],
    "PATCH /realm/profile_fields": [{ who: belowAdmins, fields: { order: [] }, want }],
    "POST /realm/profile_fields": [{ who: belowAdmins, fields: field, want }],
    "PATCH /realm/profile_fields/{field_id:int}": [{ who: belowAdmins, want }],
    "DELETE /realm/profile_fields/{field_id:int}": [{ who: belowAdmins, want }],
  },
  hidden: {
    questions: () => ({
      "GET /realm/profile_fields": everybodySees,
      "PATCH /realm/profile_fields": everybodySees,
      "POST /realm/profile_fields": everybodySees,
      "PATCH /realm/profile_fields/{field_id:int}": everybodySees,
      "DELETE /realm/profile_fields/{field_id:int}": everybodySees,
    }),
  },
  worstCases: {
    hint: text(10_000),
    field_data: { most: 50_000, values: (length) => [`{"a":"${"x".repeat(length - 8)}"}`] },
    "PATCH /realm/profile_fields order": ids(100),
  },
  garbage: {
    fields: {
      "POST /realm/profile_fields": field,
      "PATCH /realm/profile_fields": { order: [] },
      "PATCH /realm/profile_fields/{field_id:int}": { field_id: 4711, hint: "h" },
    },
    texts: ["Label cannot be blank.", "Invalid order mapping.", "Invalid field type."],
  },
  contained: ["custom_profile_fields"],
})
