/** What an export has beside messages: lists of the organization, as clients read them. Described in docs/export.md. */
import * as Effect from "effect/Effect"
import { Config } from "../../../config/config.ts"
import { UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { forEachInSlices, nextSlice } from "../../../slices.ts"
import { profileFields } from "../../ground/profiles/profile-fields.ts"
import { roles } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { systemBots } from "../../ground/realm/system-bots.ts"
import { wireChannel } from "../../ground/wire/wire-channel.ts"
import { groupsWith, groupWriter } from "../../people/user-groups/group-lists.ts"
import { wireMember } from "../../people/users/users-read.ts"
import { customEmojiPart } from "../../text/emoji/custom-emoji.ts"
import { realmFields } from "../organization/realm-section.ts"
import { wireFields } from "../profile-fields/profile-field-event.ts"
import { wireEmojiAt } from "../realm-emoji/realm-emoji-event.ts"
import { type ExportScope, isNamed } from "./export-scope.ts"

/** Whoever reads the export: an administrator, but none who has an address of their own here. */
const anyAdministrator = { id: UserId(0), role: roles.administrator }

/** An entry of the archive. */
export interface ExportEntry {
  readonly path: string
  readonly pieces: ReadonlyArray<Uint8Array>
}

/** An entry of a list ends with the items with which it has so many characters. */
export const entryCharacters = 1024 * 1024
/** Items between two looks at that: one may be the ids of a hundred thousand people. */
const itemsPerLook = 16

export const numbered = (n: number): string => String(n).padStart(6, "0")

type AddEntry<E> = (entry: ExportEntry) => Effect.Effect<void, E>

const addJson = <E>(add: AddEntry<E>, path: string, value: JsonObject) =>
  add({ path, pieces: [Buffer.from(JSON.stringify(value))] })

/** A list in numbered entries, each an object with one key; one at least. */
const addList = Effect.fnUntraced(function* <A, E>(
  add: AddEntry<E>,
  name: string,
  items: ReadonlyArray<A>,
  write: (item: A) => string,
) {
  let entries = 0
  let texts: Array<string> = []
  let characters = 0
  const flush = Effect.suspend(() => {
    const pieces = [Buffer.from(`{"${name}":[`), ...texts.map((text, n) => Buffer.from(n === 0 ? text : `,${text}`))]
    entries += 1
    texts = []
    characters = 0
    return add({ path: `${name}/${numbered(entries)}.json`, pieces: [...pieces, Buffer.from("]}")] })
  })
  for (let at = 0; at < items.length; at += itemsPerLook) {
    yield* nextSlice
    yield* forEachInSlices(
      items.slice(at, at + itemsPerLook),
      (item) => {
        const text = write(item)
        texts.push(text)
        characters += text.length
      },
      1,
    )
    if (characters >= entryCharacters) yield* flush
  }
  if (texts.length > 0 || entries === 0) yield* flush
})

/** Calls `add` with the entries, one after the other. `origin`: where clients reach the organization. */
export const addLists = Effect.fnUntraced(function* <E>(
  realm: Realm,
  scope: ExportScope,
  origin: string,
  add: AddEntry<E>,
) {
  const config = yield* Config
  const people = [...realm.users.values(), ...systemBots(realm)]
  const channels = [...realm.channels.values()].filter(({ id }) => isNamed(scope, id))
  yield* addJson(add, "realm.json", { realm: realmFields(realm, config, origin) })
  yield* addJson(add, "custom_profile_fields.json", { fields: wireFields(realm.part(profileFields).list) })
  yield* addJson(add, "emoji.json", { emoji: wireEmojiAt(realm.id, realm.part(customEmojiPart), realm.position) })
  yield* addList(add, "users", people, (user) =>
    JSON.stringify(wireMember(realm, user, anyAdministrator, { gravatar: false, profileData: true })),
  )
  yield* addList(add, "user_groups", groupsWith(realm, true), groupWriter(realm))
  yield* addList(add, "channels", channels, (channel) =>
    JSON.stringify(wireChannel(channel, realm.subscribers(channel.id).length, realm.isActive)),
  )
  yield* addList(
    add,
    "subscribers",
    channels,
    ({ id }) => `{"stream_id":${id},"subscribers":[${realm.subscribers(id).join(",")}]}`,
  )
})
