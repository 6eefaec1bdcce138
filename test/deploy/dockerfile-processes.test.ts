/**
 * deploy/Dockerfile without Docker: each stage is an empty folder, in which what COPY copies is copied and each RUN is run in order.
 * Left out: the line that makes /data for the user `node`, and USER, which need an image's own users; and the image that
 * FROM names: here it is this Node. Then CMD is started with ENV, and HEALTHCHECK asks it.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import t, { type Test } from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { adminUrl } from "../kit/test-database.ts"
import { commandOf, imageEnvironment, imageStage, ofImage, readDockerfile, type Stage } from "./dockerfile.ts"

const folder = mkdtempSync(join(tmpdir(), "parley-dockerfile-"))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

/** Needs the image's users. */
const ofUsers = "install --directory --owner=node --group=node --mode=0700 /data"
const patience = 600_000

/** Arguments of `env`: without what tap has all of its children load, which it puts back into their environment. */
const plainly = ["-u", "NODE_OPTIONS"]

/** The folder that stands for a stage's root. */
const rootOf = ({ name }: Stage): string => join(folder, name ?? "image")

/** Absolute paths of the file, below the stage's folder. */
const within = (root: string, command: string): string =>
  command.replaceAll(/(?<=\s)\/(?=(?:parley|packed|data|usr\/local\/bin)\b|parley-server|\s|$)/g, `${root}/`)

/** Settings of the suite must not reach what is built; npm's own do not tell the inner npm of the outer one's package. */
const environment = (own: Readonly<Record<string, string>>) => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(PARLEY_|PORT$|DATABASE_URL|TAP|_TAP|npm_|NODE_OPTIONS)/i.test(name),
    ),
  ),
  ...own,
})

/** What a build is given: the files of the checkout, but for those that deploy/Dockerfile.dockerignore leaves out. */
const copyContext = (target: string): void => {
  const ignored = readFileSync(packageFile("deploy/Dockerfile.dockerignore"), "utf8").split("\n")
  const names = new Set(ignored.filter((line) => line !== "" && !line.includes("*")))
  for (const name of ["node_modules", "dist", ".git", "data"]) t.ok(names.has(name), name)
  for (const name of readdirSync(packageFile(".")).filter((name) => !names.has(name) && !/\.tgz$/.test(name)))
    cpSync(packageFile(name), join(target, name), {
      recursive: true,
      filter: (from) => ![...names].some((each) => from === packageFile(each)) && !from.endsWith("/.env"),
    })
}

const copy = (stage: Stage, workdir: string, text: string): void => {
  const [, from] = /^--from=(\w+) /.exec(text) ?? []
  const words = text.split(" ").filter((word) => !word.startsWith("--"))
  const target = join(workdir, words.at(-1) ?? "")
  for (const source of words.slice(0, -1)) {
    if (from !== undefined) cpSync(join(folder, from, source), target, { recursive: true })
    else if (source === ".") copyContext(target)
    else cpSync(packageFile(source), join(target, source))
  }
  if (from !== undefined) t.ok(readDockerfile().some(({ name }) => name === from && name !== stage.name))
}

/** What npm says where it reaches no registry, and has not kept what is missing. */
const unreachable = /ENOTFOUND|EAI_AGAIN|ENETUNREACH|ECONNREFUSED|ETIMEDOUT|ENOTCACHED/

/** Does the instructions of a stage; what was run, or why it could not be. */
const build = (
  stage: Stage,
): { readonly ran: ReadonlyArray<string>; readonly output: string; readonly fault?: string } => {
  const root = rootOf(stage)
  mkdirSync(join(root, "usr/local/bin"), { recursive: true })
  const ran: Array<string> = []
  let workdir = root
  let output = ""
  for (const { name, text } of stage.instructions) {
    if (name === "WORKDIR") {
      workdir = join(root, text)
      mkdirSync(workdir, { recursive: true })
    } else if (name === "COPY") copy(stage, workdir, text)
    else if (name === "RUN" && text !== ofUsers) {
      // The cache of whoever runs this is not to be emptied.
      const command = within(root, text).replace(" && npm cache clean --force", "")
      const env = environment({ npm_config_prefer_offline: "true" })
      const did = spawnSync("env", [...plainly, "sh", "-ec", command], {
        cwd: workdir,
        env,
        encoding: "utf8",
        timeout: patience,
      })
      output += `${did.stdout}${did.stderr}`
      if (did.status !== 0) return { ran, output, fault: `${command}: ${did.stdout}${did.stderr}` }
      ran.push(text)
    }
  }
  return { ran, output }
}

/** What is packed has nothing to do with the suite's database: it is tried in the runs without one. */
const skip = adminUrl !== undefined && "tried in the runs on the embedded database"

t.test(
  "what the Dockerfile builds serves, and is healthy on the port that it is given",
  { timeout: 2 * patience, skip },
  async (t) => {
    const [packing, image, ...further] = readDockerfile()
    if (packing === undefined || image === undefined) throw new Error("two stages")
    t.same(further, [])
    for (const stage of [packing, image]) {
      const { ran, output, fault } = build(stage)
      if (fault !== undefined && unreachable.test(fault)) {
        t.pass("built", {
          skip: `npm reaches no registry, and has not kept what an install needs: ${fault.split("\n")[0]}`,
        })
        return
      }
      t.equal(fault, undefined)
      const runs = stage.instructions
        .filter(({ name, text }) => name === "RUN" && text !== ofUsers)
        .map(({ text }) => text)
      t.same(ran, runs)
      t.equal(output.match(/> node scripts\/build\.mjs/g)?.length ?? 0, stage === packing ? 1 : 0, "one build")
    }
    const place = join(rootOf(image), "parley")
    t.same(readdirSync(place).sort(), [
      ...[".npmrc", "CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", "bin", "deploy", "dist", "docs"],
      ...["node_modules", "package-lock.json", "package.json"],
    ])
    t.notOk(existsSync(join(place, "node_modules/typescript")), "nothing that only builds need")

    const serve = async (setting: "PARLEY_PORT" | "PORT", t: Test): Promise<void> => {
      const port = String(await findFreePort())
      const own = {
        ...imageEnvironment(),
        PARLEY_HOST: "127.0.0.1",
        PARLEY_DATA_DIR: join(rootOf(image), `data-${setting}`),
        PARLEY_SECRET: "8f2b41d09c6e7a35fd1820cb94e6537a",
        PARLEY_EXTERNAL_URL: "https://chat.example.org",
        [setting]: port,
        PATH: `${join(rootOf(image), "usr/local/bin")}:${dirname(process.execPath)}:${process.env["PATH"]}`,
      }
      const env = environment(own)
      const command = commandOf(ofImage("CMD")[0] ?? "")
      const server = spawn("env", [...plainly, ...command], { env, cwd: place, stdio: ["ignore", "pipe", "pipe"] })
      t.teardown(() => server.kill("SIGKILL"))
      let said = ""
      for (const stream of [server.stdout, server.stderr])
        stream.on("data", (bytes: Buffer) => {
          said += bytes.toString("utf8")
        })
      const closed = once(server, "close")
      const asks = commandOf(ofImage("HEALTHCHECK")[0] ?? "")
      const isHealthy = async () => {
        const [code] = await once(spawn("env", [...plainly, ...asks], { env, stdio: "ignore" }), "close")
        return code === 0
      }
      // As Docker does: again and again, for a while.
      const deadline = Date.now() + 120_000
      while (!(await isHealthy())) if (server.exitCode !== null || Date.now() > deadline) return void t.fail(said)
      server.kill("SIGTERM")
      t.same(await closed, [0, null], said)
      t.notOk(await isHealthy(), "without a server it is not")
    }
    await t.test("PARLEY_PORT", (t) => serve("PARLEY_PORT", t))
    await t.test("PORT", (t) => serve("PORT", t))
  },
)

t.test("installs come before the sources", async (t) => {
  for (const { instructions } of [...readDockerfile()]) {
    const texts = instructions.map(({ name, text }) => `${name} ${text}`)
    const installs = texts.findIndex((text) => text.startsWith("RUN npm ci"))
    t.equal(texts[installs - 1], "COPY package.json package-lock.json .npmrc ./")
    t.equal(texts.filter((text) => /npm (ci|install)\b/.test(text)).length, 1)
    for (const text of texts.slice(0, installs)) t.notMatch(text, /COPY (?!package\.json)/)
  }
  t.equal(imageStage().image, readDockerfile()[0]?.image, "what is native fits")
  t.same(ofImage("USER"), ["node"])
})
