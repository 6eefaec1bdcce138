/** The two forms in which clients read presences: by address, as old clients do, and by id. */
import * as Schema from "effect/Schema"
import { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import type { JsonPiece, JsonPieces } from "../../../json-pieces.ts"
import type { PresenceForm, PresenceRange } from "../../ground/presences/cached-lists.ts"
import { type PresenceTimes, presences } from "../../ground/presences/presences.ts"
import { isLimited, peopleKnownTo } from "../../ground/realm/acquaintance/acquaintance.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { Address, NoKeys, Seconds } from "../../ground/wire/wire-values.ts"

/** Whoever was active so many seconds before they were last connected counts as active to old clients: they read one time only. */
const activeSeconds = 70

/** Of whom something is asked. `joined_at`: Unix milliseconds. */
type PresencePerson = Pick<UserRecord, "joined_at">

/** Whoever was never active was so when they joined, as far as clients know. */
const activeAt = ({ joined_at }: PresencePerson, { active }: PresenceTimes): number =>
  active === 0 ? unixSeconds(joined_at) : active

export const newerForm = (person: PresencePerson, times: PresenceTimes) => ({
  active_timestamp: activeAt(person, times),
  idle_timestamp: times.connected,
})

/** The only client that there is in it is called so whatever it is. */
const client = "website"

export const olderClient = (person: PresencePerson, times: PresenceTimes) => {
  const active = activeAt(person, times)
  const isActive = active + activeSeconds >= times.connected
  return {
    client,
    status: isActive ? "active" : "idle",
    timestamp: isActive ? active : times.connected,
    pushable: false,
  }
}

export const olderForm = (person: PresencePerson, times: PresenceTimes) => {
  const { pushable, ...aggregated } = olderClient(person, times)
  return { aggregated, [client]: { ...aggregated, pushable } }
}

const NewerForm = Schema.Struct({ active_timestamp: Seconds, idle_timestamp: Seconds }).annotate({
  identifier: "Presence",
})
const clientFields = {
  client: Schema.Literal(client),
  status: Schema.Literals(["active", "idle"]),
  timestamp: Seconds,
}
export const OlderClient = Schema.Struct({ ...clientFields, pushable: Schema.Literal(false) }).annotate({
  identifier: "ClientPresence",
})
const OlderForm = Schema.Struct({ aggregated: Schema.Struct(clientFields), [client]: OlderClient })

export const NewerPresences = Schema.Record(Schema.String.check(Schema.isPattern(/^[1-9]\d*$/)), NewerForm)
export const OlderPresences = Schema.Record(Address, OlderForm)
/** An empty list is of either form. */
export const Presences = Schema.Union([NoKeys, NewerPresences, OlderPresences])

/** The bytes of a member, about. */
export const memberBytes = { newer: 70, older: 250 } as const
export type FormName = keyof typeof memberBytes

const makeForm = (
  number: number,
  realm: Realm,
  write: (user: UserRecord, times: PresenceTimes) => JsonObject,
  keyOf: (user: UserRecord) => string,
): PresenceForm => ({
  number,
  key: (person) => {
    const user = realm.users.get(UserId(person))
    return user === undefined ? "" : keyOf(user)
  },
  write: (person) => {
    const id = UserId(person)
    const user = realm.users.get(id)
    const times = realm.part(presences).of(id)
    if (user === undefined || times === undefined || !realm.isActive(id)) return null
    return `${keyOf(user)}:${JSON.stringify(write(user, times))}`
  },
})

const formsOf = new WeakMap<Realm, Readonly<Record<FormName, PresenceForm>>>()

/** The form in which the members of a realm's lists are written. */
export const formOf = (realm: Realm, name: FormName): PresenceForm => {
  const forms = formsOf.get(realm) ?? {
    newer: makeForm(0, realm, newerForm, ({ id }) => `"${id}"`),
    older: makeForm(1, realm, olderForm, (user) => JSON.stringify(apiEmail(realm, user))),
  }
  formsOf.set(realm, forms)
  return forms[name]
}

/** Days of which clients hear who was there, where they do not say how many. */
const usualDays = 14
const secondsOfDay = 86_400

/** Which people a list has; `days`: those who were there so long ago at most. `now`: Unix milliseconds. */
export const recent = (now: number, days = usualDays): PresenceRange => ({
  after: -1,
  since: Math.max(0, unixSeconds(now) - days * secondsOfDay),
})

/** `"presences":{...}`, with the people of whom the viewer may know; nobody, where the organization shows of nobody that they are there. */
export const listPresences = (realm: Realm, viewer: UserRecord, name: FormName, range: PresenceRange): JsonPieces => {
  const { lists } = realm.part(presences)
  const around = (members: ReadonlyArray<JsonPiece>): JsonPieces => [
    Buffer.from('"presences":{'),
    ...members,
    Buffer.from("}"),
  ]
  if (realm.settings.presence_disabled) return around([])
  const form = formOf(realm, name)
  const { id } = viewer
  if (!isLimited(realm, viewer)) return around(lists.list(form, range, id))
  // Most pings have no news, and ask about nobody.
  let known: ReadonlySet<number> | null = null
  const isKnown = (person: number): boolean => {
    known ??= peopleKnownTo(realm, id)
    return known.has(person)
  }
  return around([Buffer.from(lists.listOf(form, range, id, isKnown))])
}
