/** What the settings of people, and their commands, add to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { everybodySees, ofOneself } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

const defaults = "/realm/user_settings_defaults"
const admins = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")
const belowAdmins = ["polonius", "hamlet", "shiva"] as const

export const rows = walkRows({
  leaks: {
    "PATCH /settings/display": [],
    "PATCH /settings/notifications": [],
    [`PATCH ${defaults}`]: [
      { who: belowAdmins, fields: { color_scheme: 2 }, want: admins },
      { who: belowAdmins, want: admins },
    ],
  },
  hidden: {
    questions: () => ({
      "PATCH /settings/display": everybodySees,
      "PATCH /settings/notifications": everybodySees,
      [`PATCH ${defaults}`]: everybodySees,
      "POST /zcommand": ofOneself,
    }),
  },
  worstCases: { command: text(100) },
  garbage: { fields: { "POST /zcommand": { command: "/ping" } } },
  contained: ["realm_user_settings_defaults"],
  client: {
    realm_user_settings_defaults: {
      key: "realm_user_settings_defaults",
      apply: (known, { property, value }) => ({ ...Object(known), [String(property)]: value }),
    },
  },
})
