/**
 * Refusals in notices. A request is answered with the id that it has named; a notice is read by people, who know places and
 * others by their names. What they cannot see any more has none for them: it may have got another name since.
 */
import type { ApiError } from "../../../api/errors.ts"

const gone = "does not exist any more, or you cannot see"

export const refusalWords = ({ code, msg, fields }: ApiError): string => {
  if (code === "STREAM_DOES_NOT_EXIST" && fields["stream_id"] !== undefined) return `The channel ${gone} it.`
  return /^Invalid user ID:? \d+$/.test(msg) ? `Somebody whom it is for ${gone} them.` : msg
}
