/**
 * What more there is of the program as a process: refused starts, signals at any moment, kills, readers that go away, production.
 * The tests run three at a time, because most of what they take is the starts of programs.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Readable } from "node:stream"
import t from "tap"
import { packageFile } from "../src/db/package-root.ts"
import { findFreePort } from "../src/testing/free-port.ts"
import { type Fields, personOf, request } from "./kit/client.ts"
import { makeDemoFlags } from "./kit/demo-place.ts"
import { logOf, makeFlags, oneLine, originOf, Program, signIn, stopLine } from "./kit/program.ts"
import { RawConnection, requestBytes } from "./kit/raw-http.ts"
import { Reader } from "./kit/reader.ts"
import { startEnvironment } from "./kit/start-environment.ts"
import { createFolder, until } from "./kit/test-database.ts"

/** For tests that run beside each other. */
const buffered = { buffered: true }

/** The programs run in development mode, which answers to names of this machine only. */
const local = { Host: "localhost" }

const production = {
  PARLEY_MODE: "production",
  PARLEY_SECRET: "a secret for this test only, and long enough",
  PARLEY_EXTERNAL_URL: "https://chat.example.org",
}

t.test("the program as a process", async (t) => {
  t.jobs = 3

  void t.test("help goes to standard output, with code 0", buffered, async (t) => {
    const program = new Program(t, ["--help"])
    t.same(await program.ended, { code: 0, signal: null })
    t.match(program.out, /^parley: a team chat server\n[\s\S]*--data-dir <folder> {2}PARLEY_DATA_DIR\n/)
    t.equal(program.err, "", "nothing to complain of")
  })

  void t.test("the installed command sets what `npm start` sets, before node runs", buffered, async (t) => {
    const file = packageFile("bin/parley.js")
    const variables = Object.entries(startEnvironment).map(([name, value]) => `${name}=${value}`)
    const [firstLine] = readFileSync(file, "utf8").split("\n")
    t.equal(firstLine, `#!/usr/bin/env -S ${variables.join(" ")} node`)
    const child = spawn(file, ["--help"], { env: { PATH: process.env["PATH"] }, stdio: "ignore" })
    t.same(await once(child, "exit"), [0, null], "the system can start it by that line")
  })

  void t.test(
    "a start that is refused ends with code 2 and one line, and leaves nothing behind",
    buffered,
    async (t) => {
      const parent = await createFolder(t)
      const [file, foreign] = [join(parent, "file"), join(parent, "foreign")]
      writeFileSync(file, "")
      mkdirSync(join(foreign, "database"), { recursive: true })
      writeFileSync(join(foreign, "database", "notes.txt"), "")
      const secretless = join(parent, "secretless")
      mkdirSync(join(secretless, "secret"), { recursive: true })
      const cases: ReadonlyArray<readonly [folder: string, said: RegExp]> = [
        [secretless, new RegExp(`the secret in ${join(secretless, "secret")} is not usable: EISDIR`)],
        [file, new RegExp(`The data folder ${file} cannot be used`)],
        ["/proc/parley/data", /The data folder \/proc\/parley\/data cannot be used/],
        [foreign, new RegExp(`The folder ${join(foreign, "database")} holds notes\\.txt`)],
      ]
      await Promise.all(
        cases.map(async ([folder, said]) => {
          const program = new Program(t, ["--port", "0", "--data-dir", folder])
          t.same(await program.ended, { code: 2, signal: null }, folder)
          t.match(program.err, oneLine)
          t.match(program.err, said)
          t.equal(program.out, "")
        }),
      )
      t.same(readdirSync(parent, { recursive: true }).sort(), [
        "file",
        "foreign",
        "foreign/database",
        "foreign/database/notes.txt",
        "secretless",
        "secretless/secret",
      ])
    },
  )

  void t.test("servers that follow each other on the same data", buffered, async (t) => {
    const [flags, port] = [await makeDemoFlags(t), await findFreePort()]

    await t.test("a second server on the same port is refused in one line", async (t) => {
      const program = new Program(t, flags(port))
      t.equal(await program.port(), port)
      const parent = await createFolder(t)
      const onItsPort = new Program(t, ["--port", String(port), "--data-dir", join(parent, "new", "data")])
      t.equal((await onItsPort.ended).code, 2)
      t.match(onItsPort.err, oneLine, "on its port")
      t.match(onItsPort.err, `Cannot listen on 127.0.0.1:${port}: taken`)
      t.match(onItsPort.err, /; --port sets another port\n$/)
      for (const name of ["PARLEY_PORT", "PORT"]) {
        const byVariable = new Program(t, ["--data-dir", join(parent, "new", "data")], { [name]: String(port) })
        t.equal((await byVariable.ended).code, 2)
        t.match(byVariable.err, oneLine, name)
        t.match(byVariable.err, new RegExp(`; ${name} sets another port\n$`))
      }
      t.same(readdirSync(parent), [], "it has made nothing")
      t.equal((await fetch(`${originOf(port)}/ready`)).status, 200, "it has not noticed")
      program.signal("SIGTERM")
      t.same(await program.ended, { code: 0, signal: null })
    })

    await t.test("a second signal ends it at once, but not the same one that npm passes on", async (t) => {
      const program = new Program(t, flags(port))
      t.equal(await program.port(), port)
      // A request whose body never comes keeps the end waiting.
      const inFlight = new RawConnection(port)
      const { email, key } = (await signIn(port, "member")).account
      const bytes = requestBytes({
        method: "POST",
        path: "/api/v1/messages",
        headers: { ...local, Authorization: `Basic ${Buffer.from(`${email}:${key}`).toString("base64")}` },
        body: "type=channel",
      })
      inFlight.write(Buffer.concat([requestBytes({ path: "/health", headers: local }), bytes.subarray(0, -3)]))
      t.equal((await inFlight.next())?.status, 200, "so the head behind it has come, too")
      program.signal("SIGINT")
      await until("it ends", 10_000, () => program.log.includes(stopLine("SIGINT")))
      program.signal("SIGINT")
      const late = Symbol("it waits")
      const waited = new Promise((resolve) => setTimeout(() => resolve(late), 1200))
      t.equal(await Promise.race([program.ended, waited]), late, "the same signal by another way changes nothing")
      program.signal("SIGTERM")
      t.same(await program.ended, { code: 143, signal: null }, "what was in flight is not waited for")
      t.same(program.log, [stopLine("SIGINT"), "WARN SIGTERM again: this server ends at once"])
      inFlight.destroy()
    })

    await t.test("after a kill it starts again at once, with all acknowledged messages", async (t) => {
      const program = new Program(t, flags(port))
      t.equal(await program.port(), port, "the signals have damaged nothing")
      const owner = await signIn(port, "owner")
      const reader = new Reader(owner, port, await owner.must.post("/register", { event_types: ["message"] }))
      await owner.send("general", "before the kill")
      await program.kill()
      const next = new Program(t, flags(port))
      t.equal(await next.port(), port)
      t.match(await reader.take(1), [{ message: { content: "before the kill" } }], "its queue has waited")
      await owner.send("general", "after the kill")
      t.match(await reader.take(1), [{ message: { content: "after the kill" } }], "no event comes twice")
      t.equal((await owner.get("/users/me")).status, 200, "with the same key")
      const page = { anchor: "newest", num_before: 2, num_after: 0, apply_markdown: false }
      t.match(await owner.must.get("/messages", page), {
        messages: [{ content: "before the kill" }, { content: "after the kill" }],
      })
      next.signal("SIGTERM")
      t.same(await next.ended, { code: 0, signal: null })
    })

    await t.test("whoever reads its output may go away: it serves on", async (t) => {
      // It prints its banner, and the warning that all keys are void.
      const unread = new Program(t, [...flags(port), "--secret", "a third secret"])
      unread.closeOutput()
      const isReady = async () => (await fetch(`${originOf(port)}/ready`).catch(() => undefined))?.status === 200
      await until("it is ready", 60_000, async () => {
        if (!unread.isRunning) throw new Error("it has ended")
        return isReady()
      })
      const member = await signIn(port, "member")
      t.match(await member.send("general", "unread"), Number)
      unread.signal("SIGTERM")
      t.same(await unread.ended, { code: 0, signal: null })
    })
  })

  void t.test("where that is set it leaves first, and then ends", buffered, async (t) => {
    const [flags, port] = [await makeDemoFlags(t), await findFreePort()]
    const leaveLine = (seconds: number) =>
      `INFO SIGTERM: this server leaves: for ${seconds} s it serves on, and /ready says that it leaves`
    const long = new Program(t, flags(port), { PARLEY_LEAVE_SECONDS: "600" })
    t.equal(await long.port(), port)
    const owner = await signIn(port, "owner")
    const reader = new Reader(owner, port, await owner.must.post("/register", { event_types: ["message"] }))
    const held = reader.take(1)
    long.signal("SIGTERM")
    await until("it says that it leaves", 20_000, async () => (await fetch(`${originOf(port)}/ready`)).status === 503)
    await owner.send("general", "while it leaves")
    t.match(await held, [{ message: { content: "while it leaves" } }])
    await until("a later signal ends it at once", 20_000, () => {
      long.signal("SIGTERM")
      return !long.isRunning
    })
    t.same(await long.ended, { code: 143, signal: null })
    t.same(long.log, [leaveLine(600), "WARN SIGTERM again: this server ends at once"])

    const short = new Program(t, flags(port), { PARLEY_LEAVE_SECONDS: "1" })
    t.equal(await short.port(), port)
    short.signal("SIGTERM")
    t.same(await short.ended, { code: 0, signal: null })
    t.same(short.log, [leaveLine(1), stopLine("SIGTERM")])
  })

  void t.test("what stays when all is closed does not keep it, and its code stays", buffered, async (t) => {
    const NODE_OPTIONS = "--import=data:text/javascript,setInterval(()=>{},60_000)"
    for (const [flag, code] of [
      ["--help", 0],
      ["--no-such-flag", 2],
    ] as const) {
      const program = new Program(t, [flag], { NODE_OPTIONS })
      await until("it ends", 8000, () => !program.isRunning)
      t.same(await program.ended, { code, signal: null }, flag)
    }
  })

  void t.test("SIGTERM at any moment of a start ends it with code 0", buffered, async (t) => {
    const end = async (folder: string, moment: string, come: (out: Readable) => Promise<unknown>) => {
      const args = [packageFile("bin/parley.js"), "--port", "0", "--data-dir", folder]
      const child = spawn(process.execPath, args, {
        env: { PATH: process.env["PATH"] },
        stdio: ["ignore", "pipe", "pipe"],
      })
      t.teardown(() => child.kill("SIGKILL"))
      const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })))
      const complaints: Array<string> = []
      child.stderr.on("data", (chunk: Buffer) => complaints.push(chunk.toString("utf8")))
      await come(child.stdout)
      child.kill("SIGTERM")
      t.same(await ended, { code: 0, signal: null }, moment)
      t.same(logOf(complaints.join("")), [stopLine("SIGTERM")], moment)
    }
    const endOnceThereIs = async (file: string): Promise<string> => {
      const folder = await createFolder(t)
      const path = join(folder, file)
      await end(folder, `${file} is there`, () => until(`${path} is there`, 60_000, () => existsSync(path)))
      return folder
    }
    const [, stopped] = await Promise.all([endOnceThereIs("database"), endOnceThereIs("database/cluster")])
    // In the turn in which it comes: a look every few milliseconds would be too late to see what is to be seen.
    await end(stopped, "the banner comes, on what a stopped start has left", (out) => once(out, "data"))

    // The folder holds the demo organization now.
    const program = new Program(t, ["--port", "0", "--data-dir", stopped], production)
    t.equal((await program.ended).code, 2)
    t.match(program.err, /demo organization/)
    t.match(program.err, oneLine, "production does not serve it, because everybody knows its passwords")
  })

  void t.test("production on an empty database serves no organization, and says so", buffered, async (t) => {
    const [flags, port] = [await makeFlags(t), await findFreePort()]
    const program = new Program(t, flags(port), production)
    await program.listens()
    t.equal(program.out, "", "in production the log says all of it, for containers that have one stream")
    await until("it says that it serves nobody", 20_000, () => program.log.length > 0)
    t.match(program.log, [/^WARN The database holds no organization yet: parley org create makes one/])
    const lines = program.err.split("\n").filter((line) => line !== "")
    const serves = lines.map((line): unknown => JSON.parse(line))[0]
    t.match(serves, { address: "https://chat.example.org", listens: `http://127.0.0.1:${port}` })
    const ask = (method: string, path: string, fields: Fields = {}) => request(originOf(port), method, path, fields)
    const settings = await ask("GET", "/server_settings")
    t.match(settings, { status: 200, body: { zulip_feature_level: 417, authentication_methods: { dev: false } } })
    t.notOk("realm_name" in settings.body || "realm_url" in settings.body)
    const nobody = { status: 404, body: { result: "error", code: "NONEXISTENT_SUBDOMAIN" } }
    t.match(await ask("POST", "/fetch_api_key", { username: "a@b.c", password: "x" }), nobody)
    const someone = personOf(originOf(port), { email: "owner@demo.example", key: "k".repeat(32) })
    t.match(await someone.post("/register"), nobody)
    t.match(await ask("POST", "/dev_fetch_api_key", { username: "a@b.c" }), {
      status: 400,
      body: { code: "BAD_REQUEST" },
    })
    const ready = await fetch(`${originOf(port)}/ready`)
    t.equal(ready.status, 200, "an organization can be made")
    t.match(await ready.json(), { status: "ready", note: /^no organization is served yet: parley org create / })
    t.match(await (await fetch(`${originOf(port)}/`)).text(), /It serves no organization yet, so nobody can sign in/)
    program.signal("SIGTERM")
    t.same(await program.ended, { code: 0, signal: null })
  })

  void t.test("production at an address without TLS warns, and serves by the host's PORT", buffered, async (t) => {
    const [folder, port] = [await createFolder(t), await findFreePort()]
    const externalUrl = `http://127.0.0.1:${port}`
    const env = { ...production, PARLEY_EXTERNAL_URL: externalUrl, PORT: String(port) }
    const program = new Program(t, ["--data-dir", folder], env)
    t.equal(await program.port(), port)
    const warning = new RegExp(`^WARN PARLEY_EXTERNAL_URL is ${externalUrl}: .*TLS`)
    await until("it warns", 20_000, () => program.log.some((line) => warning.test(line)))
    await until("it says that it serves nobody", 20_000, () => program.log.length === 2)
    t.equal((await fetch(`${originOf(port)}/ready`)).status, 200)
    await program.kill()
  })
})
