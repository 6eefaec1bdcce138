/** Time zones by name. */

const isKnown = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

/**
 * The proper spelling of a time zone's name; undefined: no zone. The runtime takes a name in any case, and lists the
 * spelling of all zones with a place. Other names of these, which it knows and does not list, stay as they are given.
 */
export const findTimeZone = (name: string): string | undefined => {
  const isSame = (zone: string) => zone.toLowerCase() === name.toLowerCase()
  return ["UTC", ...Intl.supportedValuesOf("timeZone")].find(isSame) ?? (isKnown(name) ? name : undefined)
}
