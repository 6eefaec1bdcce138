/** The message that a program is called for, as it is when it is called: changed or moved since it was sent, or gone. */
import { UserId } from "../../../ids.ts"
import { mayReadMessage } from "../../ground/permissions/permissions.ts"
import { apiEmail } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"
import { findPerson } from "../../ground/realm/system-bots.ts"
import type { Destination } from "../../sending/messages/destination.ts"
import { type MessagePayload, senderOf } from "../../sending/messages/wire-message.ts"
import { topicLinks } from "../../text/markdown/topic-links.ts"
import type { StoredCall } from "./calls-store.ts"

export interface CalledMessage {
  readonly stored: StoredCall
  readonly payload: MessagePayload
  /** Where an answer goes. */
  readonly place: Destination
}

/** Undefined where the bot may not read it any more. */
export const showCalled = (realm: Realm, bot: UserRecord, stored: StoredCall): CalledMessage | undefined => {
  const sender = findPerson(realm, stored.sender_id)
  if (sender === undefined) return undefined
  const base = { sender: senderOf(sender, apiEmail(realm, sender)), client: stored.client, read_by_sender: false }
  if (stored.channel_id !== null) {
    const channel = realm.channels.get(stored.channel_id)
    if (channel === undefined || !mayReadMessage(realm, bot, channel, true)) return undefined
    const { topic } = stored
    const payload = {
      ...base,
      channel: { id: channel.id, name: channel.name, topic, topic_links: topicLinks(realm, topic) },
    }
    return { stored, payload, place: { type: "channel", to: channel.id, topic } }
  }
  const people = (stored.member_key ?? "").split(",").flatMap((id) => findPerson(realm, UserId(Number(id))) ?? [])
  const payload = {
    ...base,
    people: people.map((person) => ({
      id: person.id,
      email: apiEmail(realm, person),
      full_name: person.full_name,
    })),
    conversation_id: stored.conversation_id ?? 0,
  }
  return { stored, payload, place: { type: "direct", to: people.map(({ id }) => id), topic: undefined } }
}
