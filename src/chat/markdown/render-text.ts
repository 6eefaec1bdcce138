/**
 * Renders what must not wait: notices and descriptions, in the turn in which a change is judged. Formulas are shown as
 * code, and code is not highlighted; all else is as in messages. Nobody is notified by them.
 */
import type { Realm } from "../realm/realm.ts"
import { findNames, type Sees } from "./find-names.ts"
import { namesIn } from "./markdown-names.ts"
import { renderAtOnce } from "./render.ts"

/** HTML of a text of a few thousand characters at most. `sees`: the channels that its author may know of. */
export const renderText = (realm: Realm, sees: Sees, content: string): string =>
  renderAtOnce(content, findNames(realm, sees, namesIn(content))).html
