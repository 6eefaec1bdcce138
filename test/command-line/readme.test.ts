/**
 * "Run it for real" of README.md: its lines lead from an empty PostgreSQL database to a first message. They are run by bash
 * as they stand there, but for the database, the port and what a person would type: passwords and a second terminal.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { adminUrl, createFolder, createPostgresDatabase } from "../kit/test-database.ts"

/** The lines of the section that are code. */
const readLines = (): string => {
  const [, section = ""] =
    /\n## Run it for real\n([\s\S]*?)\n## /.exec(readFileSync(packageFile("README.md"), "utf8")) ?? []
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, lines = ""]) => lines).join("")
}

/** The server runs beside the lines that follow, and each command is given a password. */
const prelude = (port: number) => `
set -euo pipefail
npm() {
  command npm "$@" &
  server=$!
  trap 'kill $server; wait $server || true' EXIT
  until curl -sf http://127.0.0.1:${port}/ready > /dev/null; do kill -0 $server; sleep 0.1; done
}
node() { command node "$@" <<< 'a long password'; }
`

t.test(
  "the lines of README.md make an organization, accounts and messages",
  { skip: adminUrl === undefined },
  async (t) => {
    if (adminUrl === undefined) return
    const url = await createPostgresDatabase(t, adminUrl)
    const [port, folder] = [await findFreePort(), await createFolder(t)]
    const lines = readLines()
      .replace(/DATABASE_URL=\S+/, `DATABASE_URL='${url}'`)
      .replaceAll(":9991/", `:${port}/`)
    t.match(lines, /org create[\s\S]*npm start[\s\S]*user create[\s\S]*curl/)
    const { PATH = "", HOME = folder } = process.env
    const child = spawn("bash", ["-c", `${prelude(port)}${lines}`], {
      cwd: packageFile("."),
      env: { PATH, HOME, PARLEY_PORT: String(port), PARLEY_DATA_DIR: join(folder, "data") },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    })
    t.teardown(() => {
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    })
    const said: Array<string> = []
    child.stdout.on("data", (chunk: Buffer) => said.push(chunk.toString("utf8")))
    child.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString("utf8")))
    await once(child, "close")
    const all = said.join("")
    t.equal(child.exitCode, 0, all)
    t.match(all, /^Organization Example at chat\.example\nOwner Ann Owner, ann@chat\.example\nAPI key \w{32}\n/)
    t.match(all, /Bob Member, bob@chat\.example, is a new member of chat\.example\n/)
    t.equal([...all.matchAll(/"result":"success"/g)].length, 2, all)
  },
)
