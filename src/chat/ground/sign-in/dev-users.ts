/** GET /dev_list_users: in development mode, the accounts that can sign in without a password. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, openEndpoint } from "../../../api/endpoint.ts"
import { badRequest, realmUnknown } from "../../../api/errors.ts"
import { Config } from "../../../config/config.ts"
import { isAdministrator } from "../permissions/permissions.ts"
import { Realms } from "../realm/realms.ts"
import { Address, Url } from "../wire/wire-values.ts"

const Listed = Schema.Array(Schema.Struct({ email: Address, realm_url: Url }))

export const getDevUsers = openEndpoint({
  method: "GET",
  path: "/dev_list_users",
  limit: "signIn",
  summary: "In development mode only: the accounts for which dev_fetch_api_key hands out a key.",
  params: {},
  reply: Schema.Struct({ direct_admins: Listed, direct_users: Listed }),
  errors: ["NONEXISTENT_SUBDOMAIN"],
  run: Effect.fnUntraced(function* (visitor) {
    const { mode } = yield* Config
    const realms = yield* Realms
    if (mode !== "development") return yield* badRequest("Endpoint not available in production.")
    if (visitor.realm === null) return yield* realmUnknown()
    const { realm } = yield* realms.get(visitor.realm)
    const people = [...realm.users.values()]
      .filter((user) => !user.is_bot && realm.isActive(user.id))
      .sort((a, b) => (a.email < b.email ? -1 : 1))
    const listed = (administrators: boolean) =>
      people
        .filter((user) => isAdministrator(user) === administrators)
        .map(({ email }) => ({ email, realm_url: visitor.origin }))
    return dataReply({ direct_admins: listed(true), direct_users: listed(false) })
  }),
})
