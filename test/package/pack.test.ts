/**
 * The package as a stranger has it: packed, installed into an empty folder, and used there: the command, the client, the kit for
 * tests with its types, and the example with its own test, on this Node and on others that the machine has.
 */
import { type SpawnSyncReturns, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { platformFault, thisPlatform } from "../../src/http/network/platform.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { adminUrl } from "../kit/test-database.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-package-"))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const project = join(folder, "project")
/** Where what is under test puts its own: nothing of others is taken for what it leaves. */
const temporary = join(folder, "temporary")

/** On Node 22 both copies of uWebSockets.js are installed: which one serves depends on the C library. */
const mostMegabytes = process.versions.node.startsWith("22.") ? 86 : 81
const patience = 300_000

/** Settings of the suite must not reach the stranger; npm's own do not tell the inner npm of the outer one's package. */
const environment = (path: string | undefined) => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PARLEY_|TAP|_TAP|npm_|NODE_OPTIONS)/i.test(name)),
  ),
  PATH: path,
  TMPDIR: temporary,
})

/** Without what tap has all of its children load, which it puts back into their environment. */
const run = (
  command: string,
  args: ReadonlyArray<string>,
  cwd = project,
  path = process.env["PATH"],
): SpawnSyncReturns<string> =>
  spawnSync("env", ["-u", "NODE_OPTIONS", command, ...args], {
    cwd,
    env: environment(path),
    encoding: "utf8",
    timeout: patience,
  })

const node = (args: ReadonlyArray<string>, cwd = project) => run(process.execPath, args, cwd)

const megabytesOf = (path: string): number =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0) / 1_000_000

/** What npm says where it reaches no registry, and has not kept what is missing. */
const unreachable = /ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/

/** Other versions of Node, each by its program: those of PATH, and of folders that version managers have. */
const otherNodes = (): ReadonlyArray<string> => {
  const found = new Map<string, string>()
  for (const place of (process.env["PATH"] ?? "").split(delimiter)) {
    const { stdout, status } = spawnSync(join(place, "node"), ["-p", "process.versions.node"], { encoding: "utf8" })
    const version = stdout?.trim() ?? ""
    if (status !== 0 || version === process.versions.node) continue
    // A newer one may want another C library than this machine has.
    if (platformFault({ ...thisPlatform(), node: version }) !== undefined) continue
    if (!found.has(version)) found.set(version, join(place, "node"))
  }
  return [...found.values()]
}

const test15 = `import assert from "node:assert/strict"
import { test } from "node:test"
import { startServer } from "parley-server/testing"

test("a message arrives", async () => {
  await using server = await startServer()
  const queue = await server.queue("cordelia", { event_types: ["message"] })
  const { id } = await server.as("hamlet").send({ type: "channel", to: "general", topic: "castle", content: "Words" })
  const { message } = await queue.next("message")
  assert.equal(message.id, id)
  assert.equal(message.sender_email, server.person("hamlet").email)
})
`

const asks = `import { Client, isRefused } from "parley-server/client"
const visitor = new Client({ server: "http://127.0.0.1:1" })
const answer = visitor.call("GET /server_settings", {}, { retries: false })
console.log(await answer.catch((error) => [error.constructor.name, isRefused(error)].join(" ")))
console.log(import.meta.resolve("parley-server/package.json").startsWith("file:"))
`

/** As a stranger may have them, and strict. */
const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  module: "nodenext",
  target: "es2022",
  skipLibCheck: false,
  types: ["node"],
  outDir: "built",
}

/** What is packed has nothing to do with the suite's database: it is tried in the runs without one. */
const skip = adminUrl !== undefined && "tried in the runs on the embedded database"

t.test("the package", { timeout: 2 * patience, skip }, async (t) => {
  mkdirSync(project)
  mkdirSync(temporary)
  // The build that is here is packed: the one that npm would make first is the same, and takes half a minute.
  const packed = run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], packageFile("."))
  t.equal(packed.status, 0, packed.stderr)
  const archive = packed.stdout.trim().split("\n").at(-1) ?? ""
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }))
  const install = ["install", "--prefer-offline", "--no-audit", "--no-fund", join(folder, archive)]
  const installed = run("npm", install)
  if (installed.status !== 0 && unreachable.test(installed.stderr)) {
    const why = `npm reaches no registry, and has not kept what an install needs: ${installed.stderr.split("\n")[0]}`
    t.pass("installed", { skip: why })
    return
  }
  t.equal(installed.status, 0, installed.stderr)

  await t.test("is small, and says whose its parts are", async (t) => {
    const size = megabytesOf(join(project, "node_modules"))
    t.comment(`${size.toFixed(1)} MB`)
    t.ok(size <= mostMegabytes, `${size} MB`)
    const own = join(project, "node_modules", "parley-server")
    const expected = [
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "SECURITY.md",
      "bin",
      "deploy",
      "dist",
      "docs",
      "package.json",
    ]
    t.same(readdirSync(own).sort(), expected)
    // docs/operations.md copies it from here.
    t.ok(existsSync(join(own, "deploy/parley.service")))
    const licences = readFileSync(join(own, "dist/THIRD-PARTY-LICENSES"), "utf8")
    for (const part of ["effect 4", "katex", "preact 10", "swagger-ui", "Copyright", "Permission is hereby granted"])
      t.ok(licences.includes(part), part)
  })

  await t.test("has the command", async (t) => {
    // The second is what npx takes of a package of that name.
    for (const command of ["parley", "parley-server"]) {
      const said = run("npx", ["--no-install", command, "--version"])
      t.match(said.stdout, /^parley \d+\.\d+\.\d+\n$/, said.stderr)
    }
    // Its input is at its end: it says what it is, and goes.
    const served = run("npx", ["--no-install", "parley", "test-server", "--json"])
    t.equal(served.status, 0, served.stderr)
  })

  await t.test("serves by npx, in a folder with nothing but the file", async (t) => {
    const place = join(folder, "place")
    mkdirSync(place)
    cpSync(join(folder, archive), join(place, archive))
    // What npx installs goes with this folder; what is fetched is the cache's that is there.
    const cache = join(folder, "cache")
    mkdirSync(cache)
    symlinkSync(join(run("npm", ["config", "get", "cache"]).stdout.trim(), "_cacache"), join(cache, "_cacache"))
    const port = await findFreePort()
    const args = ["-u", "NODE_OPTIONS", "npx", "--yes", "--prefer-offline", `./${archive}`, "--port", String(port)]
    const npx = spawn("env", args, {
      cwd: place,
      env: { ...environment(process.env["PATH"]), npm_config_cache: cache },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    const { pid } = npx
    if (pid === undefined) return void t.fail("npx does not start")
    const isAnswered = new Promise<string>((resolve) => {
      let said = ""
      for (const stream of [npx.stdout, npx.stderr])
        stream.on("data", (bytes: Buffer) => {
          said += bytes.toString("utf8")
          if (said.includes(`http://127.0.0.1:${port}`)) resolve(said)
        })
      npx.once("close", () => resolve(said))
    })
    const closed = once(npx, "close")
    try {
      const said = await isAnswered
      t.match(said, `http://127.0.0.1:${port}`)
      const health = await fetch(`http://127.0.0.1:${port}/health`)
      t.equal(health.status, 200)
      t.same(readdirSync(place).sort(), ["data", archive])
    } finally {
      // npx and the server, which is its child.
      process.kill(-pid, "SIGTERM")
      await closed
    }
  })

  await t.test("has the page to chat in", async (t) => {
    const names = readdirSync(join(project, "node_modules/parley-server/dist/page"))
    t.equal(names.filter((name) => /^(page|open-dialog)-\w+\.(js|css)\.(br|gz)$/.test(name)).length, 6, names.join(" "))
    t.ok(names.includes("index.json"))
  })

  await t.test("has the client", async (t) => {
    writeFileSync(join(project, "asks.js"), asks)
    t.equal(node(["asks.js"]).stdout, "Unanswered false\ntrue\n")
    const file = readFileSync(join(project, "node_modules/parley-server/dist/program/client.js"), "utf8")
    t.notMatch(file, /from "(?!\.\/client)/, "it needs nothing else")
  })

  await t.test("has the kit, with types that need nothing of ours", async (t) => {
    // Types of Node, as a stranger has them.
    cpSync(packageFile("node_modules/@types/node"), join(project, "node_modules/@types/node"), { recursive: true })
    cpSync(packageFile("node_modules/undici-types"), join(project, "node_modules/undici-types"), { recursive: true })
    writeFileSync(join(project, "first.test.ts"), test15)
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["first.test.ts"] }))
    const compiled = node([packageFile("node_modules/typescript/bin/tsc"), "-p", "."])
    t.equal(compiled.status, 0, `${compiled.stdout}${compiled.stderr}`)
    const tested = node(["--test", "built/first.test.js"])
    t.equal(tested.status, 0, `${tested.stdout}${tested.stderr}`)
    for (const name of readdirSync(join(project, "node_modules/parley-server/dist/types"), {
      recursive: true,
      encoding: "utf8",
    }))
      if (name.endsWith(".ts"))
        t.notMatch(
          readFileSync(join(project, "node_modules/parley-server/dist/types", name), "utf8"),
          /from "(?!\.)/,
          name,
        )
  })

  await t.test("runs the example's own test, here and on other versions of Node", async (t) => {
    // As in a checkout in which the program was packed.
    const example = join(folder, "examples", "echo-bot")
    cpSync(packageFile("examples/echo-bot"), example, { recursive: true })
    for (const program of [process.execPath, ...otherNodes()]) {
      // For each anew: what is native is installed for one version of Node.
      const path = `${dirname(program)}${delimiter}${process.env["PATH"]}`
      const got = run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], example, path)
      t.equal(got.status, 0, got.stderr)
      const tested = run(program, ["--test"], example)
      t.equal(tested.status, 0, `${program}: ${tested.stdout}`)
    }
  })

  await t.test("leaves nothing behind", async (t) => {
    const left = () => readdirSync(temporary).filter((name) => name.startsWith("parley"))
    t.same(left(), [])
  })
})
