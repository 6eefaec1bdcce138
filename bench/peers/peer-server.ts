/** What the peers that are packages of Node have alike: an HTTP server whose `POST /send` makes one event for everybody. */
import { createServer, type Server } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import * as Schema from "effect/Schema"
import { serveCommands } from "../remote.ts"
import { peerFolder } from "./install.ts"
import { eventOf } from "./peer-event.ts"

const Start = Schema.decodeUnknownSync(Schema.Struct({ eventBytes: Schema.Number }))

/** A package from the folder of the peers. */
export const requirePeer = createRequire(join(peerFolder, "package.json"))

/** `attach` puts the peer on the server, and answers what hands an event out. */
export const servePeer = (attach: (server: Server) => (event: string) => void): void => {
  const start = async ({ eventBytes }: ReturnType<typeof Start>) => {
    const server = createServer((request, response) => {
      let body = ""
      request.setEncoding("utf8")
      request.on("data", (text: string) => {
        body += text
      })
      request.on("end", () => {
        publish(eventOf(Number(body), eventBytes))
        response.setHeader("Content-Type", "application/json")
        response.end('{"result":"success","msg":""}')
      })
    })
    // While another server has its turn, the connections of the one who publishes are idle.
    server.keepAliveTimeout = 600_000
    const publish = attach(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 4096, resolve))
    const address = server.address()
    const port = address === null || typeof address === "string" ? 0 : address.port
    return { port, publishPort: port, pid: process.pid }
  }
  serveCommands({ start: (wanted) => start(Start(wanted)) }, async () => {})
}
