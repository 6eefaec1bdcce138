/**
 * A failover under several processes: their database server dies, and its standby is promoted, with all that was committed or
 * without the last of it. Either way another history answers: the processes end by themselves, and once they have been started
 * again every client registers again, so no queue ever gives one id to two events; what the standby has is there, no more.
 */
import t, { type Test } from "tap"
import { Cluster } from "../faults/kill/cluster.ts"
import { Dice } from "../faults/kill/dice.ts"
import { Faults } from "../faults/kill/world.ts"
import { startDatabaseAddress } from "../faults/processes/database-address.ts"
import { fillDatabase, ServerGroup } from "../faults/processes/server-group.ts"
import { personOf } from "../kit/client.ts"
import { administer, adminUrl, databaseAt, until } from "../kit/test-database.ts"
import { announceSeed, inTime, timeout } from "./budget.ts"

const parts = ["everything", "not the last commits"] as const
const tried = inTime(parts, "failover")
const optionsOf = (part: (typeof parts)[number]) => {
  if (adminUrl === undefined) return { skip: "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" }
  return tried.includes(part) ? { timeout } : { skip: "tried by another short run" }
}
const patience = 60_000
const name = "parley_failover"
/** What the processes say when they end by themselves. */
const ends = /another history of the database answers|ended by itself with 1;/

const hasFollowed = async (primary: Cluster): Promise<boolean> => {
  const rows = await administer(
    primary.url,
    "select 1 from pg_stat_replication where replay_lsn = pg_current_wal_lsn()",
  )
  return rows.length > 0
}

const failOver = async (t: Test, isLossy: boolean): Promise<void> => {
  const primary = await Cluster.create(t)
  // It goes with its cluster.
  await administer(primary.url, `create database ${name}`)
  const url = databaseAt(primary.url, name)
  const people = await fillDatabase(t, url)
  const standby = await primary.standby(t)
  const address = await startDatabaseAddress(t, primary.port)
  const faults = new Faults()
  const dice = new Dice(announceSeed("failover"))
  const through = databaseAt(primary.urlThrough(address.port), name)
  const group = await ServerGroup.create(t, 3, { url: through, faults, dice, settings: {} })
  const [account] = people
  if (account === undefined) throw new Error("nobody is there")
  const any = () => personOf(group.origin, account)

  const registered = await any().must.post("/register", { event_types: ["message"] })
  const cursor = { queue_id: registered["queue_id"], last_event_id: registered["last_event_id"], dont_block: true }
  const kept = await any().send("general", "what the standby has")
  await until("the standby has it", patience, () => hasFollowed(primary))
  if (isLossy) await standby.end("SIGINT")
  const last = await any().send("general", "what it may not have")
  if (!isLossy) await until("the standby has all", patience, () => hasFollowed(primary))
  const { events } = await any().must.get("/events", cursor)
  t.match(events, [{ message: { id: kept } }, { message: { id: last } }], "both were told")

  await primary.end("SIGKILL")
  if (isLossy) await standby.start()
  standby.promote()
  address.leadTo(standby.port)
  await until("all have ended", patience, async () => group.servers.every(({ pid }) => pid === undefined))
  t.same(
    faults.list.filter((fault) => !ends.test(fault)),
    [],
    "each for that reason",
  )
  await Promise.all(group.servers.map((server) => group.start(server)))

  for (const { origin } of group.servers) {
    const { status, body } = await personOf(origin, account).get("/events", cursor)
    t.match({ status, body }, { status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } }, "clients register again")
  }
  const again = await any().must.post("/register", { event_types: ["message"] })
  t.not(again["queue_id"], registered["queue_id"])
  const found = await any().must.get("/messages", { anchor: "newest", num_before: 2, num_after: 0 })
  const contents = [{ id: kept }, ...(isLossy ? [] : [{ id: last }])]
  t.match(found["messages"], contents, "what the standby has is there")
  t.equal(Array.isArray(found["messages"]) ? found["messages"].length : 0, contents.length)
  const next = await any().send("general", "afterwards")
  t.ok(isLossy || next > last, "ids go on")
  const heard = await any().must.get("/events", {
    queue_id: again["queue_id"],
    last_event_id: again["last_event_id"],
    dont_block: true,
  })
  t.match(heard["events"], [{ message: { id: next } }])
  await group.stop()
}

t.test("a standby that has everything is promoted", optionsOf("everything"), (t) => failOver(t, false))

t.test("a standby that lacks the last commits is promoted", optionsOf("not the last commits"), (t) => failOver(t, true))
