/** Opens WebSockets to a queue in every way that a client may choose, and reads the server's refusal of one. */

import type { Account, Fields } from "./client.ts"
import { eventsOf, type ReadEvent } from "./reader.ts"
import { connect, type SocketClient, UpgradeRefused } from "./socket-client.ts"

export interface Opening {
  readonly port: number
  /** Parameters of the query; undefined is left out. */
  readonly query: Readonly<Record<string, string | number | undefined>>
  /** Signs in by a header; without one the first frame must. */
  readonly account?: Account
  readonly headers?: Readonly<Record<string, string>>
  /** The offered subprotocol; default: `parley.v1.json`; null offers none. */
  readonly protocol?: string | null
}

export const openSocket = ({ port, query, account, headers = {}, protocol = "parley.v1.json" }: Opening) => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.set(name, String(value))
  return connect({
    port,
    path: `/api/v1/events/ws?${parameters}`,
    headers: {
      ...(account === undefined
        ? {}
        : { Authorization: `Basic ${Buffer.from(`${account.email}:${account.key}`).toString("base64")}` }),
      ...headers,
    },
    ...(protocol === null ? {} : { protocol }),
  })
}

/** The events of the next frame, each of them as the API has it. */
export const frameOf = async (socket: SocketClient): Promise<ReadonlyArray<ReadEvent>> =>
  eventsOf(JSON.parse(await socket.next()))

/** The server's answer instead of the upgrade; an upgrade is an error. */
export const refusalOf = async (
  opening: Promise<SocketClient>,
): Promise<{ readonly status: number; readonly body: Fields }> => {
  const refused = await opening.then(
    (socket) => {
      socket.destroy()
      return new Error("the connection was upgraded")
    },
    (error: unknown) => error,
  )
  if (!(refused instanceof UpgradeRefused)) throw refused
  const body: unknown = JSON.parse(refused.body)
  if (typeof body !== "object" || body === null) throw new Error(`no object: ${refused.body}`)
  return { status: refused.status, body: { ...body } }
}
