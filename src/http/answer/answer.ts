/** One answer as it goes to the network layer. Made by make-answers.ts, downloads and pictures; sent by uws-response.ts. */
import type { JsonPieces } from "../../json-pieces.ts"

export interface ServerAnswer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | Uint8Array | JsonPieces
}
