/** The test language, as the views have it. */
import t from "tap"
import { Message } from "../../../src/web/view/list/message.tsx"
import { words } from "../../../src/web/words/words.ts"
import { madeState, post } from "../kit.ts"
import { text } from "./kit.tsx"

const shown = { isFollowing: false, isSelected: false, isEditing: false, isReacting: false, is24: true }

t.test("words run the other way, and are longer", async (t) => {
  t.equal(words.direction, "rtl")
  t.equal(words.unread(2), "2 unread messages ~~~~~~")
  t.ok(text(<Message post={post(1, { isEdited: true })} {...shown} />, madeState()).includes("[edited ~~]"))
})
