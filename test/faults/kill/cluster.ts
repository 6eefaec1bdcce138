/**
 * A PostgreSQL cluster of the test's own, which it may kill, stop, start again and replace by a standby as it likes. Made by
 * .ci/postgres.sh; started again here with the same command line, so that its process is known.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { openSync } from "node:fs"
import { mkdtemp, readFile, stat } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { packageFile } from "../../../src/db/package-root.ts"
import { killAtExit } from "../../kit/kill-at-exit.ts"
import { until } from "../../kit/test-database.ts"

const script = packageFile(".ci/postgres.sh")
const startMilliseconds = 60_000

/** The message that ends a successful sign-in: the server waits for a query. */
const readyForQuery = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

const startupMessage = (user: string): Buffer => {
  const text = Buffer.from(`user\0${user}\0database\0postgres\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + text.length, 0)
  // Version 3.0 of the protocol.
  head.writeInt32BE(3 << 16, 4)
  return Buffer.concat([head, text])
}

/** Whether a plain connection gets as far as to a first query. */
const accepts = (port: number, user: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    let bytes = Buffer.alloc(0)
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(false))
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      if (!bytes.subarray(-readyForQuery.length).equals(readyForQuery)) return
      resolve(true)
      socket.destroy()
    })
    socket.write(startupMessage(user))
  })

interface Teardown {
  readonly teardown: (clean: () => Promise<void>) => void
}

export class Cluster {
  readonly url: string
  readonly #folder: string
  #child: ChildProcess | null = null

  private constructor(folder: string, url: string) {
    this.#folder = folder
    this.url = url
  }

  static create(t: Teardown): Promise<Cluster> {
    return Cluster.#make(t, "start")
  }

  /** Another one, which follows it from now on. */
  standby(t: Teardown): Promise<Cluster> {
    return Cluster.#make(t, "standby", this.url)
  }

  static async #make(t: Teardown, how: "start" | "standby", ...of: ReadonlyArray<string>): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "parley-cluster-"))
    t.teardown(async () => {
      spawnSync(script, ["stop", folder])
    })
    const { status, stdout, stderr } = spawnSync(script, [how, folder, ...of], { encoding: "utf8" })
    if (status !== 0) throw new Error(`no cluster: ${stderr}`)
    return new Cluster(folder, stdout.trim())
  }

  /** Makes a standby follow nobody any more, and take writes. */
  promote(): void {
    const { status, stderr } = spawnSync(script, ["promote", this.#folder], { encoding: "utf8" })
    if (status !== 0) throw new Error(`not promoted: ${stderr}`)
  }

  get port(): number {
    return Number(new URL(this.url).port)
  }

  /** The same database, reached at another port. */
  urlThrough(port: number): string {
    const url = new URL(this.url)
    url.port = String(port)
    return url.href
  }

  accepts(): Promise<boolean> {
    return accepts(this.port, new URL(this.url).username)
  }

  /** SIGKILL of its first process is a crash, SIGQUIT an immediate stop, SIGINT a fast one. */
  async end(signal: "SIGKILL" | "SIGQUIT" | "SIGINT"): Promise<void> {
    const [line = ""] = (await readFile(join(this.#folder, "data", "postmaster.pid"), "utf8")).split("\n")
    const child = this.#child
    const gone = child?.pid === Number(line) ? once(child, "exit") : undefined
    process.kill(Number(line), signal)
    await gone
    await until("PostgreSQL is gone", startMilliseconds, async () => !(await this.accepts()))
  }

  /** Resolves as soon as a plain connection succeeds. */
  async start(): Promise<void> {
    const giveUpAt = performance.now() + startMilliseconds
    while (performance.now() < giveUpAt) {
      const child = await this.#spawn()
      this.#child = child
      killAtExit(child, "SIGQUIT")
      while (child.exitCode === null && child.signalCode === null) {
        if (await this.accepts()) return
        await sleep(2)
      }
      // The processes of the one that was killed need a moment to notice.
      await sleep(20)
    }
    throw new Error("PostgreSQL does not start again")
  }

  async #spawn(): Promise<ChildProcess> {
    const data = join(this.#folder, "data")
    const [program = "", ...rest] = (await readFile(join(data, "postmaster.opts"), "utf8")).trim().split(' "')
    const { uid, gid } = await stat(data)
    const log = openSync(join(this.#folder, "server.log"), "a")
    return spawn(
      program,
      rest.map((option) => option.replace(/"$/, "")),
      { cwd: this.#folder, stdio: ["ignore", log, log], ...(process.getuid?.() === 0 ? { uid, gid } : {}) },
    )
  }
}
