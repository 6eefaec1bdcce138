/** What the organization's icon and logos add to the walks. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { everybodySees } from "../../../walks/hidden/parts.ts"

const routes = ["POST /realm/icon", "DELETE /realm/icon", "POST /realm/logo", "DELETE /realm/logo"]
const want = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "400 BAD_REQUEST: a logo without a file",
        ask: ({ ask }) => ask({ method: "POST", path: "/realm/logo", as: "iago", form: { night: "true" } }),
        want: refusal("You must upload exactly one file."),
      },
    ],
  },
  leaks: Object.fromEntries(routes.map((route) => [route, [{ who: ["polonius", "hamlet", "shiva"], want }]])),
  hidden: { questions: () => Object.fromEntries(routes.map((route) => [route, everybodySees])) },
})
