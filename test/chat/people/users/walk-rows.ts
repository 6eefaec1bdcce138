/** What the settings of people add to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { everybodySees } from "../../../walks/hidden/parts.ts"

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
    }),
  },
  contained: ["realm_user_settings_defaults"],
  client: {
    realm_user_settings_defaults: {
      key: "realm_user_settings_defaults",
      apply: (known, { property, value }) => ({ ...Object(known), [String(property)]: value }),
    },
  },
})
