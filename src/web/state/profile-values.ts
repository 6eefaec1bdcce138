/** What people have in profile fields, by the type of the field. */

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

/** `data`: the choices by their keys. A key that is none of them stays as it is. */
export const choiceText = (data: string, key: string): string => {
  const [, choice] = Object.entries(Object(parsed(data))).find(([each]) => each === key) ?? []
  return typeof choice === "object" && choice !== null && "text" in choice ? String(choice.text) : key
}

export const peopleIn = (value: string): ReadonlyArray<number> => {
  const ids = parsed(value)
  return Array.isArray(ids) ? ids.map(Number) : []
}
