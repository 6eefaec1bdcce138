/** What commands of people about themselves add to the walks. */
import { walkRows } from "../../../kit/walk-rows.ts"
import { ofOneself } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

export const rows = walkRows({
  hidden: { questions: () => ({ "POST /zcommand": ofOneself }) },
  worstCases: { command: text(100) },
  garbage: {
    fields: { "POST /zcommand": { command: "/ping" } },
  },
})
