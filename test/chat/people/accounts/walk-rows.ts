/** What leaving adds to the walks. The rest of accounts over time are parameters of older routes. */
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { ofOneself } from "../../../walks/hidden/parts.ts"
import { json, text } from "../../../walks/worst-cases/values.ts"

export const rows = walkRows({
  conventions: {
    errors: [
      {
        row: "CANNOT_DEACTIVATE_LAST_USER",
        ask: ({ ask }) => ask({ method: "DELETE", path: "/users/me", as: "desdemona" }),
        want: refusal("Cannot deactivate the only organization owner.", "CANNOT_DEACTIVATE_LAST_USER", 400, {
          is_last_owner: true,
          entity: "organization owner",
        }),
      },
    ],
  },
  levels: [
    {
      row: "135: deactivation_notification_comment",
      ask: async ({ ask, server }) =>
        ask({
          method: "DELETE",
          path: `/users/${server.idOf("othello")}`,
          as: "iago",
          form: { deactivation_notification_comment: "Farewell!" },
        }),
      // It is known, and this server has no mail.
      want: refusal("This server cannot send mail, so it cannot tell whom you deactivate"),
    },
  ],
  hidden: { questions: () => ({ "DELETE /users/me": ofOneself }) },
  worstCases: {
    deactivation_notification_comment: text(2000),
    actions: {
      most: 1000,
      values: (length) => [json({}).padEnd(length), json({ delete_profile: false }).padEnd(length)],
    },
  },
})
