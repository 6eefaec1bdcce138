/** Channels and settings of users in one pool, compared with maps. */
import t from "tap"
import { ChannelsByUser } from "../../../../src/chat/ground/realm/channels-by-user.ts"
import type { SubscriptionSettings } from "../../../../src/chat/ground/realm/records.ts"
import { ChannelId, UserId } from "../../../../src/ids.ts"
import { Random } from "../../../events/model/random.ts"
import { isFull } from "../../../kit/share.ts"

const notifications = [
  "desktop_notifications",
  "audible_notifications",
  "push_notifications",
  "email_notifications",
  "wildcard_mentions_notify",
]
/** The last two only older programs could have stored. */
const colors = ["#000000", "#ffffff", "#76ce90", "#00000a", "#ABCDEF", "blue"]

const someSettings = (random: Random): SubscriptionSettings => ({
  color: random.pick(colors),
  is_muted: random.chance(0.3),
  pin_to_top: random.chance(0.3),
  notify: Object.fromEntries(
    random
      .some(random.chance(0.1) ? [...notifications, "of_an_older_program"] : notifications, 0.3)
      .map((name) => [name, random.chance(0.5)]),
  ),
})

t.test("what is put in comes out, however lists grow and move", async (t) => {
  const random = new Random(7)
  const own = new ChannelsByUser()
  const entered = new Map<UserId, Set<ChannelId>>()
  const settings = new Map<UserId, Map<ChannelId, SubscriptionSettings>>()
  const users = Array.from({ length: isFull ? 40 : 10 }, (_, n) => UserId(1 + n * 5_000_000))
  for (let step = 0; step < 100 * users.length; step++) {
    const user = random.pick(users)
    const channel = ChannelId(1 + random.below(step % 3 === 0 ? 300 : 20))
    if (random.chance(0.5)) {
      own.enter(user, channel)
      entered.set(user, (entered.get(user) ?? new Set()).add(channel))
    } else {
      const some = someSettings(random)
      own.setSettings(user, channel, some)
      settings.set(user, (settings.get(user) ?? new Map<ChannelId, SubscriptionSettings>()).set(channel, some))
    }
  }
  for (const user of users) {
    const inside = [...(entered.get(user) ?? [])].sort((a, b) => a - b)
    t.same(own.channels(user), inside)
    const known = [...(settings.get(user) ?? [])].sort(([a], [b]) => a - b)
    t.same(
      own.colors(user),
      known.map(([, { color }]) => color),
    )
    for (let id = 0; id <= 301; id++) {
      const channel = ChannelId(id)
      const expected = [settings.get(user)?.get(channel), inside.includes(channel)]
      const found = [own.settings(user, channel), own.wasIn(user, channel)]
      if (JSON.stringify(found) !== JSON.stringify(expected)) t.same(found, expected, `user ${user}, channel ${id}`)
    }
  }
  t.same([own.channels(UserId(2)), own.colors(UserId(2)), own.settings(UserId(2), ChannelId(1))], [[], [], undefined])
})
