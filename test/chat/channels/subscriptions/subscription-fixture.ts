/** Shared by the tests of subscriptions: the body of a request, a bot, and queues whose events are checked exactly. */
import type { Test } from "tap"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../../src/chat/server/setup/realm-setup.ts"
import type { UserId } from "../../../../src/ids.ts"
import type { Fields } from "../../../kit/client.ts"
import type { Reader } from "../../../kit/reader.ts"
import type { Name, TestServer } from "../../../kit/with-server.ts"

export const own = "/users/me/subscriptions"

export const named = (...names: ReadonlyArray<string>): Fields => ({ subscriptions: names.map((name) => ({ name })) })

export const makeBot = (server: TestServer, owner: Name): Promise<UserId> =>
  server.run(
    setUpUser(server.realmId, {
      email: `${owner}-bot@test.example`,
      fullName: "bot",
      role: roles.member,
      isBot: true,
      botOwnerId: server.idOf(owner),
      passwordHash: null,
    }),
  )

/** Opens queues; `check` wants exactly these events since the last one, and none for those who are not named. */
export const listen = async (t: Test, server: TestServer, names: ReadonlyArray<Name>, fields: Fields) => {
  const readers = new Map<Name, Reader>()
  for (const name of names) readers.set(name, await server.queue(name, fields))
  return async (what: string, expected: Partial<Record<Name, ReadonlyArray<Fields>>>) => {
    for (const [name, reader] of readers) {
      const got = await reader.rest()
      t.equal(got.length, expected[name]?.length ?? 0, `${what}, ${name}: ${JSON.stringify(got)}`)
      t.match(got, [...(expected[name] ?? [])], `${what}, ${name}`)
    }
  }
}
