/** What the tests of scheduled messages and reminders share: asking for one, and letting its time come. */
import { scheduledKind } from "../../../../src/chat/personal/scheduled/scheduled-kind.ts"
import { channelId } from "../../../kit/channel-scene.ts"
import type { Fields } from "../../../kit/client.ts"
import { asleep, workOf } from "../../../kit/jobs.ts"
import { recordsIn } from "../../../kit/records.ts"
import { until } from "../../../kit/test-database.ts"
import type { ChannelSetup, Name, TestServer } from "../../../kit/with-server.ts"

export const path = "/scheduled_messages"

export const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "cordelia", "othello", "polonius"] },
  { name: "square", users: ["hamlet", "cordelia"] },
  { name: "den", users: ["cordelia", "othello"], isPrivate: true },
]

/** Unix seconds, so many after now. */
export const after = ({ clock }: TestServer, seconds: number): number => Math.floor(clock.now() / 1000) + seconds

/** To lobby in a minute, unless `fields` say otherwise. */
export const schedule = async (
  server: TestServer,
  content: string,
  { by = "hamlet", ...fields }: Fields & { readonly by?: Name } = {},
): Promise<number> => {
  const usual = { type: "channel", to: channelId(server, "lobby"), topic: "topic" }
  const time = { scheduled_delivery_timestamp: after(server, 60) }
  return Number(
    (await server.as(by).must.post(path, { ...usual, ...time, content, ...fields }))["scheduled_message_id"],
  )
}

export const listOf = async (server: TestServer, name: Name = "hamlet") =>
  recordsIn((await server.as(name).must.get(path))["scheduled_messages"])

export const remindersOf = async (server: TestServer, name: Name = "hamlet") =>
  recordsIn((await server.as(name).must.get("/reminders"))["reminders"])

/** How many wait for their time, or for another attempt. */
const waiting = async (server: TestServer): Promise<number> =>
  Number((await server.rows("select count(*)::integer as n from outbox where kind = 'scheduled'"))[0]?.["n"])

/** Waits until only so many wait for their time. */
export const left = (server: TestServer, count: number): Promise<number> =>
  until(`all but ${count} are over`, 20_000, async () => (await waiting(server)) === count)

/** Lets time pass when all is done so far. */
export const pass = async (server: TestServer, ms: number): Promise<void> => {
  await asleep(workOf(server), scheduledKind)
  server.clock.advance(ms)
}

/** Lets time pass, and waits until only so many wait. */
export const letPass = async (server: TestServer, ms: number, count = 0): Promise<void> => {
  await pass(server, ms)
  await left(server, count)
}

/** Schedules one of hamlet's for square in a second, to which he then may not send any more, and lets its time come. */
export const fail = async (server: TestServer, content: string): Promise<number> => {
  const square = channelId(server, "square")
  const before = await waiting(server)
  const time = after(server, 1)
  const id = await schedule(server, content, { to: square, scheduled_delivery_timestamp: time })
  await server.as("desdemona").must.patch(`/streams/${square}`, { can_send_message_group: { new: nobody } })
  await letPass(server, 1000, before)
  return id
}
const nobody = { direct_members: [], direct_subgroups: [] }

/** Reads the contents of the messages that are sent from now on, in their order. */
export const textsFromNow = async (server: TestServer): Promise<() => Promise<ReadonlyArray<string>>> => {
  const known = (await sentTexts(server)).length
  return async () => (await sentTexts(server)).slice(known)
}

/** The contents of all messages in their order. */
export const sentTexts = async (server: TestServer): Promise<ReadonlyArray<string>> =>
  (await server.rows("select content from message order by id")).map((row) => String(row["content"]))
