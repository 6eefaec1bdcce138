/**
 * Settings of PATCH /realm that are stored as they are sent: what an organization is, what its clients offer, and what the
 * server asks when somebody comes.
 */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { boolean, type Decoded, integer, jsonOrText, mapped, oneOf, optional } from "../../../api/params.ts"
import { string } from "../../../api/shapes.ts"
import type { ConfigShape } from "../../../config/config.ts"
import type { Json } from "../../../json.ts"
import { readUrl } from "../../ground/outbound/outbound.ts"
import {
  giphyNumbers,
  organizationTypes,
  type RealmSettings,
  videoCallProviders,
  weekdays,
} from "../../ground/realm/realm-settings.ts"
import { languageParam } from "../../people/users/settings/languages.ts"
import { canSendMail } from "../../sending/mail/mail.ts"

const longestUrl = 200

/** Clients are told it as it was written: so in full, without spaces, and without anybody's password. */
const isWebAddress = (text: string): boolean => /^https?:\/\/\S+$/.test(text) && readUrl(text) !== undefined

/** The address of a Jitsi server; `default`: that of the server, which has none. */
const jitsi = mapped(jsonOrText("jitsi_server_url", string, { max: longestUrl }), (raw): Checked<string | null> => {
  const text = raw.trim()
  if (text === "default") return Result.succeed(null)
  return isWebAddress(text) ? Result.succeed(text) : Result.fail(badRequest("Invalid jitsi_server_url"))
})

export const furtherSettings = {
  org_type: optional(oneOf(integer("org_type"), organizationTypes)),
  default_language: optional(languageParam),
  presence_disabled: optional(boolean("presence_disabled")),
  disallow_disposable_email_addresses: optional(boolean("disallow_disposable_email_addresses")),
  send_welcome_emails: optional(boolean("send_welcome_emails")),
  video_chat_provider: optional(oneOf(integer("video_chat_provider"), Object.values(videoCallProviders))),
  jitsi_server_url: optional(jitsi),
  giphy_rating: optional(oneOf(integer("giphy_rating"), giphyNumbers)),
  enable_guest_user_indicator: optional(boolean("enable_guest_user_indicator")),
  enable_guest_user_dm_warning: optional(boolean("enable_guest_user_dm_warning")),
  want_advertise_in_communities_directory: optional(boolean("want_advertise_in_communities_directory")),
  digest_emails_enabled: optional(boolean("digest_emails_enabled")),
  digest_weekday: optional(oneOf(integer("digest_weekday"), weekdays)),
  message_content_allowed_in_email_notifications: optional(boolean("message_content_allowed_in_email_notifications")),
  require_e2ee_push_notifications: optional(boolean("require_e2ee_push_notifications")),
}
type FurtherSettingValues = Decoded<typeof furtherSettings>

const isName = (name: string): name is keyof FurtherSettingValues => Object.hasOwn(furtherSettings, name)
const names = Object.keys(furtherSettings).filter(isName)

/** Refuses what no client could do by it: calls without a server for them, welcome by mail where none is sent. */
const findFault = (present: RealmSettings, wanted: FurtherSettingValues, config: ConfigShape): string | undefined => {
  const { video_chat_provider = present.video_chat_provider, jitsi_server_url = present.jitsi_server_url } = wanted
  const isAsked = wanted.video_chat_provider !== undefined || wanted.jitsi_server_url !== undefined
  if (isAsked && video_chat_provider === videoCallProviders.jitsi && jitsi_server_url === null)
    return "Video calls by Jitsi need a jitsi_server_url."
  return wanted.send_welcome_emails === true && !present.send_welcome_emails && !canSendMail(config)
    ? "This server cannot send mail."
    : undefined
}

/** The values to be stored, by the names of their settings; undefined: not asked for. */
export const readFurtherSettings = (
  present: RealmSettings,
  wanted: FurtherSettingValues,
  config: ConfigShape,
): Checked<Readonly<Record<string, Json | undefined>>> => {
  const fault = findFault(present, wanted, config)
  return fault === undefined
    ? Result.succeed(Object.fromEntries(names.map((name) => [name, wanted[name]])))
    : Result.fail(badRequest(fault))
}
