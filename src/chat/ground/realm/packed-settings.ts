/** A user's own settings for a channel as two numbers, of 26 and 8 bits; as an object they take two hundred bytes. */
import { type SubscriptionSettings, subscriptionProperties } from "./records.ts"

const isMuted = 1 << 24
const isPinned = 1 << 25
/** The bits of `look` above these are free for whoever keeps it. */
export const displayBits = 26

export interface PackedSettings {
  /** The colour, and whether the channel is muted and pinned. */
  readonly look: number
  /** Each notification setting as a digit of base 3: inherited, off, on. */
  readonly notify: number
}

const notifications = subscriptionProperties.filter(
  (name) => name.endsWith("_notifications") || name.endsWith("_notify"),
)
const isNotification = (name: string): boolean => notifications.some((each) => each === name)
const digits = 3

const hexDigits = "0123456789abcdef"
const colorEnd = 7

/**
 * The look of a channel whose colour stands at a place of a text, as "#" and six hexadecimal digits, without capital letters;
 * null for any other colour. It makes nothing: a load does this a million times.
 */
export const displayOf = (text: string, at: number, muted: boolean, pinned: boolean): number | null => {
  if (text[at] !== "#") return null
  let color = 0
  for (let n = 1; n < colorEnd; n++) {
    const digit = hexDigits.indexOf(text[at + n] ?? " ")
    if (digit < 0) return null
    color = color * 16 + digit
  }
  return color | (muted ? isMuted : 0) | (pinned ? isPinned : 0)
}

/** null for what an older program may have stored: a colour that is written otherwise, a setting that is not known. */
export const packSettings = ({ color, is_muted, pin_to_top, notify }: SubscriptionSettings): PackedSettings | null => {
  const look = color.length === colorEnd ? displayOf(color, 0, is_muted, pin_to_top) : null
  if (look === null || !Object.keys(notify).every(isNotification)) return null
  let packed = 0
  for (const name of notifications) packed = packed * digits + (notify[name] === undefined ? 0 : notify[name] ? 2 : 1)
  return { look, notify: packed }
}

const inherited: SubscriptionSettings["notify"] = {}

const notifyOf = (packed: number): SubscriptionSettings["notify"] => {
  if (packed === 0) return inherited
  const notify: Record<string, boolean> = {}
  let rest = packed
  for (const name of notifications.toReversed()) {
    if (rest % digits > 0) notify[name] = rest % digits === 2
    rest = Math.floor(rest / digits)
  }
  return notify
}

export const unpackColor = (look: number): string => `#${(look & 0xff_ffff).toString(16).padStart(6, "0")}`

export const unpackSettings = ({ look, notify }: PackedSettings): SubscriptionSettings => ({
  color: unpackColor(look),
  is_muted: (look & isMuted) !== 0,
  pin_to_top: (look & isPinned) !== 0,
  notify: notifyOf(notify),
})
