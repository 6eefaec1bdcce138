/**
 * A disk that is really full, or read-only: a small file system in memory, on which the embedded database lies, or only
 * its write-ahead log. It takes the right to mount one; without it these tests are skipped.
 */
import { spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import t, { type Test } from "tap"
import { findFreePort } from "../../src/testing/free-port.ts"
import type { Person } from "../kit/client.ts"
import { originOf, Program, signIn } from "../kit/program.ts"
import { createFolder, until } from "../kit/test-database.ts"
import { inTime, timeout } from "./budget.ts"

const mount = (...args: ReadonlyArray<string>): boolean => spawnSync("mount", args).status === 0

const mountAt = (t: Test, folder: string, megabytes: number): boolean => {
  const isMounted = mount("-t", "tmpfs", "-o", `size=${megabytes}m,mode=700`, "tmpfs", folder)
  if (isMounted) t.teardown(() => spawnSync("umount", ["-l", folder]))
  return isMounted
}

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Fills the file system but for `leave` bytes; answers what frees it. */
const fill = (folder: string, leave: number): (() => void) => {
  const path = join(folder, "filler")
  const file = openSync(path, "w")
  while (freeBytes(folder) > leave) writeSync(file, Buffer.alloc(Math.min(65_536, freeBytes(folder) - leave)))
  closeSync(file)
  return () => rmSync(path)
}

const statusOf = async (port: number): Promise<unknown> => {
  const answer = await fetch(`${originOf(port)}/ready`)
  return { status: answer.status, body: await answer.json() }
}

/** One send at a time until one fails, or `isOver`; answers its status, null where the connection was cut. */
const sendUntilRefused = async (person: Person, isOver = () => false): Promise<number | null> => {
  for (;;) {
    const content = randomBytes(3500).toString("base64")
    const fields = { type: "channel", to: "general", topic: "t", content }
    const answer = await person.post("/messages", fields).catch(() => null)
    if (answer?.status !== 200 || isOver()) return answer?.status ?? null
  }
}

const linesOf = (program: Program, part: string): number =>
  program.err.split("\n").filter((line) => line.includes(part)).length

t.setTimeout(timeout)

const canMount = (): boolean => {
  const folder = mkdtempSync(join(tmpdir(), "parley-test-"))
  const can = mount("-t", "tmpfs", "-o", "size=1m", "tmpfs", folder)
  if (can) spawnSync("umount", [folder])
  rmdirSync(folder)
  return can
}

const parts = ["data is full", "log is full", "read-only"] as const
const tried = inTime(parts, "disk")
const optionsOf = (part: (typeof parts)[number]) => {
  if (!canMount()) return { skip: "mounting a small file system is not permitted here" }
  return tried.includes(part) ? {} : { skip: "tried by another short run" }
}

t.test("the disk of the data folder is full", optionsOf("data is full"), async (t) => {
  const parent = await createFolder(t)
  t.ok(mountAt(t, parent, 96))
  const port = await findFreePort()
  const flags = ["--port", String(port), "--data-dir", join(parent, "data")]
  const program = new Program(t, flags)
  t.equal(await program.port(), port)
  const member = await signIn(port, "member")
  const free = fill(parent, 200_000)
  t.equal(await sendUntilRefused(member), 503)
  t.same(await statusOf(port), { status: 503, body: { status: "writes fail, only reads are served" } })
  t.equal((await member.get("/messages", { anchor: "newest", num_before: 1, num_after: 0 })).status, 200)
  for (let n = 0; n < 300; n++) t.equal(await sendUntilRefused(member), 503)
  t.equal(linesOf(program, "writes fail, only reads are served: could not extend file"), 1, program.err)
  free()
  await until("it is ready by itself", 60_000, async () => (await fetch(`${originOf(port)}/ready`)).status === 200)
  t.equal(linesOf(program, "writes work again, after"), 1, program.err)
  t.match(await member.send("general", "there is room"), Number)

  await t.test("a start on a full disk is refused in one line", async (t) => {
    program.signal("SIGTERM")
    t.same(await program.ended, { code: 0, signal: null })
    for (const folder of ["data", "another"]) {
      const freeAgain = fill(parent, 0)
      const refused = new Program(t, ["--port", String(port), "--data-dir", join(parent, folder)])
      // An old folder may still open: its tables have room for the rows of a start.
      const { code } = await Promise.race([refused.ended, refused.listens().then(() => ({ code: "it listens" }))])
      t.ok(code === 2 || folder === "data", `${folder}: ${code}`)
      if (code === 2) t.match(refused.err, /^parley: [^\n]*[Nn]o space left on device[^\n]*\n$/)
      await refused.kill()
      freeAgain()
    }
  })
})

t.test("the disk of the write-ahead log is full", optionsOf("log is full"), async (t) => {
  const folder = await createFolder(t)
  const port = await findFreePort()
  const flags = ["--port", String(port), "--data-dir", folder]
  const first = new Program(t, flags)
  await first.listens()
  first.signal("SIGTERM")
  await first.ended
  const log = join(folder, "database", "cluster", "pg_wal")
  const kept = await createFolder(t)
  cpSync(log, kept, { recursive: true })
  mkdirSync(log, { recursive: true })
  t.ok(mountAt(t, log, 14))
  cpSync(kept, log, { recursive: true })
  chmodSync(log, 0o700)

  const program = new Program(t, flags)
  await program.listens()
  const member = await signIn(port, "member")
  let isOver = false
  const refusal = sendUntilRefused(member, () => isOver)
  await until("the database is lost", 120_000, async () => (await fetch(`${originOf(port)}/ready`)).status === 503)
  t.equal(await sendUntilRefused(member), 503)
  t.equal(linesOf(program, "the database is lost and opened again: could not write to"), 1, program.err)
  // A job that came meanwhile says so as well.
  t.equal(linesOf(program, "WARN") - linesOf(program, 'the job "'), 2, "the second says that writes fail")
  isOver = true
  t.ok(mount("-o", "remount,size=200m", log))
  await until("it is ready by itself", 60_000, async () => (await fetch(`${originOf(port)}/ready`)).status === 200)
  t.match(await member.send("general", "there is room"), Number)
  t.ok([200, 503, null].includes(await refusal), "the send that met the full disk ends as well")
})

t.test("the disk of the data folder is read-only", optionsOf("read-only"), async (t) => {
  const parent = await createFolder(t)
  t.ok(mountAt(t, parent, 96))
  const flags = (folder: string) => ["--port", "0", "--data-dir", join(parent, folder)]
  const first = new Program(t, flags("data"))
  await first.listens()
  first.signal("SIGTERM")
  await first.ended
  t.ok(mount("-o", "remount,ro", parent))
  for (const folder of ["data", "another"]) {
    const program = new Program(t, flags(folder))
    t.same(await program.ended, { code: 2, signal: null }, folder)
    t.match(program.err, /^parley: The data folder [^\n]* cannot be used: EROFS[^\n]*\n$/)
    t.equal(program.out, "")
  }
})
