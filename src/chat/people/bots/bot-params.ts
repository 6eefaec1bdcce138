/** What requests say of bots: parameters of POST and PATCH, and what they come to. */
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { alias, boolean, type Decoded, integer, json, jsonOrText, mapped, optional, text } from "../../../api/params.ts"
import { bounded } from "../../../api/shapes.ts"
import {
  type BotService,
  type BotSettings,
  botTypes,
  type DefaultChannel,
  type ServiceForm,
  serviceForms,
} from "../../ground/bot-settings/bot-settings.ts"
import { textMap } from "../../ground/bot-settings/text-map.ts"
import { readUrl } from "../../ground/outbound/outbound.ts"
import { longestUrl } from "../../ground/outbound/url-limit.ts"
import { mayReadContent } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { UserRecord } from "../../ground/realm/records.ts"

/** Clients send addresses bare, or as JSON. */
const payloadUrl = (name: string, older: string) =>
  optional(
    alias(
      mapped(jsonOrText(name, bounded({ max: longestUrl }), { max: 2 * longestUrl }), (url) =>
        url === "" || readUrl(url) !== undefined
          ? Result.succeed(url)
          : Result.fail(badRequest(`${name} is not a URL`)),
      ),
      older,
    ),
  )

const isForm = (value: number): value is ServiceForm => serviceForms.some((form) => form === value)

const serviceForm = (name: string, older: string) =>
  optional(
    alias(
      mapped(integer(name), (value) =>
        isForm(value) ? Result.succeed(value) : Result.fail(badRequest("Invalid interface type")),
      ),
      older,
    ),
  )

const config = textMap({ mostKeys: 50, longestKey: 100, longestValue: 1000 })

export const settingParams = {
  sending: optional(text("default_sending_stream")),
  reading: optional(text("default_events_register_stream")),
  allPublic: optional(boolean("default_all_public_streams")),
  config: optional(json("config_data", config)),
}

/** The names of the two others differ: each request also takes those of the other. */
export const newServiceParams = {
  url: payloadUrl("payload_url", "service_payload_url"),
  form: serviceForm("interface_type", "service_interface"),
}
export const serviceParams = {
  url: payloadUrl("service_payload_url", "payload_url"),
  form: serviceForm("service_interface", "interface_type"),
}

type BotSettingValues = Decoded<typeof settingParams & typeof serviceParams>

/** A channel by its name, for who asks. Empty: none. One that they may not read answers like one that does not exist. */
const readChannel = (realm: Realm, actor: UserRecord, name: string | undefined, before: DefaultChannel) => {
  const asked = name?.trim()
  if (asked === undefined || asked === before?.name) return Result.succeed(before)
  if (asked === "") return Result.succeed(null)
  const channel = realm.findChannelByName(asked)
  return channel === undefined || channel.is_archived || !mayReadContent(realm, actor, channel)
    ? Result.fail(badRequest(`Invalid channel name '${asked}'`))
    : Result.succeed({ id: channel.id, name: channel.name })
}

export const noUrl = badRequest("Missing 'payload_url' argument")
const noService = badRequest("Only outgoing webhooks have an address that is called.")

/** `token`: of a service that is new. An outgoing webhook may lack one, until a request says something of it. */
const readService = (
  type: number | null,
  { url, form }: BotSettingValues,
  before: BotService | null,
  token: string,
): Checked<BotService | null> => {
  if (type !== botTypes.outgoingWebhook)
    return url === undefined || url === "" ? Result.succeed(null) : Result.fail(noService)
  if (url === undefined && form === undefined) return Result.succeed(before)
  const base_url = url ?? before?.base_url
  if (base_url === undefined || base_url === "") return Result.fail(noUrl)
  return Result.succeed({ base_url, interface: form ?? before?.interface ?? 1, token: before?.token ?? token })
}

/** The settings of a bot after a request. `type`: the bot's. */
export const readSettings = (
  realm: Realm,
  actor: UserRecord,
  type: number | null,
  before: BotSettings,
  wanted: BotSettingValues,
  token: string,
): Checked<BotSettings> =>
  Result.gen(function* () {
    return {
      sending: yield* readChannel(realm, actor, wanted.sending, before.sending),
      reading: yield* readChannel(realm, actor, wanted.reading, before.reading),
      all_public: wanted.allPublic ?? before.all_public,
      service: yield* readService(type, wanted, before.service, token),
      config: wanted.config ?? before.config,
    }
  })
