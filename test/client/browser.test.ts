/**
 * The client in a browser (headless Chromium, where the machine has it): a page of another origin signs in, opens the socket,
 * and goes on over a server that is killed, without loss; and it calls and sends.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { createServer } from "node:http"
import t, { type Test } from "tap"
import { findFreePort } from "../../src/testing/free-port.ts"
import { createFolder, until } from "../kit/test-database.ts"
import { withServer } from "../kit/with-server.ts"
import { bundled } from "./bundled.ts"
import { listen } from "./scripted-server.ts"

const chromium = "/usr/bin/chromium"
const patience = 120_000

/** Tells the test what it reads and does, each as a line. */
const page = (options: object): string => `<!doctype html><script type="module">
import { Client, isRefused } from "/client.js"
const tell = (line) => fetch("/told", { method: "POST", body: line })
const client = new Client(${JSON.stringify(options)})
try {
  await client.call("POST /messages", { type: "channel", to: "nowhere", topic: "t", content: "x" })
} catch (error) {
  await tell(isRefused(error, "POST /messages") ? error.code : String(error))
}
const reader = client.read({ event_types: ["message"], apply_markdown: false })
for await (const item of reader) {
  if (item.kind === "state") void client.send({ type: "channel", to: "lobby", topic: "t", content: "from the page" })
  await tell(item.kind === "state" ? "state" : reader.transport + " " + item.event.message.content)
}
</script>`

/** Serves the page at an origin of its own; answers what it tells. */
const servePage = async (t: Test) => {
  const told: Array<string> = []
  const files = new Map<string, readonly [type: string, text: string]>()
  const server = createServer((request, response) => {
    if (request.method === "POST") {
      let text = ""
      request.on("data", (part) => {
        text += part
      })
      request.on("end", () => {
        told.push(text)
        response.end()
      })
      return
    }
    const [type, text] = files.get(request.url ?? "") ?? ["text/plain", ""]
    response.writeHead(200, { "Content-Type": type }).end(text)
  })
  return { origin: await listen(t, server), told, files }
}

const browse = async (url: string, folder: string): Promise<ChildProcess> => {
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${folder}`]
  const child = spawn(chromium, [...flags, "--remote-debugging-port=0", url], { stdio: "ignore" })
  await once(child, "spawn")
  return child
}

const skip = existsSync(chromium) ? false : "there is no Chromium"

t.test("a page reads its queue by socket over a killed server", { skip, timeout: 3 * patience }, async (t) => {
  const { origin, told, files } = await servePage(t)
  const [port, folder, { code }] = [await findFreePort(), await createFolder(t), await bundled()]
  const channels = [{ name: "lobby", users: ["hamlet", "cordelia"] }] as const
  await withServer(t, { channels, config: { port, origins: [origin] } }, async (server) => {
    const { email, key } = server.as("hamlet").account
    const pauses = { firstMilliseconds: 10, mostMilliseconds: 200 }
    files.set("/client.js", ["text/javascript", code])
    files.set("/", ["text/html", page({ server: server.origin, account: { email, apiKey: key }, pauses })])
    const child = await browse(origin, folder)
    server.closeAfter(async () => {
      child.kill("SIGKILL")
      await once(child, "exit")
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    })
    await until("the page's own message is there", patience, () => told.length === 3)
    t.same(told, ["STREAM_DOES_NOT_EXIST", "state", "socket from the page"])
    const contents = ["before", "after", "after another restart"]
    await server.as("cordelia").send("lobby", "before")
    await server.faults.kill()
    await server.as("cordelia").send("lobby", "after")
    await server.restart()
    await server.as("cordelia").send("lobby", "after another restart")
    await until("the page has read all", patience, () => told.length === 6)
    t.same(
      told.slice(3).map((line) => line.replace(/^(socket|poll) /, "")),
      contents,
    )
    await server.as("cordelia").send("lobby", "by socket")
    await until("it reads", patience, () => told.length >= 7)
    t.match(told.at(-1), /by socket$/)
  })
})
