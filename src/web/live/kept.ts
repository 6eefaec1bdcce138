/**
 * What the browser keeps for this server: the account, what was typed into each conversation, and sends that are under way.
 * A browser that keeps nothing (private windows, a full disk) is no reason to stop: things then last as long as the page.
 */
const unkept = new Map<string, string>()

const prefix = "parley."

export const keep = (name: string, text: string | null): void => {
  try {
    if (text === null) localStorage.removeItem(prefix + name)
    else localStorage.setItem(prefix + name, text)
    unkept.delete(name)
  } catch {
    if (text === null) unkept.delete(name)
    else unkept.set(name, text)
  }
}

export const kept = (name: string): string | null => {
  try {
    return unkept.get(name) ?? localStorage.getItem(prefix + name)
  } catch {
    return unkept.get(name) ?? null
  }
}

/** What `isRight` does not know is as good as nothing: another version of the page may have kept it. */
export const keptValue = <Value>(name: string, isRight: (value: unknown) => value is Value): Value | null => {
  try {
    const value: unknown = JSON.parse(kept(name) ?? "null")
    return isRight(value) ? value : null
  } catch {
    return null
  }
}

export const hasFields = <Name extends string>(
  value: unknown,
  ...names: ReadonlyArray<Name>
): value is Record<Name, unknown> => typeof value === "object" && value !== null && names.every((name) => name in value)
