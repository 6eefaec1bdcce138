/** Reads and changes a user's own settings for a channel, by their names on the wire. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import type { Json } from "../../../json.ts"
import {
  type InheritedSettings,
  type SubscriptionProperty,
  type SubscriptionSettings,
  subscriptionProperties,
  type UserRecord,
} from "./records.ts"
import { defaultUserSettings } from "./user-settings.ts"

const colorShape = /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Normalised to six lower-case digits, which strict clients require. */
export const readColor = (color: Json): Checked<string> => {
  if (!Predicate.isString(color) || !colorShape.test(color))
    return Result.fail(badRequest("color is not a valid hex color code"))
  const digits = color.slice(1).toLowerCase()
  return Result.succeed(`#${digits.length === 6 ? digits : [...digits].map((digit) => digit + digit).join("")}`)
}

export const findSubscriptionProperty = (name: string): SubscriptionProperty | undefined =>
  subscriptionProperties.find((each) => each === name)

/** The value of a property, checked and normalised. */
export const readSubscriptionValue = (property: SubscriptionProperty, value: Json): Checked<string | boolean> => {
  if (property === "color") return readColor(value)
  return Predicate.isBoolean(value) ? Result.succeed(value) : Result.fail(badRequest(`${property} is not a boolean`))
}

/** The settings with one property set; `in_home_view` is the older name for not being muted. */
export const withSubscriptionProperty = (
  settings: SubscriptionSettings,
  property: SubscriptionProperty,
  value: Json,
): SubscriptionSettings => {
  switch (property) {
    case "color":
      return { ...settings, color: String(value) }
    case "is_muted":
      return { ...settings, is_muted: value === true }
    case "in_home_view":
      return { ...settings, is_muted: value !== true }
    case "pin_to_top":
      return { ...settings, pin_to_top: value === true }
    default:
      return { ...settings, notify: { ...settings.notify, [property]: value === true } }
  }
}

/** The settings of a user that subscriptions inherit. */
const inherited = [
  "enable_stream_desktop_notifications",
  "enable_stream_audible_notifications",
  "enable_stream_push_notifications",
  "enable_stream_email_notifications",
  "wildcard_mentions_notify",
] as const satisfies ReadonlyArray<keyof InheritedSettings>

/**
 * The user's settings at this moment, stored in the row so that its event stays the same; absent if all are defaults.
 */
export const inheritance = ({ settings }: UserRecord): { readonly inherits?: InheritedSettings } =>
  inherited.every((name) => settings[name] === defaultUserSettings[name])
    ? {}
    : {
        inherits: {
          enable_stream_desktop_notifications: settings.enable_stream_desktop_notifications,
          enable_stream_audible_notifications: settings.enable_stream_audible_notifications,
          enable_stream_push_notifications: settings.enable_stream_push_notifications,
          enable_stream_email_notifications: settings.enable_stream_email_notifications,
          wildcard_mentions_notify: settings.wildcard_mentions_notify,
        },
      }
