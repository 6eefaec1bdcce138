/**
 * The forms of a socket's frames, one per subprotocol: JSON in text frames, MessagePack in binary ones. A client chooses one by
 * what it offers at the upgrade; both ends speak it from then on. Described for client authors in docs/protocol.md.
 */
import { Unpackr } from "msgpackr/unpack"
import type { EventChain } from "../../events/event-chain.ts"
import { parseForeignJson } from "../../json.ts"

export interface SocketFrameForm {
  readonly protocol: string
  /** What a frame says, null where that cannot be read; undefined for a frame of the other kind, text or binary. */
  readonly read: (frame: ArrayBuffer, isBinary: boolean) => unknown
  /** The events as one frame. */
  readonly write: (events: EventChain) => Uint8Array
  readonly isBinary: boolean
}

const jsonForm: SocketFrameForm = {
  protocol: "parley.v1.json",
  read: (frame, isBinary) => (isBinary ? undefined : (parseForeignJson(Buffer.from(frame).toString("utf8")) ?? null)),
  write: (events) => events.frame(),
  isBinary: false,
}

/** Large integers come as numbers, as JSON has them. */
const unpackr = new Unpackr({ useRecords: false, int64AsType: "number" })

/** A frame is small (`socketFrameBytes`), so what a hostile one may claim to hold ends where its bytes do. */
const unpack = (frame: ArrayBuffer): unknown => {
  try {
    const value: unknown = unpackr.unpack(Buffer.from(frame))
    return value
  } catch {
    return null
  }
}

const packedForm: SocketFrameForm = {
  protocol: "parley.v1.msgpack",
  read: (frame, isBinary) => (isBinary ? unpack(frame) : undefined),
  write: (events) => events.packedFrame(),
  isBinary: true,
}

/** That of a client that offers none. */
export const usualForm = jsonForm

export const frameForms: ReadonlyArray<SocketFrameForm> = [jsonForm, packedForm]
