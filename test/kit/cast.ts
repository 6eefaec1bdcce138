/** The organization of the tests: one person of each role, three members, and the channels that a test asks for. */
import * as Effect from "effect/Effect"
import { roles } from "../../src/chat/ground/realm/domain-values.ts"
import { Realms } from "../../src/chat/ground/realm/realms.ts"
import { defaultUserSettings } from "../../src/chat/ground/realm/user-settings.ts"
import { createRealm } from "../../src/chat/server/setup/realm-create.ts"
import { setUpChannel, setUpUser } from "../../src/chat/server/setup/realm-setup.ts"
import { Database } from "../../src/db/database.ts"
import { RealmId } from "../../src/ids.ts"

/** The role of each. */
export const cast = {
  desdemona: roles.owner,
  iago: roles.administrator,
  shiva: roles.moderator,
  hamlet: roles.member,
  cordelia: roles.member,
  othello: roles.member,
  polonius: roles.guest,
} as const
export type Name = keyof typeof cast
export const names: ReadonlyArray<Name> = ["desdemona", "iago", "shiva", "hamlet", "cordelia", "othello", "polonius"]

export const realmId = RealmId(1)
export const emailOf = (name: Name): string => `${name}@test.example`

export interface ChannelSetup {
  readonly name: string
  readonly users: ReadonlyArray<Name>
  readonly isPrivate?: boolean
  readonly isWebPublic?: boolean
  readonly isDefault?: boolean
  readonly historyShared?: boolean
}

/**
 * Makes the organization with its people in an empty database. They follow no topic by themselves, as accounts of older
 * programs do, so that a message is one event in most tests; automatic-topic-policies.test.ts asks about new accounts.
 */
export const makeCast = Effect.fnUntraced(function* (time: number) {
  const realms = yield* Realms
  const database = yield* Database
  yield* createRealm(database, { id: realmId, host: "test.example", settings: { name: "Test" } }, time)
  yield* realms.refresh()
  for (const name of names) {
    yield* setUpUser(realmId, {
      email: emailOf(name),
      fullName: name,
      role: cast[name],
      isBot: false,
      passwordHash: null,
      settings: defaultUserSettings,
    })
  }
})

export const makeChannel = Effect.fnUntraced(function* (channel: ChannelSetup) {
  const { realm } = yield* Effect.flatMap(Realms, (realms) => realms.get(realmId))
  const users = channel.users.flatMap((name) => realm.findUserByEmail(emailOf(name))?.id ?? [])
  yield* setUpChannel(
    realmId,
    {
      name: channel.name,
      description: "",
      isPrivate: channel.isPrivate ?? false,
      isWebPublic: channel.isWebPublic ?? false,
      isDefault: channel.isDefault ?? false,
      historyShared: channel.historyShared ?? channel.isPrivate !== true,
    },
    users,
  )
})
