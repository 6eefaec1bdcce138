/**
 * The markup that administrators add for their organization: custom emoji and linkifiers. The one place where the
 * renderer asks the realm for them.
 */

import { cachedFor } from "../../ground/kinds/section-text.ts"
import { emojiPictureUrl } from "../../ground/realm/email-addresses.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { customEmojiPart } from "../emoji/custom-emoji.ts"
import type { Linkifier } from "../linkifiers/linkifier-pattern.ts"
import { linkifiers } from "../linkifiers/linkifiers.ts"

const cachedEmojiUrls = cachedFor<ReadonlyMap<string, string>>(["realm_emoji"], 1)

/** The address of each active custom emoji, by name. The same object until one changes. */
export const customEmojiOf = (realm: Realm): ReadonlyMap<string, string> =>
  cachedEmojiUrls(realm, "", () => {
    const active = [...realm.part(customEmojiPart).values()].filter(({ closed }) => closed === null)
    return new Map(active.map(({ name, file }) => [name, emojiPictureUrl(realm, file)]))
  })

/** In the order in which they apply. The same objects until one changes: a compiled pattern is kept for each. */
export const linkifiersOf = (realm: Realm): ReadonlyArray<Linkifier> => realm.part(linkifiers).list.linkifiers
