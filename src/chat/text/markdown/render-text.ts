/**
 * Renders what must not wait: notices and descriptions, in the turn in which a change is judged. Formulas are shown as
 * code, and code is not highlighted; all else is as in messages. Nobody is notified by them.
 */
import type { Realm } from "../../ground/realm/realm.ts"
import { namesIn } from "./context/markdown-names.ts"
import { type AuthorVisibility, findNames } from "./find-names.ts"
import { renderAtOnce } from "./rendering/render.ts"
import { escapeHtml } from "./rules/code-block.ts"

/** HTML of a text of a few thousand characters at most. `sees`: the channels that its author may know of. */
export const renderText = (realm: Realm, sees: AuthorVisibility, content: string): string =>
  renderAtOnce(content, findNames(realm, sees, namesIn(content))).html

const plain = (content: string): string => `<p>${escapeHtml(content).replaceAll("\n", "<br>\n")}</p>`

/** About how many microseconds a text takes at worst: what could be markup costs 20 times as much as other characters. */
const costOf = (content: string): number => {
  let cost = content.length / 10
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at)
    if (code >= 0xd800 || (code < 0x80 && code > 0x20 && !/[\w.,'"()/!?-]/.test(content.charAt(at)))) cost += 2
  }
  return cost
}

/**
 * Renders the texts of one command. There may be a hundred that hold what users wrote; once they have taken as long as a
 * turn of the event loop may, the rest is shown as it was written.
 */
export const textsOfCommand = (): typeof renderText => {
  let left = 8_000
  return (realm, sees, content) => {
    const cost = costOf(content)
    if (cost > left) return plain(content)
    left -= cost
    return renderText(realm, sees, content)
  }
}
