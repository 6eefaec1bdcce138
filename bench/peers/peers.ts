/** Other servers that hand messages out to sockets, in the versions that are measured, and what they leave to others. */

export interface Peer {
  readonly name: string
  /** Its program below this folder, as compiled. */
  readonly program: string
  /** Packages with exact versions; none for a program of another kind. */
  readonly packages: Readonly<Record<string, string>>
  readonly note: string
}

export const peers: ReadonlyArray<Peer> = [
  {
    name: "ws",
    program: "peers/ws.js",
    packages: { ws: "8.23.0" },
    note: "no durability, no permissions, no resume",
  },
  {
    name: "socket.io",
    program: "peers/socket-io.js",
    packages: { "socket.io": "4.8.4" },
    note: "no durability, no permissions per user, resume only from memory and if asked for",
  },
  {
    name: "nats",
    program: "peers/nats.js",
    packages: {},
    note: "core NATS: no durability, permissions by subject, no resume",
  },
]

export const parleyNote = "durable (each message is committed and synced first), permissions for each user, resume"
export const bareNote = "uWebSockets.js alone: no durability, no permissions, no resume"
