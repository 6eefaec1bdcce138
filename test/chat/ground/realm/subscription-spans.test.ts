/** Random subscriptions, compared with a plain list of them, for each question that is answered from columns. */
import t from "tap"
import { ChannelSpans } from "../../../../src/chat/ground/realm/channel-spans.ts"
import { roles } from "../../../../src/chat/ground/realm/domain-values.ts"
import { RoleSpans } from "../../../../src/chat/ground/realm/role-spans.ts"
import { type SubscriptionSpan, SubscriptionSpans } from "../../../../src/chat/ground/realm/subscription-spans.ts"
import { ChannelId, UserId } from "../../../../src/ids.ts"
import { Random } from "../../../events/model/random.ts"

interface Known {
  readonly channel: ChannelId
  readonly user: UserId
  readonly opened: number
  closed: number | null
  readsFrom: number
}

const users = Array.from({ length: 12 }, (_, n) => UserId(n + 1))
const channels = [ChannelId(1), ChannelId(2), ChannelId(7)]

const holds = ({ readsFrom, closed }: Known, since: number, through: number) =>
  readsFrom <= through && (closed === null || since < closed)
const covers = ({ opened, closed }: Known, position: number) =>
  opened <= position && (closed === null || position < closed)

/** Everything that both answer, at some positions. */
const plainly = (known: ReadonlyArray<Known>, positions: ReadonlyArray<number>) => {
  const of = (channel: ChannelId, user: UserId) =>
    known.filter((each) => each.channel === channel && each.user === user)
  const last = (channel: ChannelId, user: UserId) => of(channel, user).at(-1)
  const where = (channel: ChannelId, is: (spans: ReadonlyArray<Known>) => boolean) =>
    users.filter((user) => of(channel, user).length > 0 && is(of(channel, user)))
  return {
    own: users.map((user) => channels.filter((channel) => of(channel, user).length > 0)),
    channels: channels.map((channel) => ({
      ever: where(channel, () => true),
      now: where(channel, (spans) => spans.at(-1)?.closed === null),
      users: users.map((user) => ({
        spans: of(channel, user).map(({ opened, closed, readsFrom }) => ({ opened, closed, readsFrom })),
        isIn: last(channel, user)?.closed === null,
        openSince: last(channel, user)?.closed === null ? last(channel, user)?.opened : null,
        leftAt: last(channel, user)?.closed ?? null,
      })),
      past: positions.map((at) => ({
        covers: where(channel, (spans) => spans.some((span) => covers(span, at))),
        isIn: users.map((user) => of(channel, user).some((span) => covers(span, at))),
        held: users.map((user) => of(channel, user).some((span) => holds(span, at, at + 2))),
        receivers: where(channel, (spans) => spans.some((span) => holds(span, at, at))),
        shared: where(channel, (spans) => spans.some((span) => holds(span, at, at + 2) || span.closed === null)),
        protected: where(channel, (spans) => spans.some((span) => holds(span, at, at + 2))),
        private: where(
          channel,
          (spans) => spans.at(-1)?.closed === null && spans.some((span) => holds(span, at, at + 2)),
        ),
        notThroughout: where(channel, (spans) => {
          const newest = spans.at(-1)
          return newest !== undefined && (newest.closed !== null || newest.opened > at)
        }),
      })),
    })),
  }
}

const answered = (spans: SubscriptionSpans, positions: ReadonlyArray<number>) => {
  const publicly = { isPrivate: false, historyShared: false }
  return {
    own: users.map((user) => [...spans.channelsEver(user)]),
    channels: channels.map((channel) => ({
      ever: spans.ever(channel),
      now: [...spans.subscribers(channel)],
      users: users.map((user) => ({
        spans: spans.of(channel, user),
        isIn: spans.isSubscribed(channel, user),
        openSince: spans.openSince(channel, user),
        leftAt: spans.leftAt(channel, user),
      })),
      past: positions.map((at) => ({
        covers: spans.subscribersAt(channel, at),
        isIn: users.map((user) => spans.subscribedAt(channel, user, at)),
        held: users.map((user) => spans.heldBetween(channel, user, at, at + 2)),
        receivers: [...spans.receivers(channel, at)],
        shared: [...spans.holders(channel, at, at + 2, { ...publicly, historyShared: true })],
        protected: [...spans.holders(channel, at, at + 2, publicly)],
        private: [...spans.holders(channel, at, at + 2, { isPrivate: true, historyShared: false })],
        notThroughout: [...spans.notThroughout(channel, at)],
      })),
    })),
  }
}

const shuffled = <A>(items: ReadonlyArray<A>, random: Random): ReadonlyArray<A> =>
  items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item)

/** Spans of the same steps, moved and known plainly. `first`: the position of the first step. */
const run = (seed: number, first: number) => {
  const random = new Random(seed)
  const moved = new SubscriptionSpans()
  const known: Array<Known> = []
  const openOf = (channel: ChannelId, user: UserId) =>
    known.find((each) => each.channel === channel && each.user === user && each.closed === null)
  const positions: Array<number> = [first - 1]
  for (let position = first; position < first + 60; position++) {
    positions.push(position)
    const channel = random.pick(channels)
    const some = shuffled(users, random).slice(0, 1 + random.below(5))
    const out = some.filter((user) => openOf(channel, user) === undefined)
    const inside = some.filter((user) => openOf(channel, user) !== undefined)
    const what = random.below(5)
    if (what <= 1 && out.length > 0) {
      const [only] = out
      const span: SubscriptionSpan = { opened: position, closed: null }
      const added = what === 0 && only !== undefined ? [only] : out
      if (what === 0 && only !== undefined) moved.add(channel, only, span)
      else moved.addAll(channel, out, span)
      for (const user of added) known.push({ channel, user, opened: position, closed: null, readsFrom: position })
    } else if (what <= 3) {
      const [only] = inside
      if (what === 2 && only !== undefined) moved.close(channel, only, position)
      else moved.closeAll(channel, inside, position)
      for (const user of what === 2 ? inside.slice(0, 1) : inside) {
        const open = openOf(channel, user)
        if (open !== undefined) open.closed = position
      }
    } else {
      const [user] = inside
      const open = user === undefined ? undefined : openOf(channel, user)
      if (user === undefined || open === undefined) continue
      const readsFrom = Math.max(first - 1, position - 7)
      moved.give(channel, user, readsFrom)
      open.readsFrom = Math.min(open.readsFrom, readsFrom)
    }
  }
  const loaded = new SubscriptionSpans()
  for (const { channel, user, opened, closed, readsFrom } of shuffled(known, random))
    loaded.load(channel, user, opened, closed, readsFrom)
  for (const settle of loaded.settling()) settle()
  return { known, moved, loaded, positions }
}

t.test("subscriptions in columns answer as plain ones do, moved or loaded", async (t) => {
  let closed = 0
  for (let seed = 1; seed <= 15; seed++) {
    const { known, moved, loaded, positions } = run(seed, 1)
    closed += known.filter((span) => span.closed !== null).length
    const expected = plainly(known, positions)
    t.same(answered(moved, positions), expected, `moved, seed ${seed}`)
    t.same(answered(loaded, positions), expected, `loaded, seed ${seed}`)
  }
  t.ok(closed > 100, "many of them were ended")
})

t.test("positions may grow beyond 32 bits", async (t) => {
  for (let seed = 1; seed <= 5; seed++) {
    const { known, moved, loaded, positions } = run(seed, 2 ** 32 - 30)
    t.ok(known.some(({ opened }) => opened > 2 ** 32) && known.some(({ opened }) => opened < 2 ** 32 - 1))
    const expected = plainly(known, positions)
    t.same(answered(moved, positions), expected, `moved, seed ${seed}`)
    t.same(answered(loaded, positions), expected, `loaded, seed ${seed}`)
  }
})

t.test("what is asked about may be later than every position", (t) => {
  const spans = new SubscriptionSpans()
  const [channel, user] = [ChannelId(1), UserId(7)]
  spans.add(channel, user, { opened: 5, closed: null })
  for (const position of [5, 2 ** 32, Number.MAX_SAFE_INTEGER]) {
    t.ok(spans.subscribedAt(channel, user, position), `subscribed at ${position}`)
    t.ok(spans.heldAt(channel, user, position), `held at ${position}`)
  }
  spans.close(channel, user, 9)
  t.notOk(spans.subscribedAt(channel, user, Number.MAX_SAFE_INTEGER))
  t.end()
})

t.test("whose newest role is that of a guest, in whatever order the spans come", (t) => {
  const spans = new RoleSpans()
  spans.add(UserId(1), roles.member, { opened: 9, closed: null })
  spans.add(UserId(1), roles.guest, { opened: 1, closed: 9 })
  spans.add(UserId(2), roles.guest, { opened: 9, closed: null })
  spans.add(UserId(2), roles.member, { opened: 1, closed: 9 })
  t.same([...spans.guests], [2])
  t.end()
})

t.test(
  "a user's rows are found wherever the others' are: dense, with gaps, or all far from where they would be",
  (t) => {
    const random = new Random(7)
    const crowds: ReadonlyArray<ReadonlyArray<number>> = [
      [],
      [5],
      [5, 6],
      Array.from({ length: 50 }, (_, n) => n + 1),
      Array.from({ length: 50 }, (_, n) => 3 * n + 2),
      [...Array.from({ length: 60 }, (_, n) => n + 1), 4_000_000_000],
      [1, ...Array.from({ length: 60 }, (_, n) => 1_000_000 + n)],
      ...Array.from({ length: 20 }, () =>
        [...new Set(Array.from({ length: 40 }, () => random.below(120)))].sort((a, b) => a - b),
      ),
    ]
    for (const users of crowds) {
      const spans = new ChannelSpans()
      spans.add(users, 10, null, 10)
      spans.close(users[0] ?? 0, 20)
      // Who comes back has two rows.
      spans.add(users.slice(0, 1), 30, null, 30)
      const rows = [...users.slice(0, 1), ...users]
      const asked = new Set([0, 1_000_030, 4_000_000_001, ...users.flatMap((user) => [user - 1, user, user + 1])])
      const found = [...asked].map((user) => [spans.firstOf(user), spans.endOf(user), spans.lastOf(user)])
      const plain = [...asked].map((user) => {
        const [before, through] = [
          rows.filter((each) => each < user).length,
          rows.filter((each) => each <= user).length,
        ]
        return [before, through, through > before ? through - 1 : -1]
      })
      t.same(found, plain, `${users.length} users up to ${users.at(-1)}`)
    }
    t.end()
  },
)
