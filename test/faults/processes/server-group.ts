/**
 * Several processes of the program on one PostgreSQL database, as an operator runs them; each request goes to any of them, so
 * that a queue moves with each poll. Its organization is that of the tests (kit/cast.ts). Used by test/deep/processes.test.ts.
 */
import { spawnSync } from "node:child_process"
import type { Test } from "tap"
import { roles } from "../../../src/chat/ground/realm/domain-values.ts"
import { type ChannelSetup, cast, emailOf, names } from "../../kit/cast.ts"
import { createFolder } from "../../kit/test-database.ts"
import { type TestServer, withServer } from "../../kit/with-server.ts"
import type { Dice } from "../kill/dice.ts"
import { ownProgram, ServerProcess, type Settings } from "../kill/server-process.ts"
import type { Faults, Member } from "../kill/world.ts"

const secret = "a secret of several processes that is only used in tests"

const channels: ReadonlyArray<ChannelSetup> = [
  { name: "general", users: names },
  { name: "announcements", users: names.filter((name) => name !== "polonius") },
  { name: "leads", users: ["desdemona", "iago", "shiva"], isPrivate: true },
]

/** Makes the organization, and `further` with a server that is alone; answers its people. */
export const fillDatabase = async (
  t: Test,
  url: string,
  further: (server: TestServer) => Promise<void> = async () => {},
): Promise<ReadonlyArray<Member>> => {
  const people: Array<Member> = []
  const config = { database: { kind: "postgres", url }, secret } as const
  await withServer(t, { channels, config }, async (server) => {
    for (const name of names)
      people.push({
        ...server.accountOf(emailOf(name)),
        id: server.idOf(name),
        isGuest: cast[name] === roles.guest,
        leads: cast[name] < roles.member,
      })
    await further(server)
  })
  return people
}

export class ServerGroup {
  readonly #servers: ReadonlyArray<ServerProcess>
  readonly #place: { readonly url: string; readonly settings: Settings }
  readonly #dice: Dice

  private constructor(servers: ReadonlyArray<ServerProcess>, url: string, settings: Settings, dice: Dice) {
    this.#servers = servers
    this.#place = { url, settings }
    this.#dice = dice
  }

  static async create(
    t: Test,
    count: number,
    { url, faults, dice, settings }: { url: string; faults: Faults; dice: Dice; settings: Settings },
  ): Promise<ServerGroup> {
    const shared = await createFolder(t)
    const servers: Array<ServerProcess> = []
    for (let n = 0; n < count; n++)
      servers.push(await ServerProcess.create({ folder: await createFolder(t), url, onFault: faults.add }))
    const all = {
      PARLEY_MODE: "production",
      PARLEY_SECRET: secret,
      PARLEY_EXTERNAL_URL: "http://test.example",
      PARLEY_PROCESSES: "many",
      PARLEY_FILES_DIR: shared,
      // Nobody sends requests by a proxy that would have to turn to others.
      PARLEY_LEAVE_SECONDS: "0",
      PARLEY_LOG_FORMAT: "text",
      ...settings,
    }
    const group = new ServerGroup(servers, url, all, dice)
    t.teardown(() => Promise.all(servers.map((server) => server.kill())))
    for (const server of servers) server.start(all)
    await Promise.all(servers.map((server) => server.ready()))
    return group
  }

  get servers(): ReadonlyArray<ServerProcess> {
    return this.#servers
  }

  /** Of one of them, another each time. */
  get port(): number {
    return this.#dice.pick(this.#servers).port
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get output(): string {
    return this.#servers.map(({ output }) => output.slice(-2000)).join("\n--\n")
  }

  async kill(server: ServerProcess): Promise<void> {
    await server.kill()
  }

  async start(server: ServerProcess, program?: string): Promise<void> {
    server.start(this.#place.settings, program)
    await server.ready()
  }

  /** Runs this program beside the others, and answers how it ends. */
  tryOne(folder: string): { readonly status: number | null; readonly stderr: string } {
    const { url, settings } = this.#place
    const env = {
      ...settings,
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: url,
      PARLEY_PORT: "0",
      PARLEY_DATA_DIR: folder,
    }
    const { status, stderr } = spawnSync(process.execPath, [ownProgram], { env, encoding: "utf8", timeout: 60_000 })
    return { status, stderr }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()))
  }
}
