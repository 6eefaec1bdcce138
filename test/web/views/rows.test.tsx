/** Messages as they stand in a list. */
import t from "tap"
import { Message } from "../../../src/web/view/list/message.tsx"
import { madeState, post } from "../kit.ts"
import { text } from "./kit.tsx"

const shown = { isFollowing: false, isSelected: false, isEditing: false, isReacting: false, is24: true }

t.test("a message has its sender, and what one has to know of it", async (t) => {
  const lines = text(<Message post={post(1, { isEdited: true })} {...shown} />, madeState())
  t.ok(lines.includes("[Iago]"))
  t.ok(lines.includes("[edited]"))
})
