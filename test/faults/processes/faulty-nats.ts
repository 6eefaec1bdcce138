/**
 * As much of a NATS server as the bus between processes needs, and a bad one: of what is published it loses a fifth, is late with a
 * third and doubles a tenth, and it can go away for a while. By the protocol that clients speak
 * (docs.nats.io/reference/reference-protocols/nats-protocol), of subjects without wildcards.
 */
import { once } from "node:events"
import { createServer, type Socket } from "node:net"
import type { Dice } from "../kill/dice.ts"

const longestDelayMilliseconds = 100
const lineEnd = "\r\n"

interface Client {
  readonly socket: Socket
  /** Subjects by the number that the client has given its subscription. */
  readonly subjects: Map<string, string>
}

export interface FaultyNats {
  /** As PARLEY_BUS names it. */
  readonly address: string
  /** Ends all connections; further ones end at once, until it comes back. */
  readonly leave: () => void
  readonly comeBack: () => void
  /** How many messages have come to it. */
  readonly published: () => number
}

export const startFaultyNats = async (
  t: { readonly teardown: (clean: () => void) => void },
  dice: Dice,
): Promise<FaultyNats> => {
  const clients = new Set<Client>()
  let isAway = false
  let published = 0

  const give = (subject: string, payload: Buffer): void => {
    for (const { socket, subjects } of clients)
      for (const [number, wanted] of subjects)
        if (wanted === subject) {
          socket.write(`MSG ${subject} ${number} ${payload.length}${lineEnd}`)
          socket.write(payload)
          socket.write(lineEnd)
        }
  }

  const publish = (subject: string, payload: Buffer): void => {
    published += 1
    const times = dice.chance(0.2) ? 0 : dice.chance(0.1) ? 2 : 1
    for (let n = 0; n < times; n++)
      if (dice.chance(0.3)) setTimeout(give, dice.between(1, longestDelayMilliseconds), subject, payload).unref()
      else give(subject, payload)
  }

  /** Takes the first command of what a client has sent; answers what is left, undefined where that is not whole yet. */
  const takeOne = ({ socket, subjects }: Client, bytes: Buffer): Buffer | undefined => {
    const end = bytes.indexOf(lineEnd)
    if (end < 0) return undefined
    const [command, ...words] = bytes.subarray(0, end).toString().split(" ")
    const rest = bytes.subarray(end + lineEnd.length)
    if (command === "PING") socket.write(`PONG${lineEnd}`)
    if (command === "SUB") subjects.set(words.at(-1) ?? "", words[0] ?? "")
    if (command === "UNSUB") subjects.delete(words[0] ?? "")
    if (command !== "PUB") return rest
    const size = Number(words.at(-1))
    if (rest.length < size + lineEnd.length) return undefined
    publish(words[0] ?? "", Buffer.from(rest.subarray(0, size)))
    return rest.subarray(size + lineEnd.length)
  }

  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    if (isAway) return void socket.destroy()
    const client: Client = { socket, subjects: new Map() }
    clients.add(client)
    socket.on("close", () => clients.delete(client))
    const about = { server_id: "faulty", version: "2.9.0", proto: 1, headers: false, max_payload: 1024 * 1024 }
    socket.write(`INFO ${JSON.stringify(about)}${lineEnd}`)
    let bytes = Buffer.alloc(0)
    socket.on("data", (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      for (let left = takeOne(client, bytes); left !== undefined; left = takeOne(client, bytes))
        bytes = Buffer.from(left)
    })
  })
  const leave = () => {
    isAway = true
    for (const { socket } of clients) socket.destroy()
  }
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  t.teardown(() => {
    server.close()
    leave()
  })
  const bound = server.address()
  if (bound === null || typeof bound === "string") throw new Error("it has no port")
  return {
    address: `nats://127.0.0.1:${bound.port}`,
    leave,
    comeBack: () => {
      isAway = false
    },
    published: () => published,
  }
}
