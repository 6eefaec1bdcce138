/**
 * The demo organization of development mode: six accounts with profiles, three of them with a face, three channels and a
 * short welcome conversation, so that no
 * user ever sees an empty server. If the process is killed meanwhile, the next start goes on: everything is looked up
 * before it is made, and messages are sent with a local_id, so that repeating them sends nothing twice.
 */
import * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import { Database } from "../../../db/database.ts"
import { DatabaseUnusable } from "../../../db/failures.ts"
import { UserId } from "../../../ids.ts"
import { listRealms, markFinished } from "../../ground/realm/realm-store.ts"
import { Realms } from "../../ground/realm/realms.ts"
import { roles } from "../../ground/realm/values.ts"
import { Passwords } from "../../ground/sign-in/passwords.ts"
import { sendMessage } from "../../sending/messages/send.ts"
import { demoFaces, drawFace } from "./demo-faces.ts"
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

type Line = readonly [
  sender: (typeof demoAccounts)[number]["email"],
  to: string | ReadonlyArray<string>,
  topic: string,
  text: string,
]

const conversation: ReadonlyArray<Line> = [
  [
    "bot@demo.example",
    "general",
    "welcome",
    "Welcome to Parley! Every message here belongs to a topic; this one is called welcome.",
  ],
  [
    "owner@demo.example",
    "general",
    "welcome",
    "Try it: send a message with curl, read the events of a queue, and watch them arrive.",
  ],
  [
    "member@demo.example",
    "general",
    "welcome",
    "It works from here. What happens to my queue when the server restarts?",
  ],
  ["bot@demo.example", "general", "welcome", "Nothing: it goes on where it was, and no event is lost or doubled."],
  ["admin@demo.example", "announcements", "news", "This channel is web-public: guests can read it too."],
  ["owner@demo.example", "leads", "planning", "And this one is private. Only its subscribers can read it."],
  [
    "moderator@demo.example",
    ["guest@demo.example"],
    "",
    "Hello Greta, this is a direct message, just between the two of us.",
  ],
]

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
 * password where that has been begun already.
 */
export const seedDemo = Effect.fnUntraced(function* (begun: Effect.Effect<string> | undefined) {
  const database = yield* Database
  const realms = yield* Realms
  const [known] = yield* listRealms(database)
  if (known !== undefined && !(known.unfinished && known.host === demoHost)) return
  const settings = {
    name: "Parley demo",
    description: "A place to try things out.",
    // The channel of announcements is web-public.
    enable_spectator_access: true,
    unfinished: true,
  }
  const id = known === undefined ? yield* createRealm(database, { id: 1, host: demoHost, settings }, null) : known.id
  yield* realms.refresh()

  const passwordHash = yield* begun ?? (yield* Passwords).hash(demoPassword)
  const users = new Map<string, UserId>()
  for (const account of demoAccounts) {
    users.set(account.email, yield* setUpUser(id, { ...account, passwordHash: account.isBot ? null : passwordHash }))
  }
  for (const [address, face] of demoFaces) {
    const user = users.get(address)
    if (user !== undefined) yield* setUpAvatar(id, user, drawFace(face))
  }
  const all = [...users.values()]
  const [owner, admin, moderator] = all
  const leads = [owner, admin, moderator].filter((user) => user !== undefined)
  const general = channel("general", "For everybody and everything.")
  const announcements = channel("announcements", "News, readable by the whole web.")
  const leadsOnly = channel("leads", "Private: for those who run the place.")
  yield* setUpChannel(id, { ...general, isDefault: true }, all, owner)
  yield* setUpChannel(id, { ...announcements, isWebPublic: true }, all, owner)
  yield* setUpChannel(id, { ...leadsOnly, isPrivate: true, historyShared: false }, leads, owner)
  yield* setUpProfileFields(id, demoFields)
  yield* setUpProfiles(id, demoValues)

  const { realm } = yield* realms.get(id)
  for (const [index, [sender, to, topic, content]] of conversation.entries()) {
    const account = realm.findUserByEmail(sender)
    if (account === undefined) continue
    const { id: user, key_version: keyVersion } = account
    const caller: Caller = { realm: id, user: UserId(user), keyVersion, client: "Parley", origin: "" }
    yield* sendMessage(caller, {
      destination: { type: typeof to === "string" ? "channel" : "direct", to, topic },
      content,
      readBySender: true,
      widget: undefined,
      echo: { queueId: "demo", localId: String(index), digest: "demo" },
    })
  }
  yield* markFinished(database, id)
})
