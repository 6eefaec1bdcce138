/**
 * "From an empty machine" of docs/operations.md leads to a first message. Its SQL is run, and its last lines by bash as they
 * stand there, but for what needs the whole machine: packages, the service's user and systemd.
 */

import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import t from "tap"
import { packageFile } from "../../src/db/package-root.ts"
import { findFreePort } from "../../src/testing/free-port.ts"
import { administer, adminUrl, createFolder } from "../kit/test-database.ts"

const [, section = ""] =
  /\n## From an empty machine\n([\s\S]*?)\n## /.exec(readFileSync(packageFile("docs/operations.md"), "utf8")) ?? []

/** The blocks of a language, joined. */
const blocks = (language: string): string =>
  [...section.matchAll(/```(\w+)\n([\s\S]*?)```/g)]
    .filter(([, name]) => name === language)
    .map(([, , lines = ""]) => lines)
    .join("")

/** The server runs beside the lines that follow, and each command is given a password. */
const prelude = (port: number) => `
set -euo pipefail
as_parley() { command node bin/parley.js "$@" <<< 'a long password'; }
cp() { test "\${1##*/}" = parley.service; }
systemctl() {
  [ "$1" = enable ] || return 0
  command node bin/parley.js &
  server=$!
  trap 'kill $server; wait $server || true' EXIT
}
curl() { command curl "\${@//:9991/:${port}}"; }
`

/** The settings of the file that the document writes, but for the database. */
const settings = (): Record<string, string> =>
  Object.fromEntries(
    [...section.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = "", value = ""]) => [
      name,
      value === "$(openssl rand -hex 32)" ? randomBytes(32).toString("hex") : value,
    ]),
  )

t.test("the lines make an organization, accounts and messages", { skip: adminUrl === undefined }, async (t) => {
  if (adminUrl === undefined) return
  const [port, folder] = [await findFreePort(), await createFolder(t)]
  const name = `parley_by_hand_${port}`
  for (const statement of blocks("sql").replaceAll("parley", name).trim().split("\n"))
    await administer(adminUrl, statement)
  t.teardown(async () => {
    await administer(adminUrl ?? "", `drop database ${name} with (force)`)
    await administer(adminUrl ?? "", `drop role ${name}`)
  })
  const { DATABASE_URL = "", ...others } = settings()
  const url = new URL(DATABASE_URL)
  url.port = new URL(adminUrl).port
  url.username = name
  url.pathname = name
  const lines = blocks("sh").replace(/^as_parley\(\) .*$/m, "")
  t.match(lines, /org create[\s\S]*systemctl[\s\S]*user create[\s\S]*curl/)
  const { PATH = "", HOME = folder } = process.env
  const child = spawn("bash", ["-c", `${prelude(port)}${lines}`], {
    cwd: packageFile("."),
    env: {
      PATH,
      HOME,
      ...others,
      DATABASE_URL: url.href,
      PARLEY_PORT: String(port),
      PARLEY_DATA_DIR: join(folder, "data"),
    },
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
})
