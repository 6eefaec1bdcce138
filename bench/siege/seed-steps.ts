/** The statements that fill a database for a siege, and who is who in it. Rows are copied whole from a first one. */
import * as Effect from "effect/Effect"
import { Database } from "../../src/db/database.ts"
import { copyChannel } from "../target/people.ts"

/** Ids of users; the rest are people who do nothing. */
export const accounts = {
  honest: { from: 1, count: 5 },
  author: { from: 6, count: 1 },
  guests: { from: 7, count: 8 },
  slow: { from: 15, count: 5 },
  members: { from: 20, count: 60 },
} as const

/** Channel 1 is the one that everybody is in. */
export const channelIds = { talk: 2, long: 3, secret: 4, noise: 5 } as const

const attackers = { from: accounts.author.from, through: accounts.members.from + accounts.members.count - 1 } as const

/** Subscribers of each channel: from one user id through another. */
const subscribers = [
  [channelIds.talk, 1, 6],
  [channelIds.long, attackers.from, attackers.through],
  [channelIds.secret, 6, 6],
  [channelIds.noise, attackers.from, attackers.through],
] as const

const rowsAtOnce = 10_000

/** Words, so that a text of the greatest length is read and stored as people's texts are. */
export const longText = (): string => {
  const words = ["parley", "talks", "about", "weather", "and", "the", "price", "of", "bread", "in", "seven", "towns"]
  let text = ""
  for (let n = 0; text.length < 9_950; n++) text += `${words[(n * n + n) % words.length]}${n % 97} `
  return text
}

/** Makes channels up to this number, subscribes attackers and honest users to theirs, and makes guests of some. */
export const furnish = Effect.fnUntraced(function* (channels: number) {
  const { query } = yield* Database
  yield* copyChannel(channels)
  for (const [name, id] of Object.entries(channelIds))
    yield* query("update channel set name = $1, name_folded = $1, is_private = $3 where realm_id = 1 and id = $2", [
      name,
      id,
      name === "secret",
    ])
  for (const [channel, from, through] of subscribers) {
    for (const table of ["subscription_span", "subscription_setting"])
      yield* query(
        `insert into ${table}
         select r.* from ${table} t, lateral jsonb_populate_record(t, jsonb_build_object('channel_id', $1::integer)) r
          where t.realm_id = 1 and t.channel_id = 1 and t.user_id between $2 and $3`,
        [channel, from, through],
      )
  }
  const { from, count } = accounts.guests
  yield* query("update role_span set role = 600 where realm_id = 1 and user_id >= $1 and user_id < $2", [
    from,
    from + count,
  ])
})

/** Copies a channel's first message so often, with the ids after all others; answers the first id and the count. */
export const copyMessages = Effect.fnUntraced(function* (channel: number, count: number) {
  const { query } = yield* Database
  const [newest] = yield* query(
    `select greatest((select max(id) from message where realm_id = 1),
                     (select max(position) from log where realm_id = 1)) as id`,
  )
  const first = Number(newest?.["id"]) + 1
  for (let done = 0; done < count; done += rowsAtOnce)
    yield* query(
      `insert into message
       select r.* from message m, generate_series($2::bigint, $3::bigint) n,
         lateral jsonb_populate_record(m, jsonb_build_object('id', n, 'channel_since', n)) r
        where m.realm_id = 1
          and m.id = (select min(id) from message where realm_id = 1 and channel_id = $1)`,
      [channel, first + done, first + Math.min(done + rowsAtOnce, count) - 1],
    )
  return { first, count }
})

/**
 * Lets the log end with the newest message, as if all rows before had been pruned: ids of messages are positions, and
 * the next position is counted from the newest row.
 */
export const copyNewestRow = Effect.gen(function* () {
  const { query } = yield* Database
  yield* query(
    `insert into log
     select r.* from log l, (select max(id) as id from message where realm_id = 1) m,
       lateral jsonb_populate_record(l, jsonb_build_object('position', m.id, 'message_id', m.id)) r
      where l.realm_id = 1 and l.position =
        (select position from log where realm_id = 1 and message_id is not null order by position desc limit 1)
        and l.position < m.id`,
  )
  yield* query("delete from log where realm_id = 1 and position < (select max(position) from log where realm_id = 1)")
  yield* query("analyze")
})
