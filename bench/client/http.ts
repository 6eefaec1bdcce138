/** Requests of the benchmark's client that are measured: raw text, and ordinary ones. All others: control.ts. */
import { Agent, request } from "node:http"

export interface Account {
  readonly email: string
  readonly key: string
}

export const authorization = ({ email, key }: Account): string =>
  `Authorization: Basic ${Buffer.from(`${email}:${key}`).toString("base64")}`

/** A whole request with a form as its body. */
export const post = (
  port: number,
  path: string,
  headers: ReadonlyArray<string>,
  form: string,
  host = `127.0.0.1:${port}`,
): string =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${form.length}`,
    ...headers,
    "",
    form,
  ].join("\r\n")

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends a request with its parameters as a form; answers the text of the answer, rejects if it is not a success. */
export const askBy = (
  method: "GET" | "POST" | "PATCH" | "DELETE",
  port: number,
  path: string,
  account: Account,
  form: string,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const headers = {
      "Content-Type": "application/x-www-form-urlencoded",
      Authorization: authorization(account).slice("Authorization: ".length),
      // Compressing is measured by the scenario `register`.
      "Accept-Encoding": "identity",
    }
    const isQuery = method === "GET"
    const target = isQuery ? `${path}?${form}` : path
    const asked = request({ port, host: "127.0.0.1", method, path: target, agent, headers }, (response) => {
      const parts: Array<Buffer> = []
      response.on("data", (part: Buffer) => parts.push(part))
      response.on("end", () => {
        const text = Buffer.concat(parts).toString()
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`${path}: ${response.statusCode} ${text}`))
      })
    })
    asked.on("error", reject)
    asked.end(isQuery ? "" : form)
  })

export const ask = (port: number, path: string, account: Account, form: string): Promise<string> =>
  askBy("POST", port, path, account, form)

export const leave = (): void => agent.destroy()
