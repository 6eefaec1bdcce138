/** What saved snippets add to the walks: the example for nouns with things that only their owner knows. */
import { recordsIn } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { ofOneself, patch, remove } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

const path = "/saved_snippets"
const form = { title: "t", content: "c" }

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "404 BAD_REQUEST: saved snippets",
        ask: ({ ask }) => ask({ method: "PATCH", path: `${path}/4711`, form: { title: "t" } }),
        want: refusal("Saved snippet does not exist.", "BAD_REQUEST", 404),
      },
    ],
  },
  levels: [
    {
      row: "297: saved snippets",
      ask: async ({ ask }) => {
        const { body } = await ask({ method: "POST", path, form })
        return { made: body, listed: (await ask({ path })).body }
      },
      want: { made: { saved_snippet_id: Number }, listed: { saved_snippets: [form] } },
    },
    {
      row: "368: saved snippets can be edited",
      ask: async ({ ask }) => {
        const { body } = await ask({ method: "POST", path, form })
        return ask({ method: "PATCH", path: `${path}/${String(body["saved_snippet_id"])}`, form: { title: "new" } })
      },
      want: { status: 200 },
    },
  ],
  hidden: {
    things: async (server) => {
      const { saved_snippet_id } = await server.as("cordelia").must.post(path, form)
      const [hidden, never] = [String(saved_snippet_id), "9".repeat(String(saved_snippet_id).length)]
      return (["hamlet", "polonius", null] as const).map((who) => ({ who, hidden, never }))
    },
    questions: () => ({
      "GET /saved_snippets": ofOneself,
      "POST /saved_snippets": ofOneself,
      "PATCH /saved_snippets/{saved_snippet_id:int}": {
        thing: [
          (id) => patch(`${path}/${id}`, { title: "new" }),
          (id) => patch(`${path}/${id}`, { title: "", content: "" }),
          (id) => patch(`${path}/${id}`),
        ],
      },
      "DELETE /saved_snippets/{saved_snippet_id:int}": { thing: [(id) => remove(`${path}/${id}`)] },
    }),
  },
  worstCases: { title: text(60) },
  client: {
    saved_snippets: {
      key: "saved_snippets",
      // Oldest first.
      apply: (known, { op, saved_snippet, saved_snippet_id }) => {
        const list = recordsIn(known)
        const { id = saved_snippet_id } = Object(saved_snippet)
        if (op === "add") return [...list, saved_snippet]
        return list.flatMap((each) => (each["id"] !== id ? [each] : op === "remove" ? [] : [saved_snippet]))
      },
    },
  },
})
