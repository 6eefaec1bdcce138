/** The organizations of test servers: that of the demo with further members, and one with nobody but its owner. */
import * as Effect from "effect/Effect"
import { roles } from "../chat/ground/realm/domain-values.ts"
import { listRealms } from "../chat/ground/realm/realm-store.ts"
import { Realms } from "../chat/ground/realm/realms.ts"
import { makeHasher } from "../chat/ground/sign-in/hasher.ts"
import { newHash, parametersOf } from "../chat/ground/sign-in/password-hash.ts"
import { demoHost } from "../chat/server/setup/demo.ts"
import { demoPassword } from "../chat/server/setup/demo-password.ts"
import { createRealm } from "../chat/server/setup/realm-create.ts"
import { setUpChannel, setUpUser } from "../chat/server/setup/realm-setup.ts"
import type { DatabaseShape } from "../db/database.ts"
import { DatabaseUnusable } from "../db/open-failures.ts"
import { RealmId } from "../ids.ts"

export type TestOrganization = "demo" | "empty"

export const realmId = RealmId(1)
/** Passwords are hashed cheaply: nobody is to guess them. */
export const passwordCost = 16

const furtherMembers = ["Hamlet", "Cordelia", "Othello"]
/** Of the demo, without the private one. */
const openChannels = ["general", "announcements"]
const emptyHost = "empty.example"

const hash = Effect.scoped(
  Effect.gen(function* () {
    const hasher = yield* Effect.acquireRelease(Effect.sync(makeHasher), ({ close }) => Effect.promise(close))
    return yield* newHash(hasher, demoPassword, parametersOf(passwordCost))
  }),
)

/** The hash of the demo's password, for `startApp`, which makes the demo in an empty database. */
export const demoHash = hash

/**
 * To be called before the server starts, which else would make the demo. Refuses the organization of somebody else: it would
 * get accounts whose password is public, and the keys of all who are in it would be printed.
 */
export const beginOrganization = (organization: TestOrganization) => (database: DatabaseShape) =>
  Effect.gen(function* () {
    const realms = yield* listRealms(database)
    const host = organization === "demo" ? demoHost : emptyHost
    const known = realms.find(({ id }) => id === realmId) ?? realms[0]
    if (known !== undefined && !(known.id === realmId && known.host === host))
      return yield* new DatabaseUnusable({
        message: `The database holds the organization ${known.host}, which is not the ${organization} one of tests, ${host}: it is left alone`,
      })
    if (known === undefined && organization === "empty")
      yield* createRealm(database, { id: realmId, host: emptyHost, settings: { name: "Empty" } }, null)
  })

/** Adds what the start of a server does not make. What is there stays. */
export const fillOrganization = Effect.fnUntraced(function* (organization: TestOrganization) {
  const user = (fullName: string, host: string, role: (typeof roles)[keyof typeof roles], passwordHash: string) =>
    setUpUser(realmId, { email: `${fullName.toLowerCase()}@${host}`, fullName, role, isBot: false, passwordHash })
  const passwordHash = yield* hash
  if (organization === "empty") {
    yield* user("Owner", emptyHost, roles.owner, passwordHash)
    return
  }
  const { realm } = yield* Effect.flatMap(Realms, (realms) => realms.get(realmId))
  const users = []
  for (const name of furtherMembers) users.push(yield* user(name, demoHost, roles.member, passwordHash))
  // The channels are there already: nothing but the subscriptions is made.
  for (const name of openChannels) {
    const fields = { name, description: "", isPrivate: false, isWebPublic: false, isDefault: true, historyShared: true }
    if (realm.findChannelByName(name) !== undefined) yield* setUpChannel(realmId, fields, users)
  }
})
