import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import t from "tap"
import type { EndpointReply } from "../../src/api/endpoint.ts"
import { ClientPresence, type ClientWaiting } from "../../src/fairness/client-presence.ts"
import { makeLargeAnswers } from "../../src/fairness/large-answers.ts"
import { makeRefusals } from "../../src/fairness/refusals.ts"
import { bytesOf, JsonMember, type JsonPieces, listInPieces, SharedPiece } from "../../src/json-pieces.ts"
import { manualClock } from "../kit/manual-clock.ts"

const megabyte = 1024 * 1024

const stage = (changed: { unreadBytes?: number; largeAnswersPerUser?: number } = {}) => {
  const clock = manualClock()
  const refusals = makeRefusals(clock, () => {})
  const answers = makeLargeAnswers(clock, refusals, { unreadBytes: 10 * megabyte, largeAnswersPerUser: 2, ...changed })
  const made: Array<string> = []
  const ask = (requester: string, bytes: number) =>
    Effect.runFork(
      answers.answer(
        requester,
        bytes,
        Effect.sync(() => [`"n":${made.push(requester)}`]),
      ),
    )
  return { clock, refusals, answers, made, ask }
}

const reservationOf = (reply: EndpointReply) => (reply._tag === "Text" ? reply.reservation : null)
const join = <A, E>(fiber: Fiber.Fiber<A, E>) => Effect.runPromise(Fiber.join(fiber))

t.test("a small answer needs no room", async (t) => {
  const { ask, made } = stage({ largeAnswersPerUser: 1 })
  for (let n = 0; n < 10; n++) t.equal(reservationOf(await join(ask("a", 1000))), null)
  t.equal(made.length, 10)
})

t.test("a large answer is made only when there is room for it", async (t) => {
  const { ask, made } = stage()
  const first = await join(ask("a", 6 * megabyte))
  const second = ask("b", 6 * megabyte)
  t.same(made, ["a"], "nothing of b is in memory")
  reservationOf(first)?.leave()
  reservationOf(first)?.leave()
  await join(second)
  t.same(made, ["a", "b"])
})

t.test("a requester has a few large answers at a time", async (t) => {
  const { ask, made, refusals } = stage()
  await join(ask("a", megabyte))
  await join(ask("a", megabyte))
  const further = Array.from({ length: 20 }, () => ask("a", megabyte))
  const refused = await Effect.runPromise(Effect.flip(Fiber.join(ask("a", megabyte))))
  t.match(refused, { code: "RATE_LIMIT_HIT" })
  t.equal(refusals.counts().get("large answers of a user"), 1)
  await join(ask("b", megabyte))
  t.same(made, ["a", "a", "b"], "and others need not wait for theirs")
  for (const fiber of further) await Effect.runPromise(Fiber.interrupt(fiber))
  refusals.stop()
})

t.test("who reads slowly loses the room once others wait for it, and not before", async (t) => {
  const { clock, ask, made } = stage()
  const slow = reservationOf(await join(ask("a", 8 * megabyte)))
  let cuts = 0
  slow?.onCut(() => {
    cuts += 1
  })
  clock.advance(60_000)
  t.equal(cuts, 0, "nobody else wanted it")
  const waiting = ask("b", 8 * megabyte)
  clock.advance(1000)
  t.equal(cuts, 1)
  reservationOf(await join(waiting))?.leave()
  t.same(made, ["a", "b"])
  t.equal(clock.pending(), 0)
})

t.test("who waits for the end of their own answers cuts nobody else's", async (t) => {
  const { clock, ask } = stage({ largeAnswersPerUser: 1 })
  let cuts = 0
  reservationOf(await join(ask("a", megabyte)))?.onCut(() => {
    cuts += 1
  })
  reservationOf(await join(ask("b", megabyte)))?.onCut(() => {})
  const own = ask("b", megabyte)
  clock.advance(20_000)
  t.equal(cuts, 0, "there is room")
  await Effect.runPromise(Fiber.interrupt(own))
})

t.test("nobody keeps an answer for ever", async (t) => {
  const { clock, ask } = stage()
  let cuts = 0
  reservationOf(await join(ask("a", megabyte)))?.onCut(() => {
    cuts += 1
  })
  clock.advance(121_000)
  t.equal(cuts, 1)
})

t.test("the room of an answer that cannot be made is given back", async (t) => {
  const { answers, ask, clock } = stage({ largeAnswersPerUser: 1 })
  const fails = answers.answer("a", megabyte, Effect.die(new Error("no answer")))
  t.equal((await Effect.runPromise(Effect.exit(fails)))._tag, "Failure")
  t.equal(clock.pending(), 0)
  t.equal(reservationOf(await join(ask("a", megabyte))) === null, false)
})

t.test("bytes that wait unread already are counted, for each requester and in all", (t) => {
  const { answers, clock, refusals } = stage({ unreadBytes: 8 * megabyte })
  const rooms = Array.from({ length: 8 }, (_, n) => answers.note(`user ${n}`, megabyte))
  t.notOk(rooms.includes(undefined))
  t.equal(answers.note("user 0", 1), undefined)
  t.equal(answers.note("user 9", megabyte), undefined)
  t.same(
    [...refusals.counts()],
    [
      ["large answers of a user", 1],
      ["large answers in all", 1],
    ],
  )
  let cuts = 0
  for (const room of rooms)
    room?.onCut(() => {
      cuts += 1
    })
  clock.advance(11_000)
  t.equal(cuts, 4, "until there is room for others")
  for (const room of rooms) room?.leave()
  const large = answers.note("user 0", 9 * megabyte)
  t.ok(large, "one is answered whatever its size")
  large?.leave()
  refusals.stop()
  t.equal(clock.pending(), 0)
  t.end()
})

t.test("what answers share counts once, until the last of them has left", async (t) => {
  const { answers, ask, made } = stage({ unreadBytes: 10 * megabyte })
  const shared = [new SharedPiece(Buffer.alloc(4 * megabyte)), new SharedPiece(Buffer.alloc(2 * megabyte))]
  const share = (requester: string) =>
    join(
      Effect.runFork(answers.answer(requester, { whole: 7 * megabyte, own: megabyte }, Effect.succeed([shared]))),
    ).then(reservationOf)
  const rooms = [await share("a"), await share("b"), await share("c")]
  const large = ask("d", 1.5 * megabyte)
  t.same(made, [], "6 MB that they share, and 1 MB of each")
  rooms[0]?.leave()
  await join(large)
  t.same(made, ["d"], "its own is free, and no more")
  const larger = ask("e", 5 * megabyte)
  rooms[1]?.leave()
  t.same(made, ["d"], "one still holds what they shared")
  rooms[2]?.leave()
  await join(larger)
  t.same(made, ["d", "e"])
})

t.test("an answer counts more while it is made than when it waits for its client", async (t) => {
  const { answers } = stage({ unreadBytes: 64 * megabyte })
  const ends: Array<() => void> = []
  const slow = (requester: string) =>
    Effect.runFork(
      answers.answer(
        requester,
        { whole: megabyte, own: 1000 },
        Effect.callback<ReadonlyArray<string>>((resume) => {
          ends.push(() => resume(Effect.succeed([])))
        }),
      ),
    )
  const fibers = Array.from({ length: 100 }, (_, n) => slow(`user ${n}`))
  for (let n = 0; n < fibers.length; n++) {
    while (ends[n] === undefined) await new Promise(setImmediate)
    t.ok(ends.length <= n + 32, "32 are made at a time")
    ends[n]?.()
  }
  const rooms = await Promise.all(fibers.map(join)).then((replies) => replies.map(reservationOf))
  t.notOk(rooms.includes(null), "though none has left")
  for (const room of rooms) room?.leave()
})

t.test("4,000 wait for room at most", async (t) => {
  const { refusals, made, ask } = stage()
  const room = reservationOf(await join(ask("first", 10 * megabyte)))
  const waiting = Array.from({ length: 4000 }, (_, n) => ask(`user ${n}`, megabyte))
  const fault = await Effect.runPromise(Effect.flip(Fiber.join(ask("one more", megabyte))))
  t.match(fault, { status: 503 })
  t.equal(refusals.counts().get("large answers in all"), 1)
  await Effect.runPromise(Fiber.interruptAll(waiting))
  room?.leave()
  await join(ask("later", 10 * megabyte))
  t.same(made, ["first", "later"], "who has gone has taken nothing along")
})

/** A client that the test sends away. */
const makeClient = () => {
  let isGone = false
  let task = () => {}
  const presence: ClientWaiting = {
    isGone: () => isGone,
    onGone: (next) => {
      task = next
    },
  }
  const leave = () => {
    isGone = true
    task()
  }
  return { presence, leave }
}

t.test("a client that goes away while it waits frees its place, and its answer is not made", async (t) => {
  const { answers, clock, ask, made } = stage({ unreadBytes: 4 * megabyte, largeAnswersPerUser: 1 })
  const first = reservationOf(await join(ask("a", 3 * megabyte)))
  const client = makeClient()
  const make = Effect.sync(() => [`"n":${made.push("gone")}`])
  const waiting = Effect.runFork(
    Effect.provideService(answers.answer("b", 4 * megabyte, make), ClientPresence, client.presence),
  )
  const behind = ask("c", megabyte)
  t.same(made, ["a"], "nobody is passed over")
  client.leave()
  t.match(await Effect.runPromise(Effect.flip(Fiber.join(waiting))), { _tag: "Unavailable" })
  await join(behind)
  t.same(made, ["a", "c"])
  const late = makeClient()
  late.leave()
  const never = Effect.provideService(answers.answer("b", megabyte, make), ClientPresence, late.presence)
  t.match(await Effect.runPromise(Effect.flip(never)), { _tag: "Unavailable" })
  first?.leave()
  await join(ask("b", 3 * megabyte))
  t.same(made, ["a", "c", "b"])
  t.equal(clock.pending(), 0)
})

t.test("visitors take no room from users, however many there are", async (t) => {
  const { answers, clock, ask, made } = stage({ unreadBytes: 8 * megabyte })
  const visits = Array.from({ length: 30 }, (_, n) =>
    Effect.runFork(
      answers.answer(
        `10.0.0.${n}`,
        2 * megabyte,
        Effect.sync(() => [`"n":${made.push("visitor")}`]),
        "visitor",
      ),
    ),
  )
  await join(ask("user", 6 * megabyte))
  t.same(made, ["visitor", "user"], "one of them has all that they have")
  for (const fiber of visits.slice(1)) await Effect.runPromise(Fiber.interrupt(fiber))
  clock.advance(31_000)
})

t.test("answers that nobody asked room for take none from those that ask", async (t) => {
  const { answers, ask, made } = stage({ unreadBytes: 8 * megabyte })
  for (let n = 0; n < 30; n++) answers.note(`user ${n % 3}`, megabyte)
  await join(ask("somebody else", 6 * megabyte))
  t.same(made, ["somebody else"])
})

const textOf = (pieces: JsonPieces) => `{${Buffer.concat(pieces.map(bytesOf)).toString()}}`

t.test("a list in pieces is the list", async (t) => {
  for (const count of [0, 1, 2, 3000]) {
    const items = Array.from({ length: count }, (_, n) => ({ n, name: "ü".repeat(40) }))
    const texts = items.map((each) => JSON.stringify(each))
    const pieces = await Effect.runPromise(listInPieces("items", items, (each) => JSON.stringify(each)))
    t.same(JSON.parse(textOf(pieces)), { items }, `${count} items`)
    t.equal(pieces.length > 2, count === 3000, "a long one is never one text")
    const list = new JsonMember("items", texts)
    t.equal(list.isShort, count < 3000)
    t.equal(`{${list.text}}`, textOf(await Effect.runPromise(list.pieces)))
  }
})
