/** The settings of PATCH /realm about messages that were sent: who may change them until when, and who sees what of it. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked, confusingVariables } from "../../../api/errors.ts"
import { boolean, type Decoded, jsonOrText, mapped, oneOf, optional } from "../../../api/params.ts"
import { either, integer, string } from "../../../api/shapes.ts"
import type { Json } from "../../../json.ts"
import { type HistoryPolicy, historyPolicies } from "../../ground/realm/realm-settings.ts"

/** The longest limit: a hundred years. */
const longestLimit = 36_500 * 24 * 3600

/** A time after which something cannot be done any more, in seconds, or `unlimited`. */
export const limit = (setting: string) =>
  optional(
    mapped(
      jsonOrText(setting, either(integer, string, "is not a string or integer")),
      (value): Checked<number | null> => {
        if (value === "unlimited") return Result.succeed(null)
        return Predicate.isNumber(value) && value > 0 && value <= longestLimit
          ? Result.succeed(value)
          : Result.fail(badRequest(`Invalid ${setting}`))
      },
    ),
  )

const historyPolicy = oneOf(jsonOrText("message_edit_history_visibility_policy", string, { max: 100 }), historyPolicies)

export const messageSettings = {
  allow_message_editing: optional(boolean("allow_message_editing")),
  message_content_edit_limit_seconds: limit("message_content_edit_limit_seconds"),
  message_content_delete_limit_seconds: limit("message_content_delete_limit_seconds"),
  message_edit_history_visibility_policy: optional(historyPolicy),
  /** The policy's name when there were only all and none. */
  allow_edit_history: optional(boolean("allow_edit_history")),
  enable_read_receipts: optional(boolean("enable_read_receipts")),
}
type MessageSettingValues = Decoded<typeof messageSettings>

const findPolicy = ({
  message_edit_history_visibility_policy: policy,
  allow_edit_history: older,
}: MessageSettingValues): Checked<HistoryPolicy | undefined> => {
  if (older === undefined) return Result.succeed(policy)
  const meant = older ? "all" : "none"
  return policy === undefined || policy === meant
    ? Result.succeed(meant)
    : Result.fail(confusingVariables("message_edit_history_visibility_policy", "allow_edit_history"))
}

/** The values to be stored, by the names of their settings; undefined: not asked for. */
export const readMessageSettings = (
  wanted: MessageSettingValues,
): Checked<Readonly<Record<string, Json | undefined>>> =>
  Result.map(findPolicy(wanted), (policy) => ({
    allow_message_editing: wanted.allow_message_editing,
    message_content_edit_limit_seconds: wanted.message_content_edit_limit_seconds,
    message_content_delete_limit_seconds: wanted.message_content_delete_limit_seconds,
    message_edit_history_visibility_policy: policy,
    enable_read_receipts: wanted.enable_read_receipts,
  }))
