/** Profile fields of every type, made by an administrator. */
import type { Fields } from "../../../kit/client.ts"
import type { TestServer } from "../../../kit/with-server.ts"

export const path = "/realm/profile_fields"
export const own = "/users/me/profile_data"

export const types = { short: 1, long: 2, choice: 3, date: 4, link: 5, people: 6, account: 7, pronouns: 8 } as const

export const choices = {
  tea: { text: "Tea", order: "1" },
  coffee: { text: "Coffee", order: "2" },
}

/** What makes a field of each type. */
export const fieldsOf = {
  short: { name: "Phone", hint: "With its country", field_type: types.short },
  long: { name: "Biography", field_type: types.long },
  choice: { name: "Drink", field_type: types.choice, field_data: choices },
  date: { name: "Birthday", field_type: types.date },
  link: { name: "Page", field_type: types.link },
  people: { name: "Mentor", field_type: types.people },
  account: { field_type: types.account, field_data: { subtype: "github" } },
  pronouns: { name: "Pronouns", field_type: types.pronouns },
} as const
export type Made = Readonly<Record<keyof typeof fieldsOf, number>>

export const make = async (server: TestServer, fields: Fields): Promise<number> =>
  Number((await server.as("iago").must.post(path, fields))["id"])

/** One of each type, in that order; answers their ids. */
export const makeAll = async (server: TestServer): Promise<Made> => ({
  short: await make(server, fieldsOf.short),
  long: await make(server, fieldsOf.long),
  choice: await make(server, fieldsOf.choice),
  date: await make(server, fieldsOf.date),
  link: await make(server, fieldsOf.link),
  people: await make(server, fieldsOf.people),
  account: await make(server, fieldsOf.account),
  pronouns: await make(server, fieldsOf.pronouns),
})
