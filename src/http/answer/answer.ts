/** One answer as it goes to the network layer. Made by reply.ts, downloads and pictures; sent by uws-response.ts. */
import type { Pieces } from "../../json-pieces.ts"

export interface Answer {
  readonly status: number
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: string | Uint8Array | Pieces
}
