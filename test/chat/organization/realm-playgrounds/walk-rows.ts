/** What playgrounds add to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import type { Name } from "../../../kit/with-server.ts"
import { everybodySees } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

const path = "/realm/playgrounds"
const playground = { name: "Rust", pygments_language: "Rust", url_template: "https://play.example/?code={code}" }
const belowAdmins: ReadonlyArray<Name> = ["polonius", "hamlet", "shiva"]
const want = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")

export const rows = walkRows({
  conventions: {
    "types of parameters": [
      {
        row: "another format",
        ask: ({ ask }) => ask({ method: "POST", path, as: "iago", form: { ...playground, pygments_language: "a%b" } }),
        want: refusal("pygments_language has invalid format"),
      },
    ],
  },
  leaks: {
    "POST /realm/playgrounds": [{ who: belowAdmins, fields: playground, want }],
    "DELETE /realm/playgrounds/{playground_id:int}": [{ who: belowAdmins, want }],
  },
  hidden: {
    questions: () => ({
      "POST /realm/playgrounds": everybodySees,
      "DELETE /realm/playgrounds/{playground_id:int}": everybodySees,
    }),
  },
  worstCases: {
    "POST /realm/playgrounds name": text(100),
    pygments_language: text(40),
    "POST /realm/playgrounds url_template": {
      most: 500,
      values: (length) => [`https://a.example/${"a".repeat(length - 24)}{code}`],
    },
  },
  garbage: {
    fields: { "POST /realm/playgrounds": playground },
    texts: [
      "Invalid URL template.",
      'Missing the required variable "code" in the URL template',
      "The URL template must begin with http:// or https:// and a host",
    ],
  },
  contained: ["realm_playgrounds"],
  client: {
    realm_playgrounds: { key: "realm_playgrounds", apply: (_known, event) => event["realm_playgrounds"] },
  },
})
