/** A server that answers as a test says, one line of the script for each request: for what a real one does not do on demand. */
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { Test } from "tap"

/** `cut`: the connection breaks without an answer. `silent`: no answer comes. */
export type Line =
  | "cut"
  | "silent"
  | { readonly status: number; readonly body: object | string; readonly headers?: object }

export interface Received {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly at: number
}

export const ok = (fields: object = {}): Line => ({ status: 200, body: { result: "success", msg: "", ...fields } })
export const refusal = (status: number, code: string, fields: object = {}, headers: object = {}): Line => ({
  status,
  body: { result: "error", code, msg: `${code}!`, ...fields },
  headers,
})

/** Has a server listen until the test's end; answers its address. */
export const listen = async (t: Test, server: Server): Promise<string> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("it has no port")
  return `http://127.0.0.1:${address.port}`
}

/** Answers its address and the requests so far. After the script's end the last line holds. */
export const scriptedServer = async (t: Test, script: ReadonlyArray<Line>) => {
  const received: Array<Received> = []
  const server = createServer((request, response) => {
    const line = script[Math.min(received.length, script.length - 1)] ?? "cut"
    const entry = { method: request.method ?? "", url: request.url ?? "", body: "", at: performance.now() }
    received.push(entry)
    request.setEncoding("utf8")
    request.on("data", (text: string) => {
      entry.body += text
    })
    request.on("end", () => {
      if (line === "silent") return
      if (line === "cut") return request.socket.destroy()
      const body = typeof line.body === "string" ? line.body : JSON.stringify(line.body)
      response.writeHead(line.status, { "Content-Type": "application/json", ...line.headers }).end(body)
    })
  })
  return { url: await listen(t, server), received }
}
