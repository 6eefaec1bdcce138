/**
 * The least that keeps a message: uWebSockets.js reads the form of a send, what arrives while a commit is in flight goes into
 * the next one, a statement with many rows writes of each message the same two rows as Parley, and then it is answered.
 * Nobody is signed in, nothing is checked or rendered, and nobody gets anything.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { threadsOf } from "../../src/command-line/bench/process-figures.ts"
import type { DatabaseConfig } from "../../src/config/config.ts"
import { Database } from "../../src/db/database.ts"
import { openMigratedDatabase } from "../../src/db/open/open-database.ts"
import { loadUws, type Native } from "../../src/http/network/uws-loader.ts"
import { serveCommands } from "../remote.ts"
import { settledMemory } from "./memory.ts"
import { channel, settle } from "./people.ts"
import { writeUnread } from "./unread.ts"

const Start = Schema.decodeUnknownSync(
  Schema.Struct({
    databaseUrl: Schema.NullOr(Schema.String),
    people: Schema.Number,
    sync: Schema.optional(Schema.Boolean),
    unread: Schema.optional(Schema.Struct({ channels: Schema.Number, messages: Schema.Number })),
  }),
)

const scope = await Effect.runPromise(Scope.make())
const folder = await mkdtemp(join(tmpdir(), "parley-durable-"))

/** $1: the messages, as JSON. */
const insertSql = `with call as materialized (
    select * from jsonb_to_recordset($1::text::jsonb) as c(
      id bigint, sender_id integer, channel_id integer, topic text, content text, rendered text, at bigint,
      payload jsonb, audience jsonb)
  ), logged as (
    insert into log (realm_id, position, type, payload, audience, width, message_id, at)
    select 1, id, 'message', payload, audience, 1, id, at from call
  )
  insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, content, rendered, client, read_by_sender,
                       sent_at, topic_folded)
  select 1, id, sender_id, channel_id, id, topic, content, rendered, 'bench', true, at, topic from call returning id`

interface Waiting {
  readonly response: Native.HttpResponse
  readonly form: URLSearchParams
}

const start = async ({ databaseUrl, people, sync = true, unread }: ReturnType<typeof Start>) => {
  const config: DatabaseConfig =
    databaseUrl === null
      ? { kind: "pglite", folder: join(folder, "database"), sync }
      : { kind: "postgres", url: databaseUrl }
  const before = threadsOf(process.pid)
  const opened = await Effect.runPromise(Scope.provide(Layer.build(openMigratedDatabase(config)), scope))
  const databaseThreads = databaseUrl === null ? threadsOf(process.pid).filter((id) => !before.includes(id)) : []
  const run = <A, E>(effect: Effect.Effect<A, E, Database>) => Effect.runPromise(Effect.provide(effect, opened))
  await run(settle(people, null))
  if (unread !== undefined) await run(writeUnread(people, unread))
  const database = Context.get(opened, Database)
  let position = unread?.messages ?? 0
  let waiting: Array<Waiting> = []
  let isCommitting = false

  const rowOf = ({ form }: Waiting) => {
    const [to, topic, content] = [form.get("to") ?? "", form.get("topic") ?? "", form.get("content") ?? ""]
    const channelId = to === channel.name ? channel.id : Number(to.slice("channel ".length))
    const rendered = `<p>${content}</p>`
    const payload = { sender_id: 1, channel_id: channelId, topic, content, rendered, client: "bench" }
    const audience = { kind: "subscribers", channel: channelId }
    return { ...payload, id: ++position, at: Date.now(), payload, audience }
  }

  const commit = async (): Promise<void> => {
    isCommitting = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      const rows = batch.map(rowOf)
      await Effect.runPromise(database.write(insertSql, [JSON.stringify(rows)]))
      for (const [n, { response }] of batch.entries())
        response.cork(() => response.end(`{"result":"success","msg":"","id":${rows[n]?.id}}`))
    }
    isCommitting = false
  }

  const uws = await Effect.runPromise(loadUws)
  const app = uws.App()
  app.post("/api/v1/messages", (response) => {
    response.onAborted(() => process.exit(1))
    const parts: Array<Buffer> = []
    response.onData((chunk, isLast) => {
      parts.push(Buffer.from(Buffer.from(chunk)))
      if (!isLast) return
      waiting.push({ response, form: new URLSearchParams(Buffer.concat(parts).toString()) })
      if (!isCommitting) void commit()
    })
  })
  const port = await new Promise<number>((resolve, reject) =>
    app.listen("127.0.0.1", 0, (socket) =>
      socket ? resolve(uws.us_socket_local_port(socket)) : reject(new Error("cannot listen")),
    ),
  )
  return { port, pid: process.pid, databaseThreads, accounts: [], channel }
}

serveCommands(
  {
    start: (wanted) => start(Start(wanted)),
    stats: async () => ({ ...(await settledMemory()), encodes: 0, position: 0, liveQueues: 0 }),
  },
  async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await rm(folder, { recursive: true, force: true })
  },
)
