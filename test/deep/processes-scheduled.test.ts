/**
 * Scheduled messages of many authors, all due within a minute, and two processes, each of which is killed twice meanwhile (in
 * a short run 15 s and once) and started again: the log has each message once, and none is late for longer than the claims of a
 * killed process last.
 */
import { setTimeout as sleep } from "node:timers/promises"
import t from "tap"
import { postgresLayer } from "../../src/db/postgres/postgres.ts"
import { Dice } from "../faults/kill/dice.ts"
import { Faults } from "../faults/kill/world.ts"
import { fillDatabase, ServerGroup } from "../faults/processes/server-group.ts"
import { channelId } from "../kit/channel-scene.ts"
import { type Account, personOf } from "../kit/client.ts"
import { adminUrl, createPostgresDatabase, openLayer, until } from "../kit/test-database.ts"
import { announceSeed, isShort, sized, timeout } from "./budget.ts"

const skip = adminUrl === undefined ? "needs PostgreSQL: set PARLEY_TEST_DATABASE_URL" : false
const count = isShort ? 600 : 10_000
/** As many as one account may have. */
const ofOne = 200
const authors = Math.max(4, Math.ceil(count / ofOne))
/** Scheduled in a second at least, by this test on a slow machine. */
const perSecond = 60
const killsOfEach = sized(2, 1)
/** Within which all are due. */
const dueSeconds = sized(60, 15)
const latestSeconds = 20

interface Made {
  readonly content: string
  /** In Unix seconds. */
  readonly due: number
}

t.test("each is sent once, and none is late, whatever process is killed", { skip, timeout }, async (t) => {
  if (adminUrl === undefined) return
  const dice = new Dice(announceSeed("processes-scheduled"))
  const url = await createPostgresDatabase(t, adminUrl)
  const accounts: Array<Account> = []
  let to = 0
  await fillDatabase(t, url, async (server) => {
    to = channelId(server, "general")
    for (let n = 0; n < authors; n++) {
      const email = `author${n}@test.example`
      await server.as("iago").must.post("/users", { email, password: "a long password", full_name: `author ${n}` })
      accounts.push(server.accountOf(email))
    }
  })
  const faults = new Faults()
  const group = await ServerGroup.create(t, 2, { url, faults, dice: dice.fork("group"), settings: {} })

  const first = Math.ceil(Date.now() / 1000) + 10 + Math.ceil(count / perSecond)
  const made: Array<Made> = []
  const makeOf = async (account: Account, author: number) => {
    for (let n = author; n < count; n += authors) {
      const [content, due] = [`n ${author} ${n}`, first + dice.between(0, dueSeconds - 1)]
      const fields = { type: "channel", to, topic: "t", content, scheduled_delivery_timestamp: due }
      await personOf(group.origin, account).must.post("/scheduled_messages", fields)
      made.push({ content, due })
    }
  }
  await Promise.all(accounts.map(makeOf))
  const spare = first - Date.now() / 1000
  t.ok(spare > 0, "all are there before the first is due")

  await sleep(Math.max(0, spare * 1000))
  let started = 0
  for (let kill = 0; kill < killsOfEach * group.servers.length; kill++) {
    await sleep(dice.between(dueSeconds * 80, dueSeconds * 200))
    const server = group.servers[kill % group.servers.length]
    if (server === undefined) throw new Error("there is no such server")
    await group.kill(server)
    await sleep(dice.between(0, 1000))
    await group.start(server)
    started = Date.now()
  }
  const database = await openLayer(t, postgresLayer(url, { size: 1 }))
  const waiting = async () => Number((await database.query("select count(*)::integer as n from outbox"))[0]?.["n"])
  const atLastStart = await waiting()
  await until("all are sent", 180_000, async () => {
    await sleep(200)
    return (await waiting()) === 0
  })
  await group.stop()

  const rows = await database.query(
    `select m.content, m.sent_at::float8 as at from log as l join message as m on m.realm_id = l.realm_id and m.id = l.message_id
      where l.type = 'message' and m.content like 'n %' order by l.position`,
  )
  const sent = rows.map(({ content, at }) => ({ content: String(content), at: Number(at) }))
  const due = new Map(made.map((each) => [each.content, each.due * 1000]))
  const late = sent.map(({ content, at }) => at - (due.get(content) ?? 0)).sort((one, other) => one - other)
  const sinceStart = sent.map(({ content, at }) => at - Math.max(started, due.get(content) ?? 0))
  const share = (part: number) => Math.round(late[Math.floor(part * (late.length - 1))] ?? Number.NaN)
  const figures = {
    scheduled: made.length,
    sent: sent.length,
    kills: killsOfEach * group.servers.length,
    waitingAtLastStart: atLastStart,
    lateMs: { least: share(0), median: share(0.5), p99: share(0.99), most: share(1) },
    mostSinceLastStartMs: Math.round(Math.max(...sinceStart)),
  }
  process.stderr.write(`processes-scheduled: ${JSON.stringify(figures)}\n`)
  if (faults.list.length > 0) process.stderr.write(`${group.output}\n`)
  t.same(faults.list, [])
  t.same(sent.map(({ content }) => content).sort(), [...due.keys()].sort(), `each once, seed ${dice.seed}`)
  t.ok(share(0) >= 0, "none was early")
  for (let author = 0; author < authors; author++) {
    const isOf = ({ content }: { readonly content: string }) => content.startsWith(`n ${author} `)
    const want = made.filter(isOf).sort((one, other) => one.due - other.due)
    t.same(
      sent.filter(isOf).map(({ content }) => content),
      want.map(({ content }) => content),
      `author ${author}`,
    )
  }
  t.ok(figures.mostSinceLastStartMs <= latestSeconds * 1000, `${figures.mostSinceLastStartMs} ms`)
  const failed = await database.query(
    "select 1 from scheduled_item where (value ->> 'failed')::boolean or sent_at is null",
  )
  t.same(failed, [], "none failed")
  await database.close()
})
