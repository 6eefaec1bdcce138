/** Channels for tests that change them, and a check of the events that four users get, in order. */
import type { Test } from "tap"
import type { ChannelId } from "../../src/ids.ts"
import type { Fields } from "./client.ts"
import { recordsIn } from "./records.ts"
import type { Name, TestServer } from "./with-server.ts"

export const channels = [
  { name: "lobby", users: ["hamlet", "polonius"] },
  { name: "den", users: ["hamlet"], isPrivate: true },
  { name: "first", users: [], isDefault: true },
  { name: "lounge", users: [] },
] as const

export const channelId = (server: TestServer, name: string): ChannelId => {
  const channel = server.realm.realm.findChannelByName(name)
  if (channel === undefined) throw new Error(`there is no channel ${name}`)
  return channel.id
}
export const path = (server: TestServer, name: string) => `/streams/${channelId(server, name)}`
export const change = (server: TestServer, by: Name, name: string, fields: Fields) =>
  server.as(by).must.patch(path(server, name), fields)
export const streamOf = async (server: TestServer, by: Name, name: string): Promise<Fields> =>
  recordsIn([(await server.as(by).must.get(path(server, name)))["stream"]])[0] ?? {}

export const types = {
  event_types: ["stream", "subscription", "default_streams", "default_stream_groups", "message"],
  client_capabilities: { archived_channels: true, empty_topic_name: true },
  apply_markdown: false,
}
const told = (events: ReadonlyArray<Fields>) =>
  events.map(({ type, op, property, value }) =>
    op === undefined ? type : `${type}/${op}${property === undefined ? "" : ` ${property} ${JSON.stringify(value)}`}`,
  )

/** Runs `act` and compares the events of each of four users with the expected ones. */
export const hears = async (
  t: Test,
  server: TestServer,
  act: () => Promise<unknown>,
  expected: Readonly<Partial<Record<Name, ReadonlyArray<string>>>>,
  asked: Fields = types,
): Promise<void> => {
  const readers = await Promise.all(
    (["hamlet", "cordelia", "iago", "polonius"] as const).map(
      async (name) => [name, await server.queue(name, asked)] as const,
    ),
  )
  await act()
  for (const [name, reader] of readers) {
    const events = (await reader.rest()).filter(({ property }) => property !== "first_message_id")
    t.same(told(events), expected[name] ?? [], name)
  }
}
