/**
 * What web hooks of other services add to the walks, which sign their requests like all others, and send a form: its fields
 * are parameters and, shown as JSON, the content.
 */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { post } from "../../../walks/hidden/parts.ts"
import { names, text, whole } from "../../../walks/worst-cases/values.ts"

const path = "/external/json"
const route = "POST /external/{integration}"

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "INVALID_JSON: the body of a web hook",
        ask: ({ ask }) => ask({ method: "POST", path, form: { payload: "{" } }),
        want: refusal("Malformed JSON", "INVALID_JSON"),
      },
      {
        row: "INVALID_API_KEY: a web hook whose address has no key, or no bot's",
        ask: async ({ ask }) => [
          await ask({ method: "POST", path, as: null, form: { a: 1 } }),
          await ask({ method: "POST", path: `${path}?api_key=x`, as: null, form: { a: 1 } }),
          await ask({ method: "POST", path: `${path}?api_key=${"x".repeat(32)}`, as: null, form: { a: 1 } }),
        ],
        want: [
          refusal(/^Missing API key/, "INVALID_API_KEY", 401),
          refusal("Malformed API key", "INVALID_API_KEY", 401),
          refusal("Invalid API key", "INVALID_API_KEY", 401),
        ],
      },
    ],
  },
  leaks: { [route]: [] },
  hidden: {
    questions: () => ({
      [route]: {
        channel: [(id) => post(path, { stream: id, topic: "t" })],
        channelName: [(name) => post(path, { stream: name, topic: "t" })],
      },
    }),
  },
  worstCases: {
    integration: text(100),
    api_key: text(100),
    [`${route} stream`]: whole,
    [`${route} topic`]: whole,
    [`${route} description`]: whole,
    [`${route} desc`]: whole,
    [`${route} name`]: whole,
    only_events: names(100),
    exclude_events: names(100),
  },
  garbage: { fields: { [route]: { integration: "json", stream: "lobby", topic: "t" } } },
})
