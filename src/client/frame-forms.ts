/** What the frames of a WebSocket are as bytes. JSON is what every server speaks; another form is given by option. */
import type { Event } from "./api.ts"

export interface FrameForm {
  /** As the client offers it to the server. */
  readonly subprotocol: string
  /** The value of a frame: its text, or its bytes as an ArrayBuffer. May throw. */
  readonly read: (data: unknown) => unknown
  readonly write: (value: object) => string | Uint8Array<ArrayBuffer>
}

export const jsonFrames: FrameForm = {
  subprotocol: "parley.v1.json",
  read: (data) => JSON.parse(String(data)),
  write: (value) => JSON.stringify(value),
}

const isEvent = (value: unknown): value is Event =>
  typeof value === "object" && value !== null && "id" in value && Number.isSafeInteger(value.id) && "type" in value

/** The events of a frame; undefined where it is none. */
export const eventsIn = ({ read }: FrameForm, data: unknown): ReadonlyArray<Event> | undefined => {
  try {
    const value = read(data)
    return Array.isArray(value) && value.every(isEvent) ? value : undefined
  } catch {
    return undefined
  }
}
