/**
 * Bots whose role is above their owner's are lowered: older programs let an owner's role be changed without them, and a copy may
 * hold such bots. Nothing makes any since, so a look at each start is enough; it is repeated for what is restored meanwhile.
 */
import * as Effect from "effect/Effect"
import { type Command, change, done } from "../../../../events/command.ts"
import type { UserId } from "../../../../ids.ts"
import { periodicOnce } from "../../../../jobs/job.ts"
import type { Realm } from "../../../ground/realm/realm.ts"
import { Realms } from "../../../ground/realm/realms.ts"
import { findOwnersBelowBots } from "./bots-above-store.ts"
import { botsFollow } from "./roles.ts"

const lowerBotRoles = (owner: UserId): Command<Realm, void> => ({
  judge: (realm) => {
    const user = realm.users.get(owner)
    const steps = user === undefined ? [] : botsFollow(realm, user, user.role)
    return steps.length === 0 ? done(undefined) : change(steps, { answer: () => undefined })
  },
})

export const lowerBotRolesJob = periodicOnce({
  name: "bots above their owners",
  everyMilliseconds: 24 * 3600_000,
  isAtStart: true,
  run: Effect.gen(function* () {
    const realms = yield* Realms
    for (const { realm, owner } of yield* findOwnersBelowBots) yield* realms.submit(realm, lowerBotRoles(owner))
  }),
})
