/** What exports add to the walks. */
import { ended, exportsOf, wanted } from "../../../kit/exports.ts"
import { pluck } from "../../../kit/records.ts"
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import type { Name } from "../../../kit/with-server.ts"
import { namesNothing, remove } from "../../../walks/hidden/parts.ts"

const path = "/export/realm"
const belowAdmins: ReadonlyArray<Name> = ["polonius", "hamlet", "shiva"]
const want = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")

export const rows = walkRows({
  conventions: {
    "times, ids and texts": [
      {
        row: "export_time: a float",
        ask: async ({ server }) => {
          const now = server.clock.now()
          await ended(server, await wanted(server))
          return pluck(await exportsOf(server), "export_time").at(-1) === now / 1000
        },
        want: true,
      },
    ],
  },
  levels: [
    {
      row: "182: the id of an export",
      ask: ({ ask }) => ask({ method: "POST", path, as: "desdemona" }),
      want: { status: 200, body: { id: Number } },
    },
    {
      row: "295: who allows the export of what is private to them",
      ask: ({ ask }) => ask({ path: `${path}/consents`, as: "desdemona" }),
      want: { body: { export_consents: [{ user_id: Number, consented: false }] } },
    },
  ],
  leaks: {
    "POST /export/realm": [{ who: belowAdmins, want }],
    "GET /export/realm": [{ who: belowAdmins, want }],
    "GET /export/realm/consents": [{ who: belowAdmins, want }],
    "DELETE /export/realm/{export_id:int}": [{ who: belowAdmins, want }],
  },
  hidden: {
    things: async (server) => {
      const id = await wanted(server)
      await ended(server, id)
      const [hidden, never] = [String(id), "9".repeat(String(id).length)]
      return (["hamlet", "polonius", null] as const).map((who) => ({ who, hidden, never }))
    },
    questions: () => ({
      "POST /export/realm": namesNothing,
      "GET /export/realm": namesNothing,
      "GET /export/realm/consents": namesNothing,
      "DELETE /export/realm/{export_id:int}": { thing: [(id) => remove(`${path}/${id}`)] },
    }),
  },
  garbage: { texts: ["Exceeded rate limit.", "Another export is still in progress"] },
})
