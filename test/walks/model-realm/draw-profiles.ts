/** Random requests about names, profile fields and what people have in these. */
import { roles } from "../../../src/chat/ground/realm/domain-values.ts"
import { must, type State, saidOf, type User } from "./state.ts"
import { activeUsers, type Draw } from "./step.ts"

/** The most that a run makes at a time. */
const mostFields = 6
const shortText = 1
const listOfOptions = 3

const isAdmin = (by: User): boolean => by.role <= roles.administrator

const rename: Draw = (state, random) => {
  const by = random.pick(activeUsers(state))
  const user = random.pick([...state.users.values()])
  const full_name = `Somebody ${random.between(0, 1_000_000)}`
  return {
    what: "rename a person",
    by,
    method: "patch",
    path: `/users/${user.id}`,
    fields: { full_name },
    may: isAdmin(by) || user.owner === by.id,
    apply: () => {
      saidOf(state, user.id).fullName = full_name
    },
  }
}

const renameOneself: Draw = (state, random) => {
  const by = random.pick(activeUsers(state))
  const full_name = `Myself ${random.between(0, 1_000_000)}`
  return {
    what: "rename oneself",
    by,
    method: "patch",
    path: "/settings",
    fields: { full_name },
    may: true,
    apply: () => {
      saidOf(state, by.id).fullName = full_name
    },
  }
}

const choicesOf = (words: ReadonlyArray<string>) =>
  Object.fromEntries(words.map((word, n) => [word, { text: `The ${word}`, order: String(n) }]))

const makeField: Draw = (state, random) => {
  if (state.fields.size >= mostFields) return undefined
  const by = random.pick(activeUsers(state))
  const choices = random.chance(0.5) ? ["ant", "bee", "cat"] : null
  const isEditable = random.chance(0.7)
  return {
    what: "add a field",
    by,
    method: "post",
    path: "/realm/profile_fields",
    fields: {
      name: `field ${random.between(0, 1_000_000)}`,
      field_type: choices === null ? shortText : listOfOptions,
      ...(choices === null ? {} : { field_data: choicesOf(choices) }),
      editable_by_user: isEditable,
    },
    may: isAdmin(by),
    apply: ({ id }) => {
      state.fields.set(Number(id), { choices, isEditable })
    },
  }
}

/** Takes away what people have in a field, if it is so. */
const dropValues = (state: State, field: number, isGone: (value: string) => boolean): void => {
  for (const { profile } of state.said.values()) if (isGone(profile.get(field) ?? "")) profile.delete(field)
}

const removeField: Draw = (state, random) => {
  const field = random.find([...state.fields.keys()])
  if (field === undefined) return undefined
  const by = random.pick(activeUsers(state))
  return {
    what: "remove a field",
    by,
    method: "delete",
    path: `/realm/profile_fields/${field}`,
    fields: {},
    may: isAdmin(by),
    apply: () => {
      state.fields.delete(field)
      dropValues(state, field, () => true)
    },
  }
}

const takeChoice: Draw = (state, random) => {
  const [field, known] = random.find([...state.fields].filter(([, { choices }]) => (choices?.length ?? 0) > 1)) ?? []
  if (field === undefined || known?.choices === undefined || known.choices === null) return undefined
  const by = random.pick(activeUsers(state))
  const [gone, ...left] = known.choices
  return {
    what: "take a choice away",
    by,
    method: "patch",
    path: `/realm/profile_fields/${field}`,
    fields: { field_data: choicesOf(left) },
    may: isAdmin(by),
    apply: () => {
      must(state.fields, field).choices = left
      dropValues(state, field, (value) => value === gone)
    },
  }
}

const say: Draw = (state, random) => {
  const [field, known] = random.find([...state.fields]) ?? []
  if (field === undefined || known === undefined) return undefined
  const by = random.pick(activeUsers(state))
  const value = random.chance(0.2) ? "" : random.pick(known.choices ?? ["one", "two", "three"])
  return {
    what: "say something in a field",
    by,
    method: "patch",
    path: "/users/me/profile_data",
    fields: { data: [{ id: field, value }] },
    may: !by.isBot && (known.isEditable || isAdmin(by)),
    apply: () => {
      const { profile } = saidOf(state, by.id)
      if (value === "") profile.delete(field)
      else profile.set(field, value)
    },
  }
}

export const profileDraws: ReadonlyArray<readonly [weight: number, draw: Draw]> = [
  [3, rename],
  [3, renameOneself],
  [4, makeField],
  [2, removeField],
  [6, takeChoice],
  [8, say],
]
