/** Somebody comes back to 10,000 unread messages, in Chromium: what the page counts is what the server counts, whatever is read how. */
import * as Schema from "effect/Schema"
import type { Page } from "playwright-core"
import t from "tap"
import type { Person } from "../kit/client.ts"
import { pluck } from "../kit/records.ts"
import { until } from "../kit/test-database.ts"
import { patience, type Scene, skip, withScene } from "./kit.ts"

const channels = 20
const topics = 20
/** Of each topic. */
const messages = 21
/** Of each conversation; there are as many as the writers have sets of theirs. */
const directs = 107
const writers = ["owner", "admin", "moderator", "guest"]
const sendsAtOnce = 40

const readUnread = Schema.decodeUnknownSync(
  Schema.Struct({
    unread_msgs: Schema.Struct({
      count: Schema.Number,
      pms: Schema.Array(Schema.Struct({ unread_message_ids: Schema.Array(Schema.Number) })),
      huddles: Schema.Array(Schema.Struct({ unread_message_ids: Schema.Array(Schema.Number) })),
      streams: Schema.Array(
        Schema.Struct({
          stream_id: Schema.Number,
          topic: Schema.String,
          unread_message_ids: Schema.Array(Schema.Number),
        }),
      ),
      old_unreads_missing: Schema.Boolean,
    }),
  }),
)

const unreadOf = async (person: Person) => {
  const fetch_event_types = ["message", "update_message_flags"]
  const answer = await person.must.post("/register", { fetch_event_types, event_types: ["heartbeat"] })
  await person.must.delete("/events", { queue_id: answer["queue_id"] })
  return readUnread(answer).unread_msgs
}

/** The channel counts without it. */
const isMuted = (channel: string, topic: string): boolean => channel === "place 01" && topic === "topic 1"

/** What the page says, by the name of the place; what is read is not there. */
const shownCounts = async (page: Page): Promise<ReadonlyMap<string, number>> => {
  const found = await page.evaluate<ReadonlyArray<readonly [string, string]>>(
    `[...document.querySelectorAll(".sidebar a.place:not(.topic)")]
      .filter((place) => place.querySelector(".count") !== null)
      .map((place) => [place.querySelector(".name").textContent, place.querySelector(".count .unseen").textContent])`,
  )
  return new Map(found.map(([name, text]) => [name, Number.parseInt(text, 10)]))
}

/** All, each channel, and direct messages together. */
type Counts = Readonly<Record<string, number>>

const pageCounts = async (page: Page, names: ReadonlyMap<string, number>): Promise<Counts> => {
  const shown = [...(await shownCounts(page))]
  const direct = shown.filter(([name]) => name !== "All messages" && name !== "Mentions" && !names.has(name))
  return {
    all: shown.find(([name]) => name === "All messages")?.[1] ?? 0,
    direct: direct.reduce((sum, [, count]) => sum + count, 0),
    ...Object.fromEntries(shown.filter(([name]) => names.has(name))),
  }
}

const serverCounts = async (person: Person, names: ReadonlyMap<string, number>): Promise<Counts> => {
  const { count, pms, huddles, streams } = await unreadOf(person)
  const sum = (all: ReadonlyArray<{ readonly unread_message_ids: ReadonlyArray<number> }>) =>
    all.reduce((total, { unread_message_ids }) => total + unread_message_ids.length, 0)
  const each = [...names].map(
    ([name, id]) =>
      [name, sum(streams.filter(({ stream_id, topic }) => stream_id === id && !isMuted(name, topic)))] as const,
  )
  return {
    all: count,
    direct: sum(pms) + sum(huddles),
    ...Object.fromEntries(each.filter(([, count]) => count > 0)),
  }
}

const same = (one: Counts, other: Counts): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort())

const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n + 1)

/** Every set of them but the empty one. */
const setsOf = <Item>([first, ...rest]: ReadonlyArray<Item>): ReadonlyArray<ReadonlyArray<Item>> =>
  first === undefined ? [] : [[first], ...setsOf(rest).flatMap((set) => [set, [first, ...set]])]

const fill = async (scene: Scene, reader: Person): Promise<ReadonlyMap<string, number>> => {
  const people = await Promise.all(writers.map((name) => scene.person(name)))
  const [owner] = people
  if (owner === undefined) throw new Error("nobody writes")
  const idOf = async (person: Person) => Number((await person.must.get("/users/me"))["user_id"])
  const self = await idOf(reader)
  const ids = await Promise.all(people.map(idOf))
  const names = new Map<string, number>([["general", 1]])
  for (const n of range(channels)) {
    const name = `place ${String(n).padStart(2, "0")}`
    const { id } = await owner.must.post("/channels/create", { name, subscribers: [self, ids[0]] })
    names.set(name, Number(id))
  }
  const [mutedTopic = 0, mutedChannel = 0] = [names.get("place 01"), names.get("place 02")]
  await reader.must.post("/user_topics", { stream_id: mutedTopic, topic: "topic 1", visibility_policy: 1 })
  await reader.must.post("/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: mutedChannel, property: "is_muted", value: true }],
  })
  const sends: Array<() => Promise<unknown>> = []
  for (const n of range(messages))
    for (const topic of range(topics))
      for (const [name] of [...names].slice(1))
        sends.push(() => owner.send(name, `message ${n}`, { topic: `topic ${topic}` }))
  for (const set of setsOf(people.map((person, n) => ({ person, id: ids[n] }))))
    for (const n of range(directs)) {
      const to = [self, ...set.map(({ id }) => id)]
      sends.push(() => {
        const { person } = set[n % set.length] ?? { person: owner }
        return person.must.post("/messages", { type: "direct", to, content: `message ${n}` })
      })
    }
  let next = 0
  const work = async () => {
    for (let send = sends[next++]; send !== undefined; send = sends[next++]) await send()
  }
  await Promise.all(range(sendsAtOnce).map(work))
  return names
}

t.test("10,000 unread", { skip, timeout: 15 * patience }, (t) =>
  withScene(
    t,
    async (scene) => {
      const reader = await scene.person("member")
      // What the demo has of its own.
      await reader.must.post("/mark_all_as_read")
      const names = await fill(scene, reader)
      const { old_unreads_missing } = await unreadOf(reader)
      t.equal(old_unreads_missing, false)
      const { all: atFirst = 0, direct = 0 } = await serverCounts(reader, names)
      const everything = channels * topics * messages + direct
      t.equal(everything, channels * topics * messages + (2 ** writers.length - 1) * directs)
      t.ok(everything >= 10_000, `${everything} messages`)
      t.ok(atFirst < everything && atFirst > 9_000, "without what is muted")
      const ahead = pluck(
        (
          await reader.must.get("/messages", {
            anchor: "first_unread",
            num_before: 0,
            num_after: 300,
            narrow: [{ operator: "in", operand: "home" }],
          })
        )["messages"],
        "id",
      ).map(Number)

      const page = await scene.signedIn("member", "#all")
      const agree = (at: Page, what: string) =>
        until(`page and server agree: ${what}`, patience, async () =>
          same(await pageCounts(at, names), await serverCounts(reader, names)),
        )
      const go = async (hash: string) => {
        await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
        await page.locator(".message").first().waitFor()
      }
      const markRead = (label: string) => page.locator(`.place-header [aria-label='${label}']`).click()

      await t.test("it opens at the first of them", async (t) => {
        await page.locator(".unread-line").waitFor()
        const first = page.locator(".unread-line ~ .message").first()
        t.equal(Number(await first.getAttribute("data-id")), ahead[0])
        await agree(page, "at first")
        const { all = 0 } = await pageCounts(page, names)
        t.ok(all > 9_000, `${all} are unread`)
        t.match(await page.title(), new RegExp(`^\\(${all}\\) `))
      })

      await t.test("one reads on by scrolling, and nothing is passed over", async (t) => {
        const seen = new Set<number>()
        await until("some pages are read", 3 * patience, async () => {
          const shown = await page.evaluate<ReadonlyArray<string>>(`(() => {
            const list = document.querySelector("#messages")
            list.scrollTop += 300
            return [...list.querySelectorAll("[data-id]")].map((row) => row.dataset.id)
          })()`)
          for (const id of shown) seen.add(Number(id))
          return seen.has(ahead[249] ?? 0)
        })
        t.strictSame(
          ahead.slice(0, 250).filter((id) => !seen.has(id)),
          [],
        )
        await until("some are read", patience, async () => (await serverCounts(reader, names))["all"] !== atFirst)
        await agree(page, "after scrolling")
      })

      const other = await scene.signedIn("member", "#mentions")
      await agree(other, "in a second page")
      const placeOf = (n: number) => names.get(`place ${String(n).padStart(2, "0")}`) ?? 0
      const countOf = async (n: number) => (await pageCounts(page, names))[`place ${String(n).padStart(2, "0")}`] ?? 0

      await t.test("a topic is marked as read", async (t) => {
        await go(`#channel/${placeOf(5)}/topic/topic 7`)
        const before = await countOf(5)
        await markRead("Mark as read")
        await until("it is counted", patience, async () => (await countOf(5)) < before)
        for (const at of [page, other]) await agree(at, "a topic")
        t.equal(await page.locator(".topics a[aria-current] .count").count(), 0)
        t.ok((await countOf(5)) > 0, "and no other topic")
      })

      await t.test("a channel, and one that is muted", async (t) => {
        for (const n of [6, 2]) {
          await go(`#channel/${placeOf(n)}`)
          t.ok((await countOf(n)) > 0)
          await markRead("Mark as read")
          await until("it is counted", patience, async () => (await countOf(n)) === 0)
          for (const at of [page, other]) await agree(at, "a channel")
        }
      })

      await t.test("a conversation", async () => {
        const conversation = page.locator(".sidebar section[aria-labelledby=directs] a", {
          hasText: /^.?Olive Owner/,
        })
        await conversation.first().click()
        await page.locator(".message").first().waitFor()
        await markRead("Mark as read")
        await page.locator(".sidebar a[aria-current] .count").waitFor({ state: "detached" })
        for (const at of [page, other]) await agree(at, "a conversation")
      })

      await t.test("and is the same after a reload", async () => {
        await page.reload()
        await page.locator(".message").first().waitFor()
        await agree(page, "after a reload")
      })

      await t.test("everything", async (t) => {
        await page.locator(".sidebar a", { hasText: "All messages" }).click()
        await markRead("Mark all as read")
        for (const at of [page, other]) {
          await until("nothing is unread", patience, async () => (await at.locator(".sidebar .count").count()) === 0)
          await agree(at, "everything")
          t.notMatch(await at.title(), /^\(/)
        }
        await page.reload()
        await page.locator(".message").first().waitFor()
        await agree(page, "everything, after a reload")
        t.equal(await page.locator(".sidebar .count").count(), 0)
      })
    },
    "--rate-limit",
    "off",
  ),
)
