/**
 * What the browser keeps for this server: the account, what was typed into each conversation, and sends that are under way.
 * A browser that keeps nothing (private windows, a full disk) is no reason to stop: things then last as long as the page.
 */
import type { TextStore } from "./text-store.ts"

const unkept = new Map<string, string>()

const prefix = "parley."

export const storeText = (name: string, text: string | null): void => {
  try {
    if (text === null) localStorage.removeItem(prefix + name)
    else localStorage.setItem(prefix + name, text)
    unkept.delete(name)
  } catch {
    if (text === null) unkept.delete(name)
    else unkept.set(name, text)
  }
}

export const storedText = (name: string): string | null => {
  try {
    return unkept.get(name) ?? localStorage.getItem(prefix + name)
  } catch {
    return unkept.get(name) ?? null
  }
}

/** All that is kept under names that begin so, in the order of the names. */
export const storedNames = (beginning: string): ReadonlyArray<string> => {
  const names = new Set(unkept.keys())
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(prefix)) names.add(key.slice(prefix.length))
  } catch {
    // Nothing is kept there.
  }
  return [...names].filter((name) => name.startsWith(beginning)).sort()
}

/** Another tab of this browser has changed something; `text`: null where it is kept no more. Answers how to stop. */
export const listenToStorage = (told: (name: string, text: string | null) => void): (() => void) => {
  const look = ({ key, newValue }: StorageEvent): void => {
    if (key?.startsWith(prefix) === true) told(key.slice(prefix.length), newValue)
  }
  addEventListener("storage", look)
  return () => removeEventListener("storage", look)
}

/** What `isRight` does not know is as good as nothing: another version of the page may have kept it. */
export const storedValue = <Value>(name: string, isRight: (value: unknown) => value is Value): Value | null => {
  try {
    const value: unknown = JSON.parse(storedText(name) ?? "null")
    return isRight(value) ? value : null
  } catch {
    return null
  }
}

export const hasFields = <Name extends string>(
  value: unknown,
  ...names: ReadonlyArray<Name>
): value is Record<Name, unknown> => typeof value === "object" && value !== null && names.every((name) => name in value)

export const textStore: TextStore = { keep: storeText, kept: storedText, names: storedNames }
