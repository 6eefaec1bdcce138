/** What people have in profile fields, as it is read. */
import t from "tap"
import { Profile } from "../../../src/web/view/dialogs/profile.tsx"
import { madeState } from "../kit.ts"
import { byId, person } from "../people.ts"
import { html, text } from "./kit.tsx"

const offices = JSON.stringify({ north: { text: "The house in the north", order: "1" } })
const field = (id: number, name: string, type: 1 | 2 | 3 | 4 | 5 | 6, data = "") => ({ id, name, type, data })

const about = { text: "I **started** it.", html: "<p>I <strong>started</strong> it.</p>" }
const olive = person(11, "Olive", {
  fields: {
    1: "north",
    2: "2019-04-01",
    3: about.text,
    4: "https://example.com/",
    5: "[12]",
    6: "javascript:alert(1)",
  },
  rendered: { 3: about },
})
const state = madeState({
  people: byId([olive, person(12, "Max")]),
  profileFields: [
    field(1, "Office", 3, offices),
    field(2, "Here since", 4),
    field(3, "About", 2),
    field(4, "Site", 5),
    field(5, "Mentor", 6),
    field(6, "Other", 5),
  ],
})

t.test("a choice by its text, a day as days are written, a person by name", async (t) => {
  const lines = text(<Profile user={11} />, state)
  for (const line of ["The house in the north", "April 1, 2019", "https://example.com/", "Max"])
    t.ok(lines.includes(line), line)
  t.notOk(
    lines.some((line) => line.includes("**started**")),
    "rendered text, not its Markdown",
  )
  t.notMatch(html(<Profile user={11} />, state), /href="javascript/)
})

t.test("a text that was changed since is shown as it is", async (t) => {
  const changed = person(11, "Olive", { fields: { 3: "other words" }, rendered: { 3: about } })
  t.ok(text(<Profile user={11} />, { ...state, people: byId([changed]) }).includes("other words"))
})
