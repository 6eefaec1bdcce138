/**
 * Finds the user whom a client names, for whoever asks. Somebody of whom they may not know, or may not know by that address, is
 * answered like nobody: every endpoint that lets people name others goes through here.
 */
import { UserId } from "../../../../ids.ts"
import { fold } from "../domain-values.ts"
import { findPlaceholderId, maySeeAddress, type Viewer } from "../email-addresses.ts"
import type { Realm } from "../realm.ts"
import type { UserRecord } from "../records.ts"
import { findPerson, systemBots } from "../system-bots.ts"
import { mayKnow } from "./acquaintance.ts"

const knownUser = (realm: Realm, viewer: Viewer, user: UserRecord | undefined): UserRecord | undefined =>
  user !== undefined && mayKnow(realm, viewer, user) ? user : undefined

/** A user with an account. */
export const findUser = (realm: Realm, viewer: Viewer, id: UserId): UserRecord | undefined =>
  knownUser(realm, viewer, realm.users.get(id))

/** A user or a system bot. */
export const findPersonFor = (realm: Realm, viewer: Viewer, id: UserId): UserRecord | undefined =>
  knownUser(realm, viewer, findPerson(realm, id))

/** By an address, a placeholder or a real one; undefined if this viewer may not see that real address. */
export const findUserByAddress = (realm: Realm, viewer: Viewer, address: string): UserRecord | undefined => {
  const id = findPlaceholderId(realm, address)
  if (id !== undefined) return findUser(realm, viewer, id)
  const folded = fold(address)
  const bot = systemBots(realm).find(({ email }) => fold(email) === folded)
  const user = bot ?? realm.findUserByEmail(address)
  return user !== undefined && maySeeAddress(viewer, user) ? knownUser(realm, viewer, user) : undefined
}

/** Whether a name in a path is an id. No address is. */
export const isWholeId = (named: string): boolean => /^(?:0|[1-9]\d{0,9})$/.test(named)

/** A user or a system bot, by an id or an address. */
export const findPersonNamed = (realm: Realm, viewer: Viewer, named: string): UserRecord | undefined =>
  isWholeId(named)
    ? findPersonFor(realm, viewer, UserId(Number(named)))
    : findUserByAddress(realm, viewer, named.trim())
