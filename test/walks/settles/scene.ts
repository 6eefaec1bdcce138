/** Shared by the actions of settles.test.ts: the watching users, their clients, and functions that send requests. */
import { channelId } from "../../kit/channel-scene.ts"
import type { Fields } from "../../kit/client.ts"
import { clientsOf, kindsOfClients, type View } from "../../kit/settles.ts"
import type { ChannelSetup, Name, TestServer } from "../../kit/with-server.ts"

export const channels: ReadonlyArray<ChannelSetup> = [
  { name: "lobby", users: ["hamlet", "cordelia", "othello", "polonius"] },
  { name: "hall", users: ["desdemona"], isWebPublic: true },
  { name: "den", users: ["cordelia", "othello", "shiva"], isPrivate: true },
  { name: "welcome", users: ["shiva"], isDefault: true },
]
export const watching: ReadonlyArray<Name> = ["hamlet", "iago", "polonius", "desdemona"]

const viewOf = (server: TestServer, name: Name, label: string, fields: Fields): View => ({
  label,
  person: server.as(name),
  port: server.port,
  user: server.idOf(name),
  fields,
})

/** Every watching user as every kind of client. */
export const viewsOf = (server: TestServer, kinds = kindsOfClients, names = watching): ReadonlyArray<View> =>
  names.flatMap((name) => kinds.map(([label, fields]) => viewOf(server, name, `${name} as ${label}`, fields)))

/** The watching users as some clients each: together they cover all pairs of a client's choices. */
export const pairwiseViewsOf = (server: TestServer): ReadonlyArray<View> =>
  clientsOf(watching).map(({ name, label, fields }) => viewOf(server, name, label, fields))

export interface Action {
  readonly what: string
  readonly act: (server: TestServer) => Promise<unknown>
}

export const subscribe = (
  server: TestServer,
  by: Name,
  names: ReadonlyArray<string>,
  who: ReadonlyArray<Name>,
  fields = {},
) =>
  server.as(by).must.post("/users/me/subscriptions", {
    subscriptions: names.map((name) => ({ name, description: `About ${name}` })),
    principals: who.map(server.idOf),
    ...fields,
  })
export const setRole = (server: TestServer, who: Name, role: number, by: Name = "desdemona") =>
  server.as(by).must.patch(`/users/${server.idOf(who)}`, { role })
export const leave = (server: TestServer, who: Name, names: ReadonlyArray<string>) =>
  server.as(who).must.delete("/users/me/subscriptions", { subscriptions: names })

/** POST /channels/create; answers the channel's id. */
export const create = async (
  server: TestServer,
  by: Name,
  name: string,
  who: ReadonlyArray<Name>,
  fields: Fields = {},
) =>
  Number(
    (await server.as(by).must.post("/channels/create", { name, subscribers: who.map(server.idOf), ...fields }))["id"],
  )

/** PATCH /streams/{id}. */
export const change = (server: TestServer, by: Name, name: string, fields: Fields) =>
  server.as(by).must.patch(`/streams/${channelId(server, name)}`, fields)
export const archive = (server: TestServer, by: Name, name: string) =>
  server.as(by).must.delete(`/streams/${channelId(server, name)}`)

/** A permission's value: these users and groups. */
export const held = (server: TestServer, who: ReadonlyArray<Name>, ...groups: ReadonlyArray<number>) => ({
  direct_members: who.map(server.idOf),
  direct_subgroups: groups,
})

export const groupId = (server: TestServer, name: string): number => {
  const group = [...server.realm.realm.groups.values()].find((each) => each.name === name)
  if (group === undefined) throw new Error(`there is no group ${name}`)
  return group.id
}
export const group = (server: TestServer, by: Name, name: string, who: ReadonlyArray<Name>, fields: Fields = {}) =>
  server.as(by).must.post("/user_groups/create", { name, description: "", members: who.map(server.idOf), ...fields })
export const changeGroup = (server: TestServer, by: Name, name: string, fields: Fields) =>
  server.as(by).must.patch(`/user_groups/${groupId(server, name)}`, fields)
export const turn = (server: TestServer, by: Name, name: string, fields: Fields) =>
  server.as(by).must.post(`/user_groups/${groupId(server, name)}/members`, fields)
export const end = (server: TestServer, by: Name, name: string) =>
  server.as(by).must.post(`/user_groups/${groupId(server, name)}/deactivate`)
