/** A NATS server as a child of this process, which hands its core down to it: WebSockets for subscribers, TCP to publish. */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { findFreePort } from "../../src/testing/free-port.ts"
import { serveCommands } from "../remote.ts"
import { findNats } from "./install.ts"

const attempts = 100
const folder = await mkdtemp(join(tmpdir(), "parley-peer-"))
let child: ChildProcess | null = null

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => resolve(true))
    socket.once("error", () => resolve(false))
    socket.once("connect", () => socket.destroy())
  })

const start = async () => {
  const program = findNats()
  if (program === null) throw new Error("no program of NATS")
  const [publishPort, port] = [await findFreePort(), await findFreePort()]
  const config = join(folder, "nats.conf")
  writeFileSync(config, `listen: "127.0.0.1:${publishPort}"\nwebsocket { listen: "127.0.0.1:${port}", no_tls: true }\n`)
  child = spawn(program, ["-c", config], { stdio: "ignore" })
  for (let n = 0; n < attempts; n++) {
    if ((await answers(publishPort)) && (await answers(port))) return { port, publishPort, pid: child.pid ?? 0 }
    await wait(50)
  }
  throw new Error("NATS does not start")
}

serveCommands({ start }, async () => {
  child?.kill("SIGKILL")
  rmSync(folder, { recursive: true, force: true })
})
