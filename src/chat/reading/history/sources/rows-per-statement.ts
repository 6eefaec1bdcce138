/** The number of messages that a statement of a search looks at, where that is fewer than usual (search-walk.ts). */

import type { Search } from "../walk/search.ts"
import { hasPhrases, readsTexts } from "../walk/texts-store.ts"

/** To find out whether a message has a flag takes several look-ups, so fewer are looked at by a statement. */
const flaggedRowsAtOnce = 400
const hasFlags = ({ flags, unwanted }: Search): boolean =>
  flags.some((flag) => flag !== "unread") || (unwanted?.flags.length ?? 0) > 0

/** Likewise to compare words, and messages that are not indexed yet; and phrases and joined words, for which contents are read. */
const textRowsAtOnce = 400
const phraseRowsAtOnce = 100
/** The words of a text are made anew to see their order, which takes 5 to 10 ms for a long one. */
const sequenceRowsAtOnce = 16

/** Undefined where no contents are read. */
export const contentsPerStatement = (search: Search): number | undefined => {
  if (search.words.some(({ sequence }) => sequence !== null)) return sequenceRowsAtOnce
  return hasPhrases(search) || readsTexts(search) ? phraseRowsAtOnce : undefined
}

/** Undefined: as many as usual. */
export const rowsPerStatement = (search: Search): number | undefined => {
  const contents = contentsPerStatement(search)
  if (contents !== undefined) return contents
  if (search.words.length > 0) return textRowsAtOnce
  return hasFlags(search) ? flaggedRowsAtOnce : undefined
}
