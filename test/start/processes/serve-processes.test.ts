/**
 * `parley serve --processes`: several processes serve one port on one PostgreSQL database; one dies, all are replaced while a client
 * goes on, and all end. Nothing is tried on the embedded database, which has one process.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Predicate from "effect/Predicate"
import t, { type Test } from "tap"
import { markFile } from "../../../src/config/folder-mark-file.ts"
import { findFreePort } from "../../../src/testing/free-port.ts"
import { keyIn, org } from "../../command-line/empty-place.ts"
import { childrenOf, isAlive } from "../../kit/children.ts"
import { formOf } from "../../kit/client.ts"
import { oneLine, Program, servesMessage } from "../../kit/program.ts"
import { ask, bodyOf, KeptConnections } from "../../kit/raw-http.ts"
import { eventsOf } from "../../kit/reader.ts"
import { runCommand } from "../../kit/run-command.ts"
import { adminUrl, createFolder, createPostgresDatabase, until } from "../../kit/test-database.ts"

const skip =
  adminUrl === undefined
    ? "needs PostgreSQL"
    : process.platform !== "linux" && "several processes at one port need Linux"
const patience = 60_000

interface Place {
  readonly port: number
  readonly folder: string
  readonly env: Readonly<Record<string, string>>
  readonly flags: ReadonlyArray<string>
}

const makePlace = async (t: Test): Promise<Place> => {
  const [folder, port] = [await createFolder(t), await findFreePort()]
  const database = await createPostgresDatabase(t, adminUrl ?? "")
  return {
    port,
    folder,
    flags: ["--port", String(port), "--data-dir", folder],
    env: {
      PARLEY_MODE: "production",
      PARLEY_SECRET: "a secret for this test only, and long enough",
      PARLEY_EXTERNAL_URL: "https://first.example",
      PARLEY_RATE_LIMIT: "off",
      PARLEY_LEAVE_SECONDS: "1",
      DATABASE_URL: database,
    },
  }
}

const startFamily = (t: Test, { flags, env }: Place): Program =>
  new Program(t, ["serve", "--processes", "3", ...flags], env)

const says = (program: Program, text: string): boolean => program.log.some((line) => line.includes(text))

/** What the port says of itself on a new connection. */
const statusOf = async (port: number) => (await ask(port, { path: "/ready" }))?.status

const untilItSays = (program: Program, text: string) =>
  until(`it says: ${text}`, patience, () => {
    if (!program.isRunning) throw new Error(`it ended: ${program.err}`)
    return says(program, text)
  })

/** The numbers of the processes that have said that they serve, in that order. */
const served = (program: Program): ReadonlyArray<unknown> =>
  program.err
    .split("\n")
    .filter((line) => line.includes(servesMessage))
    .map((line): unknown => JSON.parse(line))
    .map((line) => (Predicate.hasProperty(line, "child") ? line.child : undefined))

/** A client that keeps its connection, and asks again where that ends before an answer; any other answer than 200 is a fault. */
const makeClient = (port: number, account: { readonly email: string; readonly key: string }, faults: Array<string>) => {
  const connections = new KeptConnections(port)
  const Authorization = `Basic ${Buffer.from(`${account.email}:${account.key}`).toString("base64")}`
  const call = async (method: "GET" | "POST", path: string, fields: Readonly<Record<string, unknown>>) => {
    const form = formOf(fields).toString()
    const request =
      method === "GET"
        ? { method, path: `/api/v1${path}?${form}`, headers: { Authorization } }
        : {
            method,
            path: `/api/v1${path}`,
            headers: { Authorization, "Content-Type": "application/x-www-form-urlencoded" },
            body: form,
          }
    for (;;) {
      const answer = await connections.ask(request)
      if (answer === undefined) continue
      if (answer.status !== 200) faults.push(`${method} ${path}: ${answer.status} ${answer.body}`)
      return bodyOf(answer)
    }
  }
  return { call, close: () => connections.close() }
}

t.test("three processes serve one port", { skip }, async (t) => {
  const place = await makePlace(t)
  const { port, flags, env, folder } = place
  const made = await runCommand([...org("first.example"), "--no-password", ...flags], env)
  t.match(made, { code: 0 })
  const ann = { email: "ann@first.example", key: keyIn(made.out) }
  const program = startFamily(t, place)
  await untilItSays(program, "3 processes serve one port")
  t.same([...childrenOf(program.pid).keys()].sort(), [1, 2, 3])

  await t.test("their lines, figures and sockets for commands are told apart", async (t) => {
    t.same([...served(program)].sort(), [1, 2, 3])
    t.equal(served(program)[0], 1, "the first one alone, then the others")
    const seen = new Set<string>()
    await until("each has answered", patience, async () => {
      const answer = await ask(port, { path: "/metrics", headers: { Host: "localhost" } })
      const [, child = ""] = /^parley_processes\{child="(\d)"\} 3$/m.exec(answer?.body ?? "") ?? []
      if (child !== "") seen.add(child)
      return seen.size === 3
    })
    t.equal(readdirSync(folder).filter((name) => name.endsWith(".sock")).length, 3)
    t.match(await runCommand(["org", "list", ...flags], env), { code: 0, out: /first\.example/ })
  })

  await t.test("another family at the port, and a server alone, are refused in one line", async (t) => {
    const refused = [startFamily(t, place), new Program(t, flags, { ...env, PARLEY_PROCESSES: "many" })]
    for (const other of refused) {
      t.same(await other.ended, { code: 2, signal: null })
      t.match(other.err, oneLine)
      t.match(other.err, `Cannot listen on 127.0.0.1:${port}: taken by another process`)
    }
    t.equal(await statusOf(port), 200)
  })

  await t.test("one that is killed comes back", async (t) => {
    const before = childrenOf(program.pid)
    process.kill(before.get(2) ?? 0, "SIGKILL")
    await untilItSays(program, "process 2 has ended (SIGKILL), and is started again in 1 s")
    t.equal(await statusOf(port), 200, "the others serve")
    await until("it serves again", patience, () => served(program).length === 4)
    t.equal(served(program)[3], 2)
    const after = childrenOf(program.pid)
    t.same([after.get(1), after.get(3)], [before.get(1), before.get(3)], "the others are those that were there")
    t.match(await runCommand(["org", "list", ...flags], env), { code: 0, out: /first\.example/ })
  })

  await t.test(
    "all are replaced while a client sends and polls: nothing is lost, and nothing comes twice",
    async (t) => {
      const faults: Array<string> = []
      const [sender, poller] = [makeClient(port, ann, faults), makeClient(port, ann, faults)]
      const registered = await poller.call("POST", "/register", { event_types: ["message"] })
      const before = [...childrenOf(program.pid).values()]
      const [sent, read]: [Array<string>, Array<string>] = [[], []]
      let isOver = false
      const sending = (async () => {
        const queue = String((await sender.call("POST", "/register", { event_types: ["message"] }))["queue_id"])
        for (let n = 0; !isOver; n++) {
          const content = `message ${n}`
          const to = { type: "channel", to: "general", topic: "roll" }
          await sender.call("POST", "/messages", { ...to, content, queue_id: queue, local_id: String(n) })
          sent.push(content)
        }
      })()
      const polling = (async () => {
        let last = Number(registered["last_event_id"])
        while (!(isOver && read.length >= sent.length)) {
          const body = await poller.call("GET", "/events", { queue_id: registered["queue_id"], last_event_id: last })
          if (faults.length > 0) return
          for (const event of eventsOf(body["events"])) {
            if (event.id <= last) faults.push(`id ${event.id} came after ${last}`)
            last = event.id
            const { message } = event
            if (Predicate.hasProperty(message, "content")) read.push(String(message.content).replace(/<\/?p>/g, ""))
          }
        }
      })()
      await until("it sends", patience, () => read.length > 20)
      program.signal("SIGHUP")
      await untilItSays(program, "the roll is over: all processes are new")
      const then = read.length
      await until("it sends on", patience, () => read.length > then + 20 || faults.length > 0)
      isOver = true
      await sending
      await polling
      t.same(faults, [])
      t.same(read, sent, `${sent.length} messages`)
      const after = childrenOf(program.pid)
      t.equal(after.size, 3)
      for (const pid of before) t.notOk(isAlive(pid) || [...after.values()].includes(pid))
      t.equal(served(program).length, 7, "three more have begun to serve")
      t.ok(says(program, "another process takes its place: this server leaves: for 1 s it serves those"))
      for (const client of [sender, poller]) client.close()
    },
  )

  await t.test("a new process that is refused ends the roll, and the old ones stay", async (t) => {
    const before = childrenOf(program.pid)
    const mark = join(folder, "files", markFile)
    const text = readFileSync(mark, "utf8")
    writeFileSync(mark, JSON.stringify({ database: "another", kind: "postgres", place: "elsewhere" }))
    program.signal("SIGHUP")
    await untilItSays(program, "was to take another's place and was not ready (exit code 2): the roll ends")
    writeFileSync(mark, text)
    t.same([...childrenOf(program.pid)], [...before])
    t.equal(await statusOf(port), 200)
  })

  await t.test("SIGTERM ends all", async (t) => {
    const pids = [...childrenOf(program.pid).values()]
    t.equal(pids.length, 3)
    program.signal("SIGTERM")
    t.same(await program.ended, { code: 0, signal: null })
    for (const pid of pids) t.notOk(isAlive(pid))
    const ends = program.log.filter((line) => line.startsWith("INFO SIGTERM: this server"))
    t.equal(ends.filter((line) => line.includes("this server leaves: for 1 s it serves on")).length, 3)
    t.equal(ends.filter((line) => line.includes("this server ends")).length, 3)
    t.same(
      readdirSync(folder).filter((name) => name.endsWith(".sock")),
      [],
    )
  })
})

t.test("a first start that is refused, and a parent that is killed", { skip }, async (t) => {
  const place = await makePlace(t)
  const mark = join(place.folder, "files", markFile)

  await t.test("a second signal ends all at once", async (t) => {
    const program = startFamily(t, { ...place, env: { ...place.env, PARLEY_LEAVE_SECONDS: "600" } })
    await untilItSays(program, "3 processes serve one port")
    const pids = [...childrenOf(program.pid).values()]
    program.signal("SIGTERM")
    await untilItSays(program, "this server leaves: for 600 s it serves on")
    await until("the port is not ready any more", patience, async () => (await statusOf(place.port)) === 503)
    await until("a later signal ends it", patience, () => {
      program.signal("SIGTERM")
      return !program.isRunning
    })
    t.same(await program.ended, { code: 143, signal: null })
    await until("all are gone", patience, () => !pids.some(isAlive))
  })

  await t.test("the end of the parent ends all", async (t) => {
    const program = startFamily(t, place)
    await untilItSays(program, "3 processes serve one port")
    const pids = [...childrenOf(program.pid).values()]
    t.equal(pids.length, 3)
    await program.kill()
    await until("all are gone", patience, () => !pids.some(isAlive))
    const next = startFamily(t, place)
    await untilItSays(next, "3 processes serve one port")
    next.signal("SIGINT")
    t.same(await next.ended, { code: 0, signal: null }, "the port is free for the next one")
  })

  await t.test("what is wrong for the first is one line, with code 2", async (t) => {
    writeFileSync(mark, JSON.stringify({ database: "another", kind: "postgres", place: "elsewhere" }))
    const program = startFamily(t, place)
    t.same(await program.ended, { code: 2, signal: null })
    t.match(program.err, oneLine)
    t.match(program.err, /The files in .* belong to /)
    const secretless = startFamily(t, { ...place, env: { ...place.env, PARLEY_SECRET: "" } })
    t.same(await secretless.ended, { code: 2, signal: null })
    t.match(secretless.err, /^parley: PARLEY_SECRET is needed in production: [^\n]+\n$/)
  })
})
