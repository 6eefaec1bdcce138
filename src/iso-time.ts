/** Moments as ISO 8601 writes them: a day, or a day and a time. */

const iso = /^(\d{4}-\d{2}(?:-\d{2})?)(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)\s*(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/** `Date.parse` takes the 30th of February for the 2nd of March. */
export const isInMonth = (year: number, month: number, day: number): boolean =>
  day >= 1 && day <= new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()

/** Milliseconds since 1970; NaN for a day that there is not, undefined for another form. Without a time zone it is UTC. */
export const readIsoTime = (text: string): number | undefined => {
  const parts = iso.exec(text)
  if (parts === null) return undefined
  const [, day = "", time = "00:00", offset = "Z"] = parts
  if (!isInMonth(Number(day.slice(0, 4)), Number(day.slice(5, 7)), Number(day.slice(8) || "1"))) return Number.NaN
  const whole = /^[+-]\d{2}$/.test(offset) ? `${offset}:00` : offset.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2")
  return Date.parse(`${day.length === 7 ? `${day}-01` : day}T${time.replace(",", ".")}${whole.toUpperCase()}`)
}
