/**
 * Rows with the contacts of somebody who has become a guest: nobody else's are kept in memory (realm/acquaintance). For the
 * servers only.
 */
import * as Schema from "effect/Schema"
import { toServers } from "../../../events/audience.ts"
import type { CommandStep } from "../../../events/step.ts"
import { idSchemas, type UserId } from "../../../ids.ts"
import { addContacts, Contact, guestContacts } from "../realm/acquaintance/acquaintance.ts"
import { eventKind } from "./event-kind.ts"
import { noEvents } from "./event-kind-helpers.ts"

export const guestContactsKind = eventKind({
  type: "guest_contacts",
  payload: Schema.Struct({ user_id: idSchemas.user, contacts: Schema.optionalKey(Schema.Array(Contact)) }),
  changesRules: true,
  filledIn: ["contacts"],
  applyToProjection: (realm, { user_id, contacts = [] }) => addContacts(realm.part(guestContacts), user_id, contacts),
  events: {},
  wire: () => noEvents,
})

/** The step behind the row that makes somebody a guest. */
export const contactsStep = (user: UserId): CommandStep => ({
  fn: "tell_contacts_v1",
  calls: [{ user_id: user, row: guestContactsKind.change({ user_id: user }, toServers) }],
})
