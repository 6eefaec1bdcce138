/** What views in the navigation add to the walks. */
import { recordsIn } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { ofOneself, patch, remove } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

const path = "/navigation_views"
const form = { fragment: "narrow/topic/t", is_pinned: true, name: "Topic" }
const at = (fragment: string): string => `${path}/${encodeURIComponent(fragment)}`

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "404 BAD_REQUEST: navigation views",
        ask: ({ ask }) => ask({ method: "PATCH", path: at("narrow/none"), form: { is_pinned: true } }),
        want: refusal("Navigation view does not exist.", "BAD_REQUEST", 404),
      },
    ],
  },
  levels: [
    {
      row: "390: navigation views",
      ask: async ({ ask }) => {
        await ask({ method: "POST", path, form })
        await ask({ method: "PATCH", path: at(form.fragment), form: { is_pinned: false } })
        return ask({ path })
      },
      want: { body: { navigation_views: [{ ...form, is_pinned: false }] } },
    },
  ],
  hidden: {
    things: async (server) => {
      await server.as("cordelia").must.post(path, form)
      return (["hamlet", "polonius", null] as const).map((who) => ({
        who,
        hidden: form.fragment,
        never: "narrow/topic/n",
      }))
    },
    questions: () => ({
      "GET /navigation_views": ofOneself,
      "POST /navigation_views": ofOneself,
      "PATCH /navigation_views/{fragment}": {
        thing: [
          (fragment) => patch(at(fragment), { is_pinned: false }),
          (fragment) => patch(at(fragment), { name: form.name }),
          (fragment) => patch(at(fragment)),
        ],
      },
      "DELETE /navigation_views/{fragment}": { thing: [(fragment) => remove(at(fragment))] },
    }),
  },
  worstCases: {
    fragment: text(500),
    "POST /navigation_views name": text(100),
    "PATCH /navigation_views/{fragment} name": text(100),
  },
  garbage: { texts: ["Custom views must have a valid name."] },
  client: {
    navigation_view: {
      key: "navigation_views",
      // Oldest first.
      apply: (known, { op, navigation_view, fragment, data }) => {
        const list = recordsIn(known)
        if (op === "add") return [...list, navigation_view]
        if (op === "remove") return list.filter((each) => each["fragment"] !== fragment)
        return list.map((each) => (each["fragment"] === fragment ? { ...each, ...Object(data) } : each))
      },
    },
  },
})
