/** `parley test-server` ends with whoever started it, however that ends; its data, and what is no business of its own. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, readdirSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { isListenedTo } from "../../src/testing/find-leaks.ts"
import { personOf, request } from "../kit/client.ts"
import { until } from "../kit/test-database.ts"
import { folderOf, only, patience, startTestServer, type Told } from "./test-server-process.ts"

t.test("an empty organization, as text, until a signal", only, async (t) => {
  const { child, ended, text, folder } = startTestServer(t, ["--empty"])
  await until("it prints", patience, () => text().includes("owner\n"))
  t.match(text(), /^http:\/\/127\.0\.0\.1:\d+\n {2}owner@empty\.example {2}\w{32} {2}owner\n$/)
  child.kill("SIGTERM")
  t.same(await ended, [0, null])
  t.same(readdirSync(folder), [])
})

t.test("it ends with its parent, without any input", only, async (t) => {
  const folder = folderOf(t)
  const parent = `
    const { spawn } = require("node:child_process")
    const args = [${JSON.stringify(packageFile("bin/parley.js"))}, "test-server", "--json"]
    spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] })`
  const child = spawn(process.execPath, ["-e", parent], {
    env: { PATH: process.env["PATH"], TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  })
  t.teardown(() => child.kill("SIGKILL"))
  const [line] = await once(child.stdout, "data")
  const { port }: Told = JSON.parse(String(line))
  child.kill("SIGKILL")
  await until("it has gone, too", patience, async () => !(await isListenedTo(port)))
  await until("its folder has gone", patience, () => readdirSync(folder).length === 0)
})

t.test("what is in a data folder is there again, under the same keys", only, async (t) => {
  const data = folderOf(t)
  const begin = () => startTestServer(t, ["--json", "--data-dir", data])
  const first = begin()
  const one = await first.told()
  const [owner] = one.people
  if (owner === undefined) throw new Error("there is nobody")
  const person = { email: owner.email, key: owner.apiKey }
  const id = await personOf(one.url, person).send("general", "kept")
  first.child.kill("SIGKILL")
  await first.ended
  const second = begin()
  const two = await second.told()
  const path = `/messages/${id}`
  t.match((await request(two.url, "GET", path, {}, { account: person })).body, { raw_content: "kept" })
})

t.test("settings of the environment are somebody else's", only, async (t) => {
  const elsewhere = join(folderOf(t), "data")
  const { child, told, ended, complaint } = startTestServer(t, ["--json"], {
    DATABASE_URL: "postgres://nobody@127.0.0.1:1/nothing",
    PORT: "1",
    PARLEY_PORT: "many",
    PARLEY_DATA_DIR: elsewhere,
    PARLEY_MODE: "production",
    PARLEY_SECRET: "short",
    PARLEY_SMTP_HOST: "127.0.0.1",
    PARLEY_NONSENSE: "1",
  })
  const { people } = await told()
  t.equal(people[0]?.email, "owner@demo.example")
  child.stdin.end()
  t.same(await ended, [0, null])
  t.equal(complaint(), "")
  t.notOk(existsSync(elsewhere))
})

t.test("a real organization gets no accounts, and its keys stay unknown", only, async (t) => {
  const data = folderOf(t)
  const parley = (...args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [packageFile("bin/parley.js"), ...args, "--data-dir", data], {
      env: { PATH: process.env["PATH"] },
      encoding: "utf8",
    })
  const owner = ["--owner-email", "ann@chat.example.org", "--owner-name", "Ann", "--no-password"]
  const made = parley("org", "create", "chat.example.org", "--name", "Chat", ...owner)
  t.equal(made.status, 0, made.stderr)
  const before = parley("org", "list").stdout
  t.match(before, /chat\.example\.org/)
  for (const args of [[], ["--empty"]]) {
    const { ended, text, complaint } = startTestServer(t, ["--json", "--data-dir", data, ...args])
    t.same(await ended, [2, null])
    t.equal(text(), "")
    t.match(
      complaint(),
      /^parley: The database holds the organization chat\.example\.org, which is not .*: it is left alone\n$/,
    )
  }
  const after = parley("org", "list")
  t.equal(after.stdout, before, after.stderr)
  t.not(parley("user", "api-key", "hamlet@demo.example").status, 0)
})

t.test("a port that is taken is said, and the command ends", only, async (t) => {
  const squatter = createServer()
  await new Promise<void>((resolve) => squatter.listen(0, "127.0.0.1", resolve))
  t.teardown(() => squatter.close())
  const address = squatter.address()
  if (address === null || typeof address === "string") throw new Error("there is no port")
  // Its input stays open, and whoever started it stays here.
  const { child, folder, ended, complaint } = startTestServer(t, ["--port", String(address.port)])
  await until("it ends", patience, () => child.exitCode !== null)
  t.same(await ended, [2, null])
  t.match(complaint(), /^parley: Cannot listen on 127\.0\.0\.1:\d+: taken by another process[^\n]*\n$/)
  await until("its folder is gone", patience, () => readdirSync(folder).length === 0)
})
