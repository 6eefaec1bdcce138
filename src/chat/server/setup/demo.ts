/**
 * The demo organization of development mode: seven accounts with profiles, three of them with a face, two bots, four channels and
 * some conversations of the last days, so that no user ever sees an empty server. If the process is killed meanwhile, the next
 * start goes on: everything is looked up before it is made, and messages are sent with a local_id, so that repeating them
 * sends nothing twice.
 */
import * as Effect from "effect/Effect"
import { Database } from "../../../db/database.ts"
import { DatabaseUnusable } from "../../../db/open-failures.ts"
import type { UserId } from "../../../ids.ts"
import { roles, systemGroups } from "../../ground/realm/domain-values.ts"
import { listRealms, markDemoFinished } from "../../ground/realm/realm-store.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { demoBots } from "./demo-bots.ts"
import { demoFaces, drawFace } from "./demo-faces.ts"
import { type DateBack, liveDemo } from "./demo-life.ts"
import { demoPassword } from "./demo-password.ts"
import { demoFields, demoValues } from "./demo-profiles.ts"
import { createRealm } from "./realm-create.ts"
import { setUpAvatar, setUpChannel, setUpProfileFields, setUpProfiles, setUpUser } from "./realm-setup.ts"

export const demoAccounts = [
  { email: "owner@demo.example", fullName: "Olive Owner", role: roles.owner, isBot: false },
  { email: "admin@demo.example", fullName: "Adam Admin", role: roles.administrator, isBot: false },
  { email: "moderator@demo.example", fullName: "Mona Moderator", role: roles.moderator, isBot: false },
  { email: "member@demo.example", fullName: "Max Member", role: roles.member, isBot: false },
  { email: "guest@demo.example", fullName: "Greta Guest", role: roles.guest, isBot: false },
  { email: "visitor@demo.example", fullName: "Vera Visitor", role: roles.guest, isBot: false },
  { email: "bot@demo.example", fullName: "Demo Bot", role: roles.member, isBot: true },
] as const

const channel = (name: string, description: string) => ({
  name,
  description,
  isPrivate: false,
  isWebPublic: false,
  historyShared: true,
  isDefault: false,
})

/** How old it is, in milliseconds: a little more than what was said first. */
const oldest = 4 * 86_400_000

export const demoHost = "demo.example"

/** Refuses to serve the demo organization in production: its passwords are public. */
export const refuseDemo = Effect.fnUntraced(function* () {
  const realms = yield* listRealms(yield* Database)
  if (realms.some(({ host }) => host === demoHost))
    return yield* new DatabaseUnusable({
      message: `The database holds the demo organization, whose passwords are public: production needs one of its own`,
    })
})

/**
 * Makes the demo organization if the database serves none, or finishes one that was begun. `begun` is the hash of its
 * password where that has been begun already. `dateBack`: it is some days old, by the times of its rows.
 */
export const seedDemo = Effect.fnUntraced(function* (begun: Effect.Effect<string> | undefined, dateBack: DateBack) {
  const database = yield* Database
  const realms = yield* Realms
  const [known] = yield* listRealms(database)
  if (known !== undefined && !(known.unfinished && known.host === demoHost)) return
  const settings = {
    name: "Parley demo",
    description: "A place to try things out.",
    // The channel of announcements is web-public.
    enable_spectator_access: true,
    // Vera, who is in one channel only, knows those who are there, and nobody else.
    can_access_all_users_group: systemGroups["role:members"],
    unfinished: true,
  }
  const id = known === undefined ? yield* createRealm(database, { id: 1, host: demoHost, settings }, null) : known.id
  yield* realms.refresh()

  dateBack(oldest)
  const passwordHash = yield* begun ?? (yield* Passwords).hash(demoPassword)
  const users = new Map<string, UserId>()
  for (const account of demoAccounts) {
    users.set(account.email, yield* setUpUser(id, { ...account, passwordHash: account.isBot ? null : passwordHash }))
  }
  const botOwnerId = users.get("owner@demo.example") ?? null
  for (const bot of demoBots)
    yield* setUpUser(id, { ...bot, role: roles.member, isBot: true, botOwnerId, passwordHash: null })
  for (const [address, face] of demoFaces) {
    const user = users.get(address)
    if (user !== undefined) yield* setUpAvatar(id, user, drawFace(face))
  }
  const named = (...emails: ReadonlyArray<string>) => emails.flatMap((email) => users.get(email) ?? [])
  const [moderator, visitor] = ["moderator@demo.example", "visitor@demo.example"]
  const all = [...users].flatMap(([email, user]) => (email === visitor ? [] : [user]))
  const leads = named("owner@demo.example", "admin@demo.example", moderator)
  const [owner] = leads
  const general = channel("general", "For everybody and everything.")
  const announcements = channel("announcements", "News, readable by the whole web.")
  const leadsOnly = channel("leads", "Private: for those who run the place.")
  yield* setUpChannel(id, { ...general, isDefault: true }, all, owner)
  yield* setUpChannel(id, { ...announcements, isWebPublic: true }, all, owner)
  yield* setUpChannel(id, { ...leadsOnly, isPrivate: true, historyShared: false }, leads, owner)
  const support = channel("support", "Questions, and where to ask them.")
  yield* setUpChannel(id, support, named(moderator, "member@demo.example", visitor), owner)
  yield* setUpProfileFields(id, demoFields)
  yield* setUpProfiles(id, demoValues)

  yield* liveDemo(id, dateBack)
  yield* markDemoFinished(database, id)
})
