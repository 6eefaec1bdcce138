/** The beginning of an answer: its status and headers. Used by uws-response.ts. */
import type { ServerAnswer } from "../answer/answer.ts"
import { statusReasons } from "../answer/status-reasons.ts"
import type { Native } from "./uws-loader.ts"

/** `saysClose`: the client is told here that the connection ends with this answer, because the native side will not say it. */
export const writeHead = (
  native: Native.HttpResponse,
  { status, headers }: Pick<ServerAnswer, "status" | "headers">,
  saysClose: boolean,
): void => {
  // Unless a status is written it is 200.
  if (status !== 200) native.writeStatus(`${status} ${statusReasons[status] ?? "Status"}`)
  for (const header of headers) native.writeHeader(header[0], header[1])
  if (saysClose) native.writeHeader("Connection", "close")
}
