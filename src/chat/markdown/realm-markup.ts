/**
 * What administrators add to the markup of their organization: custom emoji and linkifiers. The one place where the
 * renderer asks the realm for them. There are none yet.
 */
import type { Linkifier } from "../linkifiers/linkifier-pattern.ts"
import type { Realm } from "../realm/realm.ts"

const noEmoji: ReadonlyMap<string, string> = new Map()

/** The address of each active custom emoji, by name. The same object until one changes. */
export const customEmojiOf = (_realm: Realm): ReadonlyMap<string, string> => noEmoji

const noLinkifiers: ReadonlyArray<Linkifier> = []

/** In the order in which they apply. The same objects until one changes: a compiled pattern is kept for each. */
export const linkifiersOf = (_realm: Realm): ReadonlyArray<Linkifier> => noLinkifiers
