/**
 * The lives of a recorded server: people send without a pause while tables, indexes and settings change, checkpoints,
 * vacuums and switches of the write-ahead log come in between, and the server stops, is killed and starts again. Tells
 * which messages were acknowledged, and when.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { markOf } from "../../../src/db/disk/durability.ts"
import { type Account, type Person, personOf, request } from "../../kit/client.ts"
import { until } from "../../kit/test-database.ts"
import type { Dice } from "../kill/dice.ts"
import { type Moment, RecordedServer, type Run } from "./recorded-server.ts"

/** A message or a queue that a client knows to be stored from a moment on. */
export interface Known {
  readonly kind: "message" | "queue"
  /** The first word of the message, or the queue's id. */
  readonly name: string
  readonly from: Moment
}

export interface History {
  readonly runs: ReadonlyArray<Run>
  readonly known: ReadonlyArray<Known>
  readonly owner: Account
  /** The text of the mark of durability. */
  readonly mark: string
  /** From when on each run served. */
  readonly served: ReadonlyArray<Moment>
  readonly end: Moment
}

export interface Life {
  readonly sync: boolean
  /** Acknowledged messages after which it ends. */
  readonly sends: number
  readonly end: "stop" | "kill"
}

const senders = 8

/** Statements that make, grow, shrink and remove files. */
const disturbances: ReadonlyArray<string> = [
  "create table extra (n int primary key, t text)",
  "insert into extra select n, repeat(md5(n::text), 20) from generate_series(1, 800) n",
  "checkpoint",
  "delete from extra where n > 20",
  "vacuum extra",
  "create index extra_t on extra (t text_pattern_ops)",
  "select pg_switch_wal()",
  "vacuum (analyze) message",
  "insert into extra select n, repeat('x', 1500) from generate_series(1000, 1800) n",
  "checkpoint",
  "truncate extra",
  "reindex table log",
  "alter table extra add column further int not null default 5",
  "vacuum full extra",
  "select pg_switch_wal()",
  "checkpoint",
  "drop table extra",
  "vacuum (analyze) log",
  "checkpoint",
]

export const record = async (parent: string, lives: ReadonlyArray<Life>, dice: Dice): Promise<History> => {
  const server = new RecordedServer(parent)
  const known: Array<Known> = []
  const served: Array<Moment> = []
  let owner: Account | null = null
  let total = 0
  for (const { sync, sends, end } of lives) {
    await server.start(sync)
    served.push(server.now())
    owner ??= await signIn(server.origin)
    const person = personOf(server.origin, owner)
    const queue = await person.must.post("/register", { event_types: ["message"] })
    known.push({ kind: "queue", name: String(queue["queue_id"]), from: server.now() })
    const wanted = total + sends
    let ending = false
    const send = async (): Promise<void> => {
      while (!ending) {
        const name = randomBytes(9).toString("hex")
        const rest = randomBytes(dice.chance(0.1) ? 4000 : dice.between(5, 400)).toString("hex")
        const fields = { type: "channel", to: "general", topic: "t", content: `${name} ${rest}` }
        const answer = await person.post("/messages", fields).catch(() => null)
        if (answer?.status !== 200) continue
        known.push({ kind: "message", name, from: server.now() })
        total++
      }
    }
    const sending = Promise.all(Array.from({ length: senders }, send))
    try {
      const enough = until("enough is acknowledged", 300_000, () => total >= wanted)
      await Promise.all([disturb(server, person, dice.fork(`disturb ${known.length}`)), enough])
      // Stopped or killed while people still send.
      await (end === "stop" ? server.stop() : server.kill())
    } finally {
      ending = true
      await server.abandon()
      await sending
    }
  }
  if (owner === null) throw new Error("a history needs a life")
  const mark = markOf(join(server.folder, "database", "cluster")) ?? ""
  return { runs: server.runs, known, owner, mark, served, end: server.now() }
}

const signIn = async (origin: string): Promise<Account> => {
  const email = "owner@demo.example"
  const { body } = await request(origin, "POST", "/dev_fetch_api_key", { username: email })
  return { email, key: String(body["api_key"]) }
}

const disturb = async (server: RecordedServer, person: Person, dice: Dice): Promise<void> => {
  for (const [n, statement] of disturbances.entries()) {
    await server.sql(statement)
    if (n % 4 === 0) await person.must.patch("/realm", { description: `after ${n}` })
    if (n % 6 === 0)
      await person.must.post("/users/me/subscriptions", { subscriptions: [{ name: `room ${n} ${dice.name}` }] })
  }
}
