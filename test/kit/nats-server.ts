/** A NATS server of a test (.ci/nats.sh), which may be killed, stopped for a while and started again at its port. */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { readNatsAddress } from "../../src/config/nats-address.ts"
import type { NatsConfig } from "../../src/config/processes-config.ts"
import { createFolder } from "./test-database.ts"

const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/bin"]

/** Why tests with NATS are passed over; false: they are not. */
export const withoutNats = folders.some((folder) => existsSync(join(folder, "nats-server")))
  ? false
  : "nats-server is not installed: apt-get install nats-server"

/** The configuration of a process whose PARLEY_BUS it is. */
export const natsAt = (address: string, rest: Partial<NatsConfig> = {}): NatsConfig => {
  const read = readNatsAddress(address)
  if (read === undefined) throw new Error(`${address} is no address of NATS`)
  return { ...read, credentialsFile: null, authoritiesFile: null, ...rest }
}

export interface NatsServer {
  /** `host:port`. */
  readonly host: string
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void
  /** Its connections are lost when it is dead. */
  readonly kill: () => void
  readonly startAgain: () => Promise<void>
}

/** `lines`: further ones of its configuration. */
export const startNats = async (
  t: Parameters<typeof createFolder>[0],
  ...lines: ReadonlyArray<string>
): Promise<NatsServer> => {
  const folder = await createFolder(t)
  const run = async (port: string) => {
    const env = { ...process.env, PORT: port }
    const { stdout } = await promisify(execFile)(".ci/nats.sh", ["start", folder, ...lines], { env })
    return stdout.trim().replace("nats://", "")
  }
  const host = await run("")
  const pid = () => Number(readFileSync(join(folder, "server.pid"), "utf8"))
  const signal = (name: NodeJS.Signals) => void process.kill(pid(), name)
  let isKilled = false
  const kill = () => {
    if (!isKilled) signal("SIGKILL")
    isKilled = true
  }
  t.teardown(async () => kill())
  return {
    host,
    kill,
    signal,
    startAgain: async () => {
      await run(host.split(":")[1] ?? "")
      isKilled = false
    },
  }
}
