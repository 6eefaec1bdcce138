/** What domains of addresses add to the walks. */
import { recordsIn } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { everybodySees } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

const path = "/realm/domains"
const admins = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")
const belowAdmins = ["polonius", "hamlet", "shiva"] as const

export const rows = walkRows({
  leaks: {
    [`GET ${path}`]: [],
    [`POST ${path}`]: [{ who: belowAdmins, fields: { domain: "far.example" }, want: admins }],
    [`PATCH ${path}/{domain}`]: [{ who: belowAdmins, want: admins }],
    [`DELETE ${path}/{domain}`]: [{ who: belowAdmins, want: admins }],
  },
  hidden: {
    questions: () => ({
      [`GET ${path}`]: everybodySees,
      [`POST ${path}`]: everybodySees,
      [`PATCH ${path}/{domain}`]: everybodySees,
      [`DELETE ${path}/{domain}`]: everybodySees,
    }),
  },
  worstCases: { domain: { ...text(253), values: (length) => [`${"a".repeat(length - 2)}.a`] } },
  garbage: { fields: { [`POST ${path}`]: { domain: "far.example" } }, texts: ["Invalid domain"] },
  contained: ["realm_domains"],
  client: {
    realm_domains: {
      key: "realm_domains",
      apply: (known, { op, realm_domain, domain }) => {
        const list = recordsIn(known)
        const named = op === "remove" ? domain : Object(realm_domain).domain
        if (op === "add") return [...list, realm_domain]
        return list.flatMap((each) => (each["domain"] !== named ? [each] : op === "remove" ? [] : [realm_domain]))
      },
    },
  },
})
