/** Signing in, row by row: authentication and client names; and the answers to passwords. */

import { roles } from "../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../src/chat/server/setup/realm-setup.ts"
import { UserId } from "../../../src/ids.ts"
import { type Row, refusal, type Scene, sent } from "../../kit/rows.ts"
import { requirePasswordReset } from "../../kit/test-commands.ts"

type Rows = ReadonlyArray<Row>

const success = { status: 200, body: { result: "success", msg: "" } }

const wrongKey = "k".repeat(32)
const signedAs = (header: string) => ({ path: "/users/me", as: null, headers: { Authorization: header } })
const encoded = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`
const refused = (msg: string | RegExp) => refusal(msg, "UNAUTHORIZED", 401)
const email = "hamlet@test.example"

export const signingIn: Rows = [
  {
    row: "real addresses, in any case",
    ask: ({ ask, server }) =>
      ask({ path: "/users/me", as: { email: email.toUpperCase(), key: server.as("hamlet").account.key } }),
    want: { ...success, body: { delivery_email: email } },
  },
  {
    row: "the key is trimmed",
    ask: ({ ask, server }) => ask({ path: "/users/me", as: { email, key: ` ${server.as("hamlet").account.key} ` } }),
    want: success,
  },
  {
    row: "no header",
    ask: ({ ask }) => ask({ path: "/users/me", as: null }),
    want: refused(/^Not (logged|signed) in/),
  },
  { row: "a header of one word", ask: ({ ask }) => ask(signedAs("Basic")), want: { status: /40[01]/ } },
  { row: "not base64", ask: ({ ask }) => ask(signedAs("Basic ~~~~")), want: refused(/Authorization header/) },
  {
    row: "no colon",
    ask: ({ ask }) => ask(signedAs(encoded("hamlet"))),
    want: refused(/Authorization header/),
  },
  { row: "another scheme", ask: ({ ask }) => ask(signedAs(`Bearer ${wrongKey}`)), want: refusal(/basic auth/i) },
  {
    row: "a key of another shape",
    ask: ({ ask }) => ask({ path: "/users/me", as: { email, key: "k" } }),
    want: refused("Malformed API key"),
  },
  {
    row: "an unknown key",
    ask: ({ ask }) => ask({ path: "/users/me", as: { email, key: wrongKey } }),
    want: refused("Invalid API key"),
  },
  {
    row: "a key of somebody else",
    ask: ({ ask, server }) => ask({ path: "/users/me", as: { email, key: server.as("iago").account.key } }),
    want: refused("Invalid API key"),
  },
  {
    row: "nobody's address",
    ask: ({ ask }) => ask({ path: "/users/me", as: { email: "nobody@test.example", key: wrongKey } }),
    want: refused("Invalid API key"),
  },
  {
    row: "a deactivated user",
    ask: async ({ ask, server }) => {
      await server.as("iago").must.delete(`/users/${server.idOf("othello")}`)
      const answer = await ask({ path: "/users/me", as: "othello" })
      await server.as("iago").must.post(`/users/${server.idOf("othello")}/reactivate`)
      return answer
    },
    want: refused("Account is deactivated"),
  },
  {
    row: "a deactivated organization",
    ask: async ({ ask, server }) => {
      await server.actions.deactivateRealm()
      const answer = await ask({ path: "/users/me" })
      const key = await ask({
        method: "POST",
        path: "/fetch_api_key",
        as: null,
        form: { username: email, password: "x" },
      })
      await server.actions.reactivateRealm()
      return [answer, key]
    },
    want: [refused("This organization has been deactivated"), refusal(/deactivated/, "REALM_DEACTIVATED", 401)],
  },
  {
    row: "an incoming webhook bot, where it may not",
    ask: async ({ ask, server }) => {
      const bot = { fullName: "Hook", isBot: true, botType: 2, role: roles.member, passwordHash: null } as const
      await server.run(setUpUser(server.realmId, { ...bot, email: "hook@test.example" }))
      const as = server.asEmail("hook@test.example").account
      const may = { type: "direct", to: [email], content: "c" }
      return [await ask({ path: "/users/me", as }), await ask({ method: "POST", path: "/messages", as, form: may })]
    },
    want: [refused("This API is not available to incoming webhook bots."), success],
  },
  ...["/fetch_api_key", "/dev_fetch_api_key"].map((path) => ({
    row: `without an account: ${path}`,
    ask: ({ ask }: Scene) => ask({ method: "POST", path, as: null }),
    want: refusal(/Missing 'username'/, "REQUEST_VARIABLE_MISSING"),
  })),
  {
    row: "without an account: /dev_list_users",
    ask: ({ ask }) => ask({ path: "/dev_list_users", as: null }),
    want: refusal("Endpoint not available in production."),
  },
  ...(
    [
      ["POST", "/register", { client_gravatar: false }],
      ["GET", "/users", {}],
      ["GET", "/streams", {}],
    ] as const
  ).map(([method, path, form]) => ({
    row: `${method} ${path} without an account, where spectators may and where they may not`,
    ask: async ({ ask, server }: Scene) => {
      const before = await ask({ method, path, as: null, form })
      await server.actions.changeRealm({ enable_spectator_access: true })
      const meanwhile = await ask({ method, path, as: null, form })
      const wrong = await ask({ method, path, as: { email, key: wrongKey }, form })
      await server.actions.changeRealm({ enable_spectator_access: false })
      return [before, meanwhile, wrong]
    },
    want: [refused(/./), success, refused("Invalid API key")],
  })),
  { row: "human-only: presence", waiting: "POST /users/me/presence" },
  {
    row: "human-only: status",
    ask: async ({ ask, server }) => {
      const bot = { fullName: "Bot", role: roles.member, isBot: true, passwordHash: null }
      await server.run(setUpUser(server.realmId, { ...bot, email: "no-person@test.example" }))
      const as = server.accountOf("no-person@test.example")
      return ask({ method: "POST", path: "/users/me/status", as, form: { status_text: "t" } })
    },
    want: refusal("This endpoint does not accept bot requests."),
  },
  {
    row: "not for guests",
    ask: ({ ask }) =>
      ask({
        method: "POST",
        path: "/users/me/subscriptions",
        as: "polonius",
        form: { subscriptions: [{ name: "x" }] },
      }),
    want: refusal("Not allowed for guest users"),
  },
  {
    row: "not for guests: all public streams",
    ask: ({ ask }) => ask({ method: "POST", path: "/register", as: "polonius", form: { all_public_streams: true } }),
    want: refusal("User not authorized for this query"),
  },
  ...(
    [
      ["ZulipTerminal/0.7 (Linux)", "ZulipTerminal"],
      ["ZulipFlutter/30", "ZulipFlutter"],
      ["Mozilla/5.0 (X11)", "Mozilla"],
      ["", "Unspecified"],
    ] as const
  ).map(([agent, client]) => ({
    row: `User-Agent ${JSON.stringify(agent)} is ${client}`,
    ask: (scene: Scene) => sent(scene, {}, agent === "" ? {} : { headers: { "User-Agent": agent } }),
    want: { client },
  })),
]

export const password = "a long password"
const signIn = ({ ask }: Scene, username: string, word: string) =>
  ask({ method: "POST", path: "/fetch_api_key", as: null, form: { username, password: word } })

export const keys: Rows = [
  { row: "success", ask: (scene) => signIn(scene, "new@test.example", password), want: success },
  {
    row: "AUTHENTICATION_FAILED: the password",
    ask: (scene) => signIn(scene, "new@test.example", "another"),
    want: refusal(/incorrect/, "AUTHENTICATION_FAILED", 401),
  },
  {
    row: "AUTHENTICATION_FAILED: the name",
    ask: (scene) => signIn(scene, "nobody@test.example", password),
    want: refusal(/incorrect/, "AUTHENTICATION_FAILED", 401),
  },
  {
    row: "a name that is no address",
    ask: (scene) => signIn(scene, "new", password),
    want: refusal("Enter a valid email address."),
  },
  {
    row: "PASSWORD_AUTH_DISABLED",
    ask: async (scene) => {
      await scene.server.actions.changeRealm({ password_auth_enabled: false })
      const answer = await signIn(scene, "new@test.example", password)
      await scene.server.actions.changeRealm({ password_auth_enabled: true })
      return answer
    },
    want: refusal(/password/i, "PASSWORD_AUTH_DISABLED", 401),
  },
  {
    row: "USER_DEACTIVATED, with the right password only",
    ask: async (scene) => {
      const { server } = scene
      const { user_id } = await server.asEmail("new@test.example").must.get("/users/me")
      await server.as("iago").must.delete(`/users/${String(user_id)}`)
      const answers = [await signIn(scene, "new@test.example", password), await signIn(scene, "new@test.example", "x")]
      await server.as("iago").must.post(`/users/${String(user_id)}/reactivate`)
      return answers
    },
    want: [
      refusal("Account is deactivated", "USER_DEACTIVATED", 401),
      refusal(/incorrect/, "AUTHENTICATION_FAILED", 401),
    ],
  },
  {
    row: "PASSWORD_RESET_REQUIRED, with the right password only",
    ask: async (scene) => {
      const { server } = scene
      const { user_id } = await server.asEmail("new@test.example").must.get("/users/me")
      await server.run(requirePasswordReset(server.realmId, UserId(Number(user_id))))
      return [await signIn(scene, "new@test.example", password), await signIn(scene, "new@test.example", "x")]
    },
    want: [refusal(/password/i, "PASSWORD_RESET_REQUIRED", 401), refusal(/incorrect/, "AUTHENTICATION_FAILED", 401)],
  },
]
