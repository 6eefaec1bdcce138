/**
 * A mail server on this machine that keeps what it is given, and behaves to a recipient as the test says: it takes a mail,
 * refuses it for good or for now, says nothing any more, or hangs up before or after it has taken it.
 */
import { once } from "node:events"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import type { Test } from "tap"

export type Manner = "accept" | "refuse" | "refuse the text" | "later" | "stall" | "hang up" | "hang up afterwards"

export interface CaughtMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** By name in lower case, unfolded, as they were sent; in their order. */
  readonly headers: ReadonlyArray<readonly [string, string]>
  /** Everything behind the headers, as text. */
  readonly body: string
}

const unfold = (raw: string): Pick<CaughtMail, "headers" | "body"> => {
  const end = raw.indexOf("\r\n\r\n")
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]/g, " ")
    .split("\r\n")
  const headers = lines.map((line) => {
    const colon = line.indexOf(":")
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return { headers, body: decodeQuoted(raw.slice(end + 4)) }
}

/** Of quoted-printable, which leaves everything but `=` readable. */
const decodeQuoted = (text: string): string =>
  Buffer.from(
    text
      .replaceAll("=\r\n", "")
      .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  ).toString("utf8")

/** `=?UTF-8?Q?...?=` and `=?UTF-8?B?...?=` in a header. */
export const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, "?==?")
    .replaceAll(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_, kind: string, coded: string) =>
      kind.toLowerCase() === "b"
        ? Buffer.from(coded, "base64").toString("utf8")
        : decodeQuoted(coded.replaceAll("_", " ")),
    )

export const headerOf = ({ headers }: CaughtMail, name: string): string | undefined => {
  const found = headers.filter(([each]) => each === name)
  return found.length === 1 ? found[0]?.[1] : undefined
}

const refusal = (responseCode: number, message: string) => Object.assign(new Error(message), { responseCode })

/** By address: how the server behaves; whoever is not named is accepted. */
export const startMailCatcher = async (t: Test, options: SMTPServerOptions = {}) => {
  const mails: Array<CaughtMail> = []
  /** Of each RCPT command, in their order. */
  const asked: Array<string> = []
  const manners = new Map<string, Manner>()
  const mannerOf = (address: string): Manner => manners.get(address) ?? "accept"
  let connections = 0
  const cut = (id: string) => {
    for (const connection of server.connections) if (connection.id === id) connection._socket.destroy()
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    closeTimeout: 10,
    logger: false,
    onConnect: (_session, callback) => {
      connections += 1
      callback()
    },
    onRcptTo: ({ address }, session, callback) => {
      asked.push(address)
      const manner = mannerOf(address)
      if (manner === "refuse") callback(refusal(550, "no such person"))
      else if (manner === "later") callback(refusal(451, "come back later"))
      else if (manner === "hang up") cut(session.id)
      else if (manner !== "stall") callback()
    },
    onData: (stream, session, callback) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const to = session.envelope.rcptTo.map(({ address }) => address)
        const { mailFrom } = session.envelope
        const manner = mannerOf(to[0] ?? "")
        if (manner === "refuse the text") return callback(refusal(554, "looks like spam"))
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to,
          ...unfold(Buffer.concat(chunks).toString("utf8")),
        })
        if (manner === "hang up afterwards") cut(session.id)
        else callback()
      })
    },
    ...options,
  })
  server.on("error", () => {})
  const listening = server.listen(0, "127.0.0.1")
  await once(listening, "listening")
  const bound = listening.address()
  if (bound === null || typeof bound === "string") throw new Error("the mail catcher has no port")
  const { port } = bound
  t.teardown(() => new Promise<void>((resolve) => server.close(resolve)))
  return {
    port,
    mails,
    asked,
    connections: () => connections,
    /** Connections that are open now. */
    open: () => server.connections.size,
    behave: (address: string, manner: Manner): void => void manners.set(address, manner),
  }
}
