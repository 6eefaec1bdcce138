/** Which events of a service are told, as the address of its web hook says. */

export interface EventFilter {
  readonly only: ReadonlyArray<string> | undefined
  readonly exclude: ReadonlyArray<string> | undefined
}

/** `*` stands for any characters. A word at a time, because a regular expression may take long where there are many. */
const matches = (pattern: string, event: string): boolean => {
  const [first = "", ...rest] = pattern.split("*")
  if (rest.length === 0) return event === pattern
  const last = rest.pop() ?? ""
  if (!event.startsWith(first) || event.length < first.length + last.length || !event.endsWith(last)) return false
  let from = first.length
  const end = event.length - last.length
  for (const part of rest) {
    const found = event.indexOf(part, from)
    if (found < 0 || found + part.length > end) return false
    from = found + part.length
  }
  return true
}

/** Services without kinds of events have nothing to choose from. */
export const isWanted = (event: string, { only, exclude }: EventFilter): boolean => {
  if (event === "") return true
  if (exclude?.some((pattern) => matches(pattern, event))) return false
  return only === undefined || only.some((pattern) => matches(pattern, event))
}
