/** What the pictures of people add to the walks. */
import { leadsTo } from "../../../kit/images.ts"
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { ofOneself } from "../../../walks/hidden/parts.ts"

const path = "/users/me/avatar"

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "400 BAD_REQUEST: a picture without a file",
        ask: ({ ask }) => ask({ method: "POST", path }),
        want: refusal("You must upload exactly one file."),
      },
    ],
  },
  levels: [
    {
      row: "a picture that a record leaves out is found by its user's id",
      ask: async ({ server }) => ({ location: await leadsTo(server, `/avatar/${server.idOf("cordelia")}`, "hamlet") }),
      want: { location: /^https:\/\/secure\.gravatar\.com\// },
    },
  ],
  hidden: { questions: () => ({ [`POST ${path}`]: ofOneself, [`DELETE ${path}`]: ofOneself }) },
})
