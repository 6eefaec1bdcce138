/** Parameters that invitations by mail and links share (spec 10). */
import * as Result from "effect/Result"
import { boolean, integer, json, mapped, oneOf, optional, text, withDefault } from "../../../api/params.ts"
import { id, integer as integerShape, list, nullable, refined } from "../../../api/shapes.ts"
import { ChannelId, GroupId } from "../../../ids.ts"
import { roleNumbers, roles } from "../../ground/realm/domain-values.ts"
import { longestWelcomeText } from "../../ground/realm/realm-settings.ts"
import type { InvitationOffer } from "./invitation-rules.ts"

/** A hundred years. */
const longestMinutes = 52_560_000
const mostChannels = 1000
const mostGroups = 1000

const minutesShape = refined(
  integerShape,
  (value, path) => {
    if (value < 1) return Result.fail(`${path} is too small`)
    return value > longestMinutes ? Result.fail(`${path} is too large`) : Result.succeed(value)
  },
  { minimum: 1, maximum: longestMinutes },
)

export const channelIds = json("stream_ids", list(id(ChannelId), mostChannels))

/** A text as it is; the word `null`, as JSON has it, stands for the organization's. */
const welcomeText = mapped(text("welcome_message_custom_text", { max: longestWelcomeText }), (sent) =>
  Result.succeed(sent === "null" ? null : sent),
)

/** Absent: the server's; null: it never expires. */
export const expiry = optional(json("invite_expires_in_minutes", nullable(minutesShape)))

export const offerParams = {
  role: withDefault(oneOf(integer("invite_as"), roleNumbers), roles.member),
  groups: withDefault(json("group_ids", list(id(GroupId), mostGroups)), []),
  includesDefaults: withDefault(boolean("include_realm_default_subscriptions"), false),
  welcomeText: withDefault(welcomeText, null),
}

/** The fields of the table that invitations of one request share. */
export const offerFields = ({ role, channels, groups, includesDefaults, welcomeText }: InvitationOffer) => ({
  role,
  channel_ids: [...new Set(channels)],
  group_ids: [...new Set(groups)],
  includes_defaults: includesDefaults,
  welcome_text: welcomeText,
})
