/** Times as people read them, in their language and zone. */
import { words } from "../../words/words.ts"

const { language } = words
const dayForm = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" })
const yearForm = new Intl.DateTimeFormat(language, { day: "numeric", month: "long", year: "numeric" })
const longForm = new Intl.DateTimeFormat(language, { dateStyle: "full", timeStyle: "short" })
const shortForms = {
  true: new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hour12: false }),
  false: new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" }),
}

const dateOf = (time: number): Date => new Date(time * 1000)

export const dayOf = (time: number): string => dateOf(time).toDateString()

export const dayName = (time: number): string => {
  const date = dateOf(time)
  const now = new Date()
  if (date.toDateString() === now.toDateString()) return words.today
  const yesterday = new Date(now)
  yesterday.setDate(now.getDate() - 1)
  if (date.toDateString() === yesterday.toDateString()) return words.yesterday
  return (date.getFullYear() === now.getFullYear() ? dayForm : yearForm).format(date)
}

export const clock = (time: number, is24: boolean): string => shortForms[is24 ? "true" : "false"].format(dateOf(time))
export const fullTime = (time: number): string => longForm.format(dateOf(time))

const dateForm = new Intl.DateTimeFormat(language, { dateStyle: "long", timeZone: "UTC" })

/** A day as `2019-04-01`, which is the same in all zones. What is no day stays as it is. */
export const dateName = (day: string): string => {
  const time = Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(time) ? day : dateForm.format(time)
}

/** Empty for a zone that the browser does not know. */
export const timeIn = (timeZone: string): string => {
  try {
    if (timeZone === "") return ""
    return new Intl.DateTimeFormat(language, { timeZone, hour: "2-digit", minute: "2-digit" }).format()
  } catch {
    return ""
  }
}
