/**
 * Why the server ends a WebSocket: the one table of close codes and the text that goes with each. Clients act on the
 * code; the text is for people and logs. Only the text of `badQueue` contains the word "queue", so that a client that
 * sees only the text knows when to register again. Used by all that close sockets.
 */
export interface CloseReason {
  readonly code: number
  readonly text: string
  /** Whether the client may reconnect at once with the same queue and cursor. */
  readonly comeBack: boolean
}

export const closeReasons = {
  goingAway: { code: 1001, text: "going away", comeBack: true },
  internal: { code: 1011, text: "internal error", comeBack: true },
  unavailable: { code: 1013, text: "not available now", comeBack: true },
  badQueue: { code: 4001, text: "bad event queue id: register again", comeBack: false },
  unauthorized: { code: 4002, text: "unauthorized", comeBack: false },
  slowReader: { code: 4003, text: "slow reader", comeBack: true },
  replaced: { code: 4004, text: "replaced by a newer connection", comeBack: false },
  noAck: { code: 4005, text: "nothing acknowledged", comeBack: true },
  protocolError: { code: 4006, text: "protocol error", comeBack: false },
  tooLarge: { code: 4007, text: "message too large", comeBack: false },
} as const satisfies Record<string, CloseReason>

/** Sockets that the server has closed since it was started, by reason, for its figures. */
export const closeCounts = new Map<string, number>(Object.values(closeReasons).map(({ text }) => [text, 0]))

/** A close frame holds at most 125 bytes, two of them the code. */
const textBytes = 123

const cutTo = (text: string, most: number): string => {
  let bytes = 0
  let kept = ""
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > most) break
    kept += character
  }
  return kept
}

/** `slow reader; come back`. A detail with the word "queue" is left out of other reasons' texts. */
export const closeText = (reason: CloseReason, detail?: string): string => {
  const back = reason.comeBack ? "; come back" : ""
  const fits = detail !== undefined && (reason.code === closeReasons.badQueue.code || !/queue/i.test(detail))
  if (!fits) return reason.text + back
  const room = textBytes - Buffer.byteLength(`${reason.text}: ${back}`)
  return `${reason.text}: ${cutTo(detail.toWellFormed(), room)}${back}`
}
