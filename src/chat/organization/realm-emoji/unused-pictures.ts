/**
 * Removes pictures that no custom emoji has: of uploads whose command a crash interrupted, or of which it was not known
 * whether it was done. Run by the server's periodic jobs.
 */
import * as Effect from "effect/Effect"
import { Files, fileName } from "../../ground/files/files.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { customEmoji } from "../../text/emoji/custom-emoji.ts"
import { emojiFile } from "./emoji-pictures.ts"

/** A picture is stored some moments before its row is committed, and an uncertain commit is settled within an hour. */
const unusedMilliseconds = 24 * 3600 * 1000

/** `now`: milliseconds since the Unix epoch. */
export const removeUnusedPictures = Effect.fnUntraced(function* (
  realms: Iterable<{ readonly realm: Pick<Realm, "id" | "part"> }>,
  now: number,
) {
  const files = yield* Files
  for (const { realm } of realms) {
    const stored = yield* files.list(fileName(String(realm.id), "emoji", "images"))
    if (stored.length === 0) continue
    const used = new Set<string>()
    for (const { file, still } of realm.part(customEmoji).values()) {
      used.add(emojiFile(realm.id, file))
      if (still !== null) used.add(emojiFile(realm.id, still))
    }
    for (const { name, storedAt } of stored)
      if (!used.has(name) && now - storedAt > unusedMilliseconds) yield* files.remove(name)
  }
})
