/**
 * The lists of people of the section `realm_user` for a limited guest. The records without names are the same for all guests, so
 * these share them.
 */
import { UserId } from "../../../ids.ts"
import { type JsonItem, JsonMember } from "../../../json-pieces.ts"
import { botIds } from "../../channels/subscriptions/subscriber-fields.ts"
import type { SectionMembers } from "../../ground/kinds/section.ts"
import { cachedLists, type SharedList } from "../../ground/kinds/shared-list.ts"
import { peopleKnownTo } from "../../ground/realm/acquaintance/acquaintance.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { wireUnknown } from "../../ground/wire/wire-unknown.ts"

/** The record of somebody of whom guests do not know, the same for all of them. */
class UnknownText implements JsonItem {
  readonly #realm: Realm
  readonly #id: number

  constructor(realm: Realm, id: number) {
    this.#realm = realm
    this.#id = id
  }

  get text(): string {
    return JSON.stringify({ profile_data: {}, ...wireUnknown(this.#realm, { id: UserId(this.#id) }) })
  }
}

/** Of everybody, in the list of active people; bots, which everybody knows, have none. */
const unknownPeople = cachedLists<UnknownText>(256)

const updateUnknown = (realm: Realm): SharedList<UnknownText> => {
  const list = unknownPeople(realm, "guest")
  for (let id = list.end; id < realm.nextUserId(); id++) {
    const user = realm.users.get(UserId(id))
    if (user !== undefined && !user.is_bot) list.set(id, new UnknownText(realm, id))
  }
  return list
}

/**
 * Those whom the guest knows, and records without names of all others, unless these are left out (`isIncomplete`). `write`: the
 * record as the guest sees it.
 */
export const takeKnown = (
  realm: Realm,
  guest: UserId,
  isIncomplete: boolean,
  write: (user: UserRecord) => string,
): SectionMembers => {
  const isKnown = new Set([...peopleKnownTo(realm, guest), ...botIds(realm)])
  const known = [...isKnown].sort((a, b) => a - b)
  const textOf = (id: number, isActive: boolean): string | undefined => {
    const user = realm.users.get(UserId(id))
    return user !== undefined && realm.isActive(user.id) === isActive ? write(user) : undefined
  }
  const list = updateUnknown(realm)
  const active = isIncomplete
    ? known.flatMap((id) => textOf(id, true) ?? [])
    : list.parts(known, (id) => (isKnown.has(id) ? textOf(id, true) : list.item(id)?.text))
  const others = known.flatMap((id) => textOf(id, false) ?? [])
  return [new JsonMember("realm_users", active), new JsonMember("realm_non_active_users", others)]
}
