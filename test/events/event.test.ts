/** Audiences of rows: their receivers, and how many steps a look-up takes. */
import t from "tap"
import { SubscriptionSpans } from "../../src/chat/ground/realm/subscription-spans.ts"
import {
  inSet,
  isReceiver,
  type Membership,
  receiversOf,
  userSet,
  withoutUser,
  withUser,
} from "../../src/events/event.ts"
import { readWireRows } from "../../src/events/log.ts"
import { ChannelId, Position, UserId } from "../../src/ids.ts"

const everybody: Membership = {
  subscribers: () => new Uint32Array(0),
  subscribedAt: () => false,
  heldBetween: () => false,
  holders: () => new Uint32Array(0),
  keeps: () => false,
  keepers: () => [],
  activeAt: () => true,
  memberAt: () => true,
  administratorAt: () => false,
  channelsEver: () => [],
}

const rowTo = (audience: object) => {
  const [row] = readWireRows([[1, "test", {}, audience, 1, null, null, 0, null, null]]) ?? []
  if (row === undefined) throw new Error("no row was read")
  return row
}

t.test("users are looked up in a row's lists by binary search; no list is walked for each queue", async (t) => {
  // 10,000 queues and a list of 5,000 were 50 million comparisons in one turn.
  const users = Array.from({ length: 2000 }, (_, n) => UserId(n + 1))
  const even = users.filter((user) => user % 2 === 0).toReversed()
  let steps = 0
  const counted = <List extends object>(list: List): List =>
    new Proxy(list, {
      get: (target, key) => {
        steps++
        return Reflect.get(target, key)
      },
    })
  const audiences = {
    users: rowTo({ kind: "users", users: [...even, ...even] }).audience,
    also: rowTo({ kind: "users", users: [], also: even }).audience,
    except: rowTo({ kind: "realm", except: users.filter((user) => user % 2 === 1) }).audience,
  }
  for (const [what, audience] of Object.entries(audiences)) {
    steps = 0
    const { also, except } = audience
    const spied = {
      ...(audience.kind === "users" ? { ...audience, users: counted(audience.users) } : audience),
      ...(also === undefined ? {} : { also: counted(also) }),
      ...(except === undefined ? {} : { except: counted(except) }),
    }
    const found = users.filter((user) => isReceiver(spied, 1, user, everybody))
    t.same(found, even.toReversed(), what)
    t.ok(steps > 0 && steps < users.length * 40, `${what}: ${steps} steps for ${users.length} users`)
  }
})

t.test("a user comes into a set and out of it at each place", async (t) => {
  const some = [2, 4, 6]
  const set = userSet(some)
  for (let user = 1; user <= 7; user++) {
    const id = UserId(user)
    t.same([...withUser(set, id)], [...new Set([...some, user])].sort(), `with ${user}`)
    t.same(
      [...withoutUser(set, id)],
      some.filter((each) => each !== user),
      `without ${user}`,
    )
    t.equal(withUser(set, id) === set, some.includes(user), "the set itself where nothing changes")
    t.equal(withoutUser(set, id) === set, !some.includes(user))
  }
  t.same([...withUser(userSet([]), UserId(3))], [3])
  t.same([...withoutUser(userSet([3]), UserId(3))], [])
  t.same([...set], some, "which never changes itself")
})

t.test(
  "a row about a message goes to those who were there when it came or were given it, and where history is shared to all",
  async (t) => {
    const people = new SubscriptionSpans()
    const channel = ChannelId(4)
    const span = (user: number, opened: number, closed: number | null) =>
      people.add(channel, UserId(user), { opened, closed })
    span(1, 2, null)
    span(2, 2, 8)
    span(3, 7, null)
    span(4, 2, 3)
    span(4, 7, 9)
    // Given what came from 4 on with their accounts.
    people.addAll(channel, [UserId(5), UserId(6)], { opened: 10, closed: null })
    for (const user of [5, 6]) people.give(channel, UserId(user), 4)
    people.closeAll(channel, [UserId(6)], 11)
    const membership: Membership = {
      ...everybody,
      subscribedAt: (of, user, position) => people.subscribedAt(of, user, position),
      heldBetween: (of, user, since, through) => people.heldBetween(of, user, since, through),
      holders: (of, since, through, was) => people.holders(of, since, through, was),
    }
    const cases: ReadonlyArray<{
      readonly since: number
      readonly through?: number
      readonly historyShared: boolean
      readonly readers: ReadonlyArray<number>
      readonly also?: ReadonlyArray<number>
      readonly except?: ReadonlyArray<number>
    }> = [
      { since: 5, historyShared: false, readers: [1, 2, 5, 6] },
      { since: 5, historyShared: true, readers: [1, 2, 3, 5, 6] },
      { since: 8, historyShared: false, readers: [1, 3, 4, 5, 6] },
      { since: 9, historyShared: true, readers: [1, 3, 5, 6] },
      { since: 3, historyShared: false, readers: [1, 2] },
      { since: 3, historyShared: true, readers: [1, 2, 3, 5] },
      { since: 2, through: 7, historyShared: false, readers: [1, 2, 3, 4, 5, 6] },
      { since: 3, through: 6, historyShared: false, readers: [1, 2, 5, 6] },
      { since: 2, through: 3, historyShared: false, readers: [1, 2, 4] },
      { since: 2, historyShared: false, also: [7], except: [1], readers: [2, 4, 7] },
    ]
    const present = people.subscribers(channel)
    const asked = cases.flatMap((each) => [
      { ...each, isPrivate: false },
      // Of a private channel only those of them who are in it at the row, and who is named.
      {
        ...each,
        isPrivate: true,
        readers: each.readers.filter((user) => inSet(present, UserId(user)) || each.also?.includes(user) === true),
      },
    ])
    for (const { since, historyShared, isPrivate, readers, ...named } of asked) {
      const was = { isPrivate, isWebPublic: false, historyShared }
      const row = { ...rowTo({ kind: "holders", channel, since, was, ...named }), position: Position(12) }
      const { users, includes } = receiversOf(row, membership)
      t.same([...(users ?? [])], readers, JSON.stringify({ since, historyShared, isPrivate }))
      for (const user of [1, 2, 3, 4, 5, 6, 7]) {
        t.equal(includes(UserId(user)), readers.includes(user))
        t.equal(isReceiver(row.audience, row.position, UserId(user), membership), readers.includes(user), "by spans")
      }
    }
    const open = { isPrivate: false, historyShared: true }
    t.equal(people.holders(channel, 11, 11, open), people.subscribers(channel), "one set, where nobody has left since")
    const closed = { isPrivate: true, historyShared: true }
    t.equal(people.holders(channel, 2, 2, closed), people.subscribers(channel), "or where only they hear")
  },
)

t.test("a row's receivers are its list with `also` and without `except`", async (t) => {
  const { users, includes } = receiversOf(
    rowTo({ kind: "users", users: [5, 1, 5], also: [9, 7], except: [1, 9] }),
    everybody,
  )
  t.same([...(users ?? [])], [5, 7])
  t.same(
    [1, 5, 7, 9].map((user) => includes(UserId(user))),
    [false, true, true, false],
  )
})

t.test("a set has each user once, in order", async (t) => {
  t.same([...userSet([])], [])
  for (const some of [[3], [3, 1, 2], [7, 7, 7], [10, 9, 10, 1, 9, 2, 1]])
    for (const users of [some, new Set(some), userSet(some)])
      t.same(
        [...userSet(users)],
        [...new Set(some)].sort((a, b) => a - b),
      )
})
