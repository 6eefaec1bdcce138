/**
 * What bots have beyond their account: defaults of what they send and read, the address that an outgoing webhook calls, and
 * texts for whoever runs one. A part of the projection; `wireBotSettings` is the one look that register, events and answers have.
 */
import { randomBytes } from "node:crypto"
import * as Schema from "effect/Schema"
import { idSchemas, type UserId } from "../../../ids.ts"
import type { JsonObject } from "../../../json.ts"
import { projectionPart } from "../realm/projection-part.ts"

/** The types of bots (`bot_type`). Type 4, programs inside of the server, does not exist here. */
export const botTypes = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3 } as const
export type BotType = (typeof botTypes)[keyof typeof botTypes]

/** How an outgoing webhook is called: with JSON, or with a form as Slack sends it. */
export const serviceForms = [1, 2] as const
export type ServiceForm = (typeof serviceForms)[number]

const BotService = Schema.Struct({
  base_url: Schema.String,
  interface: Schema.Literals(serviceForms),
  /** By it the called program knows who calls. */
  token: Schema.String,
})
export type BotService = typeof BotService.Type

/** By it the program behind an address knows that this server calls it. */
export const newServiceToken = (): string => randomBytes(16).toString("hex")

/** A channel with the name that it had when it was set: whoever may not know of it by now learns no other. */
const DefaultChannel = Schema.NullOr(Schema.Struct({ id: idSchemas.channel, name: Schema.String }))
export type DefaultChannel = typeof DefaultChannel.Type

export const BotSettings = Schema.Struct({
  /** Where its program writes to by itself. Kept for the program: the server sends only to where a message says. */
  sending: DefaultChannel,
  /** What its event queues are narrowed to that name no narrow (sync/queue-defaults.ts). */
  reading: DefaultChannel,
  /** Whether its event queues that do not say get the messages of all public channels. */
  all_public: Schema.Boolean,
  /** null: it is no outgoing webhook. */
  service: Schema.NullOr(BotService),
  /** Texts for its program, which the server does not look at. */
  config: Schema.Record(Schema.String, Schema.String),
})
export type BotSettings = typeof BotSettings.Type

/** Of a bot that was made without any. */
export const plainBot: BotSettings = { sending: null, reading: null, all_public: false, service: null, config: {} }

export class BotSettingsIndex {
  readonly #byBot = new Map<UserId, BotSettings>()

  of(bot: UserId): BotSettings {
    return this.#byBot.get(bot) ?? plainBot
  }

  set(bot: UserId, settings: BotSettings): void {
    this.#byBot.set(bot, settings)
  }

  entries(): Iterable<[UserId, BotSettings]> {
    return this.#byBot
  }
}

export const botSettings = projectionPart({
  name: "bots",
  load: "load_bots_v1",
  stored: Schema.Struct({
    bots: Schema.Array(Schema.Tuple([idSchemas.user, BotSettings])),
    /** The last bot of the page; null: there are no more. */
    last: Schema.NullOr(idSchemas.user),
  }),
  pageKey: ({ last }) => (last === null ? null : [last]),
  empty: () => new BotSettingsIndex(),
  fill: (book, { bots }) => {
    for (const [bot, settings] of bots) book.set(bot, settings)
  },
  plain: (book) => [...book.entries()].sort(([a], [b]) => a - b),
})

/** The defaults alone, as the answers about one bot have them. */
export const wireDefaults = ({ sending, reading, all_public }: BotSettings): JsonObject => ({
  default_sending_stream: sending?.name ?? null,
  default_events_register_stream: reading?.name ?? null,
  default_all_public_streams: all_public,
})

export const wireBotSettings = (settings: BotSettings): JsonObject => ({
  ...wireDefaults(settings),
  services: settings.service === null ? [] : [{ ...settings.service }],
})

export const defaultKeys = {
  default_sending_stream: Schema.NullOr(Schema.NonEmptyString),
  default_events_register_stream: Schema.NullOr(Schema.NonEmptyString),
  default_all_public_streams: Schema.Boolean,
}

export const botSettingKeys = { ...defaultKeys, services: Schema.Array(BotService) }
