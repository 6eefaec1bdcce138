/** Profile fields of the demo organization and what its people have in them. */
import { fieldTypes } from "../../ground/profiles/profile-fields.ts"
import type { ProfileInput } from "../../people/profile-data/profile-value.ts"
import type { NewField } from "./realm-setup.ts"

const { SHORT_TEXT, LONG_TEXT, SELECT, DATE, EXTERNAL_ACCOUNT, PRONOUNS } = fieldTypes

const offices = {
  north: { text: "The house in the north", order: "1" },
  south: { text: "The house in the south", order: "2" },
  home: { text: "At home", order: "3" },
}

export const demoFields: ReadonlyArray<NewField> = [
  {
    type: PRONOUNS.id,
    stated: { name: "Pronouns", hint: "How others speak of you", display_in_profile_summary: true },
  },
  { type: SHORT_TEXT.id, stated: { name: "Phone", hint: "With the code of its country" } },
  { type: LONG_TEXT.id, stated: { name: "About me" } },
  { type: SELECT.id, stated: { name: "Office", data: offices, display_in_profile_summary: true } },
  { type: DATE.id, stated: { name: "Here since", editable_by_user: false } },
  { type: EXTERNAL_ACCOUNT.id, stated: { data: { subtype: "github" } } },
]

/** By the address of the person and the name of the field. */
export const demoValues: ReadonlyArray<readonly [email: string, field: string, value: ProfileInput]> = [
  ["owner@demo.example", "Pronouns", "she/her"],
  ["owner@demo.example", "Office", "north"],
  ["owner@demo.example", "Here since", "2019-04-01"],
  ["owner@demo.example", "About me", "I **started** this place. Ask me anything in #**general**."],
  ["admin@demo.example", "Office", "south"],
  ["admin@demo.example", "Phone", "+1 555 0102"],
  ["admin@demo.example", "Here since", "2020-02-29"],
  ["moderator@demo.example", "Pronouns", "they/them"],
  ["moderator@demo.example", "Office", "home"],
  ["member@demo.example", "Phone", "+1 555 0104"],
  ["member@demo.example", "About me", "New here, and glad of it."],
]
