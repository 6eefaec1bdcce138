/**
 * `parley test-server`: a server of the kit for tests (src/testing) as a process, for whoever tests a client in another
 * language. It says where it is and who is there, and ends with whoever started it, however that ends.
 */
import { fstatSync } from "node:fs"
import * as Result from "effect/Result"
import type { StartServer, TestServer } from "../testing/types.ts"
import type { TestServerWish } from "./arguments.ts"
import { watchParent } from "./watch-parent.ts"

export type LoadTesting = () => Promise<StartServer>

/** Whether somebody holds the other end of standard input: a file or a terminal tells nothing of whoever started this. */
const isPiped = (): boolean => {
  try {
    const input = fstatSync(process.stdin.fd)
    return input.isFIFO() || input.isSocket()
  } catch {
    return false
  }
}

const signals = ["SIGINT", "SIGTERM"] as const

/** `ended` resolves when this server is to end; `stop` ends the watching, too, which else would keep the process. */
const watchEnd = (): { readonly ended: Promise<void>; readonly stop: () => void } => {
  const { promise: ended, resolve } = deferred()
  const stop = () => {
    stopWatching()
    for (const signal of signals) process.off(signal, stop)
    process.stdin.destroy()
    resolve()
  }
  const stopWatching = watchParent(stop)
  for (const signal of signals) process.once(signal, stop)
  if (isPiped()) process.stdin.once("end", stop).once("close", stop).once("error", stop).resume()
  return { ended, stop }
}

const deferred = () => {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve: () => resolve() }
}

const asText = ({ url, people }: TestServer): string =>
  [url, ...people.map(({ email, apiKey, role }) => `  ${email}  ${apiKey}  ${role}`), ""].join("\n")

const asJson = ({ url, port, people }: TestServer): string => `${JSON.stringify({ url, port, people })}\n`

export const serveTests = async (
  { json, empty }: TestServerWish,
  { PARLEY_PORT: port = "0", PARLEY_DATA_DIR: dataFolder, ...settings }: Readonly<Record<string, string>>,
  { print, load }: { readonly print: (text: string) => void; readonly load: LoadTesting },
): Promise<Result.Result<void, string>> => {
  // Before the start: whoever started it may end meanwhile.
  const { ended, stop } = watchEnd()
  const startServer = await load()
  const server = await startServer({
    organization: empty ? "empty" : "demo",
    port: port === "0" ? undefined : Number(port),
    dataFolder,
    settings,
  }).catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
  if (typeof server === "string") {
    stop()
    return Result.fail(server)
  }
  print(json ? asJson(server) : asText(server))
  await ended
  await server.close()
  return Result.succeed(undefined)
}
