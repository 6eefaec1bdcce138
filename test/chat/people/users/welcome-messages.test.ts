/** How far back the history of a new account goes. That POST /users gives it one is in create-user.test.ts. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import t from "tap"
import { giveInitialHistory } from "../../../../src/chat/people/users/initial-history.ts"
import { Database, type Parameter } from "../../../../src/db/database.ts"
import { ChannelId, UserId } from "../../../../src/ids.ts"
import { testDatabase } from "../../../kit/lent-database.ts"
import { pluck } from "../../../kit/records.ts"

t.test("a new account is given the newest messages of all its channels together", async (t) => {
  const { layer } = await testDatabase(t)
  const runtime = ManagedRuntime.make(layer.pipe(Layer.provide(Logger.layer([]))))
  t.teardown(() => runtime.dispose())
  const query = (sql: string, parameters: ReadonlyArray<Parameter> = []) =>
    runtime.runPromise(Effect.flatMap(Database, (database) => database.query(sql, parameters)))
  // Channels 1 and 2 get messages in turn, channel 3 only the oldest one, channel 4 none.
  await query(`insert into message (realm_id, id, sender_id, channel_id, channel_since, topic, topic_folded, content,
                                    rendered, client, read_by_sender, sent_at)
    select 1, n, 1, case when n = 1 then 3 else 1 + n % 2 end, n, '', '', '', '', '', true, 0 from generate_series(1, 20) n`)
  await query(`insert into subscription_span (realm_id, channel_id, user_id, opened, reads_from)
    select 1, channel, user_id, 30, 30 from generate_series(1, 4) channel, (values (7), (8)) as people(user_id)`)
  const give = async (channels: ReadonlyArray<number>, most: number) => {
    await query("update subscription_span set reads_from = opened")
    await query("delete from log where realm_id = 1 and position > 1000")
    const step = giveInitialHistory(UserId(7), channels.map(ChannelId), most)
    await query(
      `select set_config('parley.position', '1000', true), set_config('parley.time', '0', true),
         give_history_v2(1, $1::text::jsonb)`,
      ["calls" in step ? JSON.stringify(step.calls) : null],
    )
    const order = "order by user_id, channel_id"
    return pluck(await query(`select reads_from from subscription_span ${order}`), "reads_from")
  }
  const untouched = [30, 30, 30, 30]
  t.same(await give([1, 2, 3, 4], 5), [16, 16, 16, 16, ...untouched], "the five newest are those from 16 on")
  t.same(await give([1], 5), [12, 30, 30, 30, ...untouched], "of one channel five of its own")
  t.same(await give([1, 2, 3, 4], 1000), [1, 1, 1, 1, ...untouched], "fewer than the limit are all")
  t.same(await give([4], 5), [30, 30, 30, 30, ...untouched], "an empty channel gives nothing back")
})
