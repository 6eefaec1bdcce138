/** Says when an outgoing webhook is made or changed that its program could not be called, instead of at each call. */
import * as Effect from "effect/Effect"
import { badRequest } from "../../../api/errors.ts"
import { outgoingAllowName } from "../../../config/config.ts"
import { Outbound, readUrl } from "../../ground/outbound/outbound.ts"

/** `text`: an address as parameters have it; absent or empty: there is nothing to say. */
export const requireCallable = Effect.fnUntraced(function* (text: string | undefined) {
  const url = text === undefined ? undefined : readUrl(text)
  if (url === undefined || (yield* (yield* Outbound).mayCall(url))) return
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : url.port
  yield* badRequest(
    `This server may not call ${url.hostname}:${port}: bots call the ports 80 and 443 of public addresses, and what whoever runs it has named in ${outgoingAllowName}`,
  )
})
