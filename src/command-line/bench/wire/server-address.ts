/** Where a server is, and plain connections to it: encrypted ones where its address says so. */
import { connect, isIP, type OnReadOpts, type Socket } from "node:net"
import { connect as connectSecurely } from "node:tls"

export interface ServerAddress {
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  /** As the header `Host` names it. */
  readonly authority: string
}

export const loopback = (port: number): ServerAddress => ({
  host: "127.0.0.1",
  port,
  isSecure: false,
  authority: `127.0.0.1:${port}`,
})

export const serverAddressOf = ({ protocol, hostname, port, host }: URL): ServerAddress => {
  const isSecure = protocol === "https:"
  return {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (isSecure ? 443 : 80) : Number(port),
    isSecure,
    authority: host,
  }
}

export interface ConnectOptions {
  /** The local address that the connection comes from; null: as the system chooses. */
  readonly from: string | null
  /** Where bytes are read to without a buffer for each; encrypted connections do not use it. */
  readonly onread: OnReadOpts
}

const addressOf = ({ host, port }: ServerAddress) => ({ host, port })

/** A connection whose bytes go to `onread`. */
export const connectTo = (place: ServerAddress, { from, onread }: ConnectOptions): Socket => {
  const address = { ...addressOf(place), ...(from === null ? {} : { localAddress: from }) }
  if (!place.isSecure) return connect({ ...address, onread })
  const socket = secure(place)
  socket.on("data", (chunk: Buffer) => void onread.callback(chunk.length, chunk))
  return socket
}

const secure = (place: ServerAddress): Socket => {
  const { host } = place
  return connectSecurely({ ...addressOf(place), ...(isIP(host) === 0 ? { servername: host } : {}) })
}

/** A connection that is read by its events. */
export const connectPlainly = (place: ServerAddress): Socket =>
  (place.isSecure ? secure(place) : connect(addressOf(place))).setNoDelay(true)
