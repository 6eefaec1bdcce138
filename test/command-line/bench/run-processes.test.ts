/** `parley bench` as a process, with a server of its own: to its end, interrupted, and killed. */
import { readdirSync, readFileSync } from "node:fs"
import { platform } from "node:os"
import t from "tap"
import { Program } from "../../kit/program.ts"
import { adminUrl, createFolder, until } from "../../kit/test-database.ts"
import { isWhole, Printed } from "./report.ts"

const patience = 60_000

/** Processes of servers with their data below a folder. Linux only. */
const serversIn = (folder: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`PARLEY_DATA_DIR=${folder}`)
      } catch {
        return false
      }
    })

const groupOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2])
}

/** The bench's own server has the embedded database, whatever the suite has. */
const skip = adminUrl !== undefined && "tried in the runs on the embedded database"

t.test("as a process, with a server of its own, which is gone afterwards", { skip }, async (t) => {
  const folder = await createFolder(t)
  const start = (...argv: ReadonlyArray<string>) => new Program(t, ["bench", ...argv], { TMPDIR: folder })

  await t.test("to its end", async (t) => {
    const program = start("fan-out", "--queues", "3", "--seconds", "1", "--in-flight", "2", "--json")
    t.same(await program.ended, { code: 0, signal: null }, program.err)
    const { server, outcomes } = Printed(program.out)
    t.equal(server.isOwn, true)
    t.equal(outcomes.length, 1)
    for (const outcome of outcomes) isWhole(t, outcome)
    t.same(readdirSync(folder), [])
  })

  await t.test("interrupted: what was measured is printed", async (t) => {
    const program = start(
      "rate",
      "fan-out",
      "--queues",
      "2",
      "--seconds",
      "2",
      "--in-flight",
      "1,1,1,1,1,1,1,1",
      "--json",
    )
    await until("it measures the second", patience, () =>
      program.err.includes("bench: fan-out: 2 sockets, 1 in flight\n"),
    )
    program.signal("SIGINT")
    t.same(await program.ended, { code: 2, signal: null }, program.err)
    t.match(program.err, /\nparley: interrupted; what was measured before stands above\n$/)
    const report = Printed(program.out)
    t.equal(report.isInterrupted, true)
    t.equal(report.outcomes[0]?.scenario, "rate")
    t.same(readdirSync(folder), [])
  })

  await t.test(
    "interrupted twice at once, as npm does, and in a group of its own",
    { skip: platform() !== "linux" },
    async (t) => {
      const program = start("rate", "--queues", "2", "--seconds", "600")
      await until("it measures", patience, () => program.err.includes("bench: rate: "))
      for (const pid of serversIn(folder)) t.equal(groupOf(pid), pid)
      program.signal("SIGINT")
      await until("it clears away", patience, () => program.err.includes("bench: clearing away"))
      program.signal("SIGINT")
      t.match(await program.ended, { code: 2, signal: null }, program.err)
      t.same(readdirSync(folder), [])
    },
  )

  await t.test("killed: its server ends, too", { skip: platform() !== "linux" }, async (t) => {
    const program = start("rate", "--queues", "2", "--seconds", "600")
    await until("it measures", patience, () => program.err.includes("bench: rate: "))
    t.equal(serversIn(folder).length, 1)
    await program.kill()
    await until("the server has gone", patience, () => serversIn(folder).length === 0)
  })
})
