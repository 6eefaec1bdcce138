/** What the tokens of devices add to the walks. */
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import { refusal } from "../../../kit/rows.ts"
import { walkRows } from "../../../kit/walk-rows.ts"
import { post, remove } from "../../../walks/hidden/parts.ts"
import { text } from "../../../walks/worst-cases/values.ts"

const apns = "/users/me/apns_device_token"
const android = "/users/me/android_gcm_reg_id"
const appid = "org.example"

export const rows = walkRows({
  conventions: {
    "signing in": [
      {
        row: "human-only: push tokens",
        ask: async ({ ask, server }) => {
          const bot = { fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
          await server.run(setUpUser(server.realmId, { ...bot, email: "no-phone@test.example" }))
          const as = server.accountOf("no-phone@test.example")
          return ask({ method: "POST", path: apns, as, form: { token: "c0ffee", appid } })
        },
        want: refusal("This endpoint does not accept bot requests."),
      },
    ],
  },
  renamed: [
    {
      row: "APNs tokens: appid (223), deprecated (406)",
      ask: async ({ ask }) => {
        const add = (form: object) => ask({ method: "POST", path: apns, form: { token: "c0ffee", ...form } })
        return [await add({}), await add({ appid })]
      },
      want: [refusal("Missing 'appid' argument", "REQUEST_VARIABLE_MISSING"), { status: 200 }],
    },
  ],
  hidden: {
    things: async (server) => {
      const [hidden, never] = ["c0ffee", "decade"]
      for (const path of [apns, android]) await server.as("cordelia").must.post(path, { token: hidden, appid })
      return (["hamlet", "polonius", null] as const).map((who) => ({ who, hidden, never }))
    },
    // Removed first: what somebody has registered is theirs, too.
    questions: () => ({
      "DELETE /users/me/apns_device_token": { thing: [(token) => remove(apns, { token })] },
      "DELETE /users/me/android_gcm_reg_id": { thing: [(token) => remove(android, { token })] },
      "POST /users/me/apns_device_token": { thing: [(token) => post(apns, { token, appid })] },
      "POST /users/me/android_gcm_reg_id": { thing: [(token) => post(android, { token })] },
    }),
  },
  worstCases: { token: text(4096), appid: text(255) },
  garbage: { texts: ["Empty or invalid length token", "Invalid APNS token"] },
})
