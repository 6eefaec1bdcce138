/** Programs with servers of the kit end by themselves: where a start fails, and where a test fails in the middle. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { adminUrl, until } from "../kit/test-database.ts"

const patience = 120_000
const kit = new URL("../../src/testing/index.js", import.meta.url).href

/** What the program prints, once it has ended and has left no folder. */
const runProgram = async (t: Test, program: string): Promise<ReadonlyArray<string>> => {
  const temporary = mkdtempSync(join(tmpdir(), "parley-ends-"))
  t.teardown(() => rmSync(temporary, { recursive: true, force: true }))
  const whole = `const { startServer, withServer } = await import("${kit}")\n${program}`
  const child = spawn(process.execPath, ["--input-type=module", "-e", whole], {
    env: { PATH: process.env["PATH"], TMPDIR: temporary },
    stdio: ["ignore", "pipe", "inherit"],
  })
  t.teardown(() => child.kill("SIGKILL"))
  const ended = once(child, "close")
  let out = ""
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString("utf8")
  })
  await until(`it ends by itself, after ${JSON.stringify(program)}`, patience, () => child.exitCode !== null)
  await ended
  await until("its folder is gone", patience, () => readdirSync(temporary).length === 0)
  return out.trim().split("\n")
}

const onTakenPort = (options: string) => `
  const { createServer } = await import("node:net")
  const squatter = createServer()
  await new Promise((resolve) => squatter.listen(0, "127.0.0.1", resolve))
  const { port } = squatter.address()
  await startServer({ port, ${options} }).catch((error) => console.log(error.message))
  squatter.close()`

t.test("whatever ends the process leaves no folder, and its arguments do not disturb", async (t) => {
  const temporary = mkdtempSync(join(tmpdir(), "parley-ends-"))
  t.teardown(() => rmSync(temporary, { recursive: true, force: true }))
  const program = `const { startServer } = await import("${kit}")
    await (await startServer({ organization: "empty" })).join("ann")
    console.log("started")`
  const ends: ReadonlyArray<readonly [string, NodeJS.Signals | null]> = [
    ["process.exit(3)", null],
    ["throw new Error('of the program')", null],
    ["", "SIGTERM"],
    ["", "SIGKILL"],
  ]
  for (const [end, signal] of ends) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", `${program}\n${end}`], {
      env: { PATH: process.env["PATH"], TMPDIR: temporary },
      stdio: ["ignore", "pipe", "ignore"],
    })
    const ended = once(child, "close")
    t.match(String((await once(child.stdout, "data"))[0]), /started/)
    if (signal !== null) child.kill(signal)
    await ended
    await until(`${end}${signal}: the folder is gone`, 10_000, () => readdirSync(temporary).length === 0)
  }
})

/** These servers have the embedded database, whatever the suite has. */
const only = { skip: adminUrl !== undefined && "tried in the runs on the embedded database" }

t.test("a port that is taken", only, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "parley-ends-data-"))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const options of ["", `process: "child"`, `dataFolder: ${JSON.stringify(folder)}`]) {
    const [why] = await runProgram(t, onTakenPort(options))
    t.match(why, /^(the server ended: parley: )?Cannot listen on 127\.0\.0\.1:\d+: taken by another process/, options)
  }
})

t.test("its database is lent again", only, async (t) => {
  const program = `${onTakenPort("")}
    await withServer(({ people }) => console.log(people.length > 0))`
  t.same((await runProgram(t, program)).slice(1), ["true"])
})

t.test("a setting that is wrong", only, async (t) => {
  for (const process of ["this", "child"]) {
    const options = `{ process: "${process}", settings: { PARLEY_MAX_MESSAGE_LENGTH: "many" } }`
    const said = await runProgram(t, `await startServer(${options}).catch((error) => console.log(error.message))`)
    t.match(said[0], /^PARLEY_MAX_MESSAGE_LENGTH is "many"/, process)
  }
})

t.test("a test that fails while somebody reads", only, async (t) => {
  const program = `
    const listen = async (reader) => {
      for await (const item of reader) if (item.kind === "state") console.log("reads")
    }
    const listening = []
    await withServer(async (server) => {
      const reader = server.as("bot").read({ event_types: ["message"] })
      await new Promise((resolve) => {
        const log = console.log
        console.log = (...all) => resolve(log(...all))
        listening.push(listen(reader))
      })
      throw new Error("of the test")
    }).catch((error) => console.info(error.message))
    await Promise.all(listening)`
  t.same(await runProgram(t, program), ["reads", "of the test"])
})
