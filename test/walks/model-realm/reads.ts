/** Compares what users read by GET requests with the model: lists, members, messages, groups. */
import * as Predicate from "effect/Predicate"
import type { Random } from "../../events/model/random.ts"
import { recordsIn } from "../../kit/records.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { recordDiffers } from "./compare.ts"
import { activeOf, isIn, keeps, mayKnow, readable } from "./rules.ts"
import type { State, User } from "./state.ts"
import { as } from "./watch.ts"

export const numbers = (list: Iterable<number>): string => JSON.stringify([...list].sort((a, b) => a - b))

const numbersIn = (value: unknown): ReadonlyArray<number> =>
  Array.isArray(value) && value.every(Predicate.isNumber) ? value : [Number.NaN]

/** The differences in one user's reads: of a random channel, a random group, and all lists. */
export const readsDiffer = async (
  server: TestServer,
  state: State,
  random: Random,
  user: User,
): Promise<ReadonlyArray<string>> => {
  const person = as(server, user)
  if (!user.isActive) {
    const { status } = await person.get("/streams")
    return status === 401 || status === 403 ? [] : [`somebody deactivated reads: ${status}`]
  }
  const found: Array<string> = []
  const expect = (what: string, is: unknown, should: unknown) => {
    if (is !== should) found.push(`${what}: ${String(is)}, should be ${String(should)}`)
  }
  const ids = (list: unknown, key: string) => numbers(recordsIn(list).map((each) => Number(each[key])))
  const known = [...state.channels.values()].filter((each) => mayKnow(state, user, each))
  const { streams } = await person.must.get("/streams", { include_all: true, exclude_archived: false })
  expect("GET /streams", ids(streams, "stream_id"), numbers(known.map(({ id }) => id)))
  for (const record of recordsIn(streams)) {
    const channel = state.channels.get(Number(record["stream_id"]))
    if (channel !== undefined) found.push(...recordDiffers(state, channel, record))
  }
  const channel = random.find([...state.channels.values()])
  if (channel !== undefined) {
    const isKnown = mayKnow(state, user, channel)
    const members = await person.get(`/streams/${channel.id}/members`)
    expect(
      `members of ${channel.id}`,
      members.status === 200 ? numbers(numbersIn(members.body["subscribers"])) : null,
      isKnown ? numbers(activeOf(state, channel.subscribers)) : null,
    )
    const all = { anchor: "newest", num_before: 1000, num_after: 0 }
    const history = await person.get("/messages", { ...all, narrow: [{ operator: "channel", operand: channel.id }] })
    const open = readable(state, user, channel)
    expect(
      `messages of ${channel.id}`,
      history.status === 200 ? ids(history.body["messages"], "id") : null,
      open === undefined ? null : numbers(open),
    )
    const held = [...state.messages.values()].filter((message) => keeps(state, user, message)).map(({ id }) => id)
    expect("messages", ids((await person.must.get("/messages", all))["messages"], "id"), numbers(held))
  }
  const group = random.find([...state.groups.values()])
  if (group !== undefined) {
    const { user_groups } = await person.must.get("/user_groups", { include_deactivated_groups: true })
    const own = recordsIn(user_groups).filter((each) => Number(each["id"]) > 8)
    expect("GET /user_groups", ids(own, "id"), numbers(state.groups.keys()))
    const path = `/user_groups/${group.id}/members`
    const direct = await person.must.get(path, { direct_member_only: true })
    expect(
      `direct members of ${group.id}`,
      numbers(numbersIn(direct["members"])),
      numbers(activeOf(state, group.members)),
    )
    if (!group.isDeactivated) {
      const { members } = await person.must.get(path)
      const inside = [...state.users.values()].filter((each) => isIn(state, each, group.id))
      expect(`all members of ${group.id}`, numbers(numbersIn(members)), numbers(inside.map(({ id }) => id)))
    }
  }
  return found
}

/** The differences in a visitor's reads: they read only web-public channels that are not archived. */
export const visitorDiffers = async (server: TestServer, state: State): Promise<ReadonlyArray<string>> => {
  const open = [...state.channels.values()].filter((each) => each.isWebPublic && !each.isArchived)
  const ids = new Set(open.map(({ id }) => id))
  const due = [...state.messages.values()].filter(({ channel }) => channel !== null && ids.has(channel))
  const { status, body } = await server.anonymous("GET", "/messages", {
    anchor: "newest",
    num_before: 1000,
    num_after: 0,
    client_gravatar: false,
    narrow: [["channels", "web-public"]],
  })
  const came = status === 200 ? numbers(recordsIn(body["messages"]).map((each) => Number(each["id"]))) : status
  const should = numbers(due.map(({ id }) => id))
  return came === should ? [] : [`a visitor reads ${came}, should be ${should}`, JSON.stringify(body)]
}
