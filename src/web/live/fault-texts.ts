/** What went wrong, in the reader's words, and which field of a form it is about. The server's own sentence is the last resort. */
import { Refused, Unanswered } from "../../client/index.ts"
import { words } from "../words/words.ts"
import { hasFields } from "./browser-storage.ts"
import type { WhyLeft } from "./session.ts"

type Name = keyof typeof words.faults

/** One code stands for many things: these sentences are met by people who do nothing unusual. */
const sentences: ReadonlyArray<readonly [sentence: RegExp, name: Name]> = [
  [/^insufficient permission|permission to |^must be an organization|^not allowed/i, "UNAUTHORIZED_PRINCIPAL"],
  [/already exists|^unique names/i, "nameTaken"],
  [/can't be empty|cannot be blank|too short/i, "empty"],
  [/too long|cannot exceed/i, "tooLong"],
  [/^invalid (character|format|name)|cannot start with/i, "badName"],
  [/^name changes are disabled/i, "nameFixed"],
  [/only organization owner/i, "CANNOT_DEACTIVATE_LAST_USER"],
  [/cannot send mail/i, "noMail"],
  [/time limit/i, "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED"],
  [/^nothing to change/i, "nothingChanged"],
  [/^invalid message\(s\)/i, "messageGone"],
  [/no longer using this organization/i, "personGone"],
]

const isName = (name: string): name is Name => name in words.faults

const addressesOf = (errors: unknown): ReadonlyArray<string> =>
  Array.isArray(errors) ? errors.flatMap((each: unknown) => (Array.isArray(each) ? String(each[0]) : [])) : []

const refusalText = ({ code, msg, ...fields }: Refused["body"]): string => {
  const addresses = code === "INVITATION_FAILED" ? addressesOf(fields["errors"]) : []
  if (addresses.length > 0) return words.notInvited(addresses.join(", "), fields["sent_invitations"] === true)
  const name = code === "BAD_REQUEST" ? sentences.find(([sentence]) => sentence.test(msg))?.[1] : code
  return name !== undefined && isName(name) ? words.faults[name] : msg
}

export const faultText = (error: unknown): string => {
  if (error instanceof Refused) return refusalText(error.body)
  if (error instanceof Unanswered) return words.noAnswer
  return error instanceof Error ? error.message : String(error)
}

/** Which of the fields a refusal is about; null where it is about none. They are called as the API's parameters are. */
export const faultField = <Field extends string>(error: unknown, fields: ReadonlyArray<Field>): Field | null => {
  if (!(error instanceof Refused)) return null
  const { body } = error
  const named = (name: unknown): Field | undefined => fields.find((field) => field === name)
  if (body.code === "CHANNEL_ALREADY_EXISTS") return named("name") ?? null
  if (body.code === "INVITATION_FAILED") return named("invitee_emails") ?? null
  if (hasFields(body, "var_name")) return named(body.var_name) ?? null
  // What people have typed is quoted, and says nothing.
  const sentence = body.msg.toLowerCase().replaceAll(/'[^']*'/g, "")
  const last = (field: string): string => field.split("_").at(-1) ?? field
  return fields.find((field) => sentence.includes(field) || sentence.includes(last(field))) ?? null
}

/** Null unless the server lets the account in no more. */
export const lockedOut = (error: unknown): WhyLeft | null => {
  if (!(error instanceof Refused) || error.status !== 401) return null
  return /deactivated/.test(error.body.msg) ? "deactivated" : "key"
}
