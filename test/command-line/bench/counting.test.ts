/** What `parley bench` counts by: numbers in bytes cut anywhere, answers in pieces, the ledger, and quantiles of delays. */
import t from "tap"
import { lossOf } from "../../../src/command-line/bench/bench-queue.ts"
import { Delays } from "../../../src/command-line/bench/delays.ts"
import { doubtsOf } from "../../../src/command-line/bench/findings.ts"
import { DeliveryLedger } from "../../../src/command-line/bench/ledger.ts"
import { quantile } from "../../../src/command-line/bench/statistics.ts"
import { lookMilliseconds, missedPace, SteadyBeat } from "../../../src/command-line/bench/steady-beat.ts"
import { parseAnswer } from "../../../src/command-line/bench/wire/http-answer.ts"
import { NumberScanner } from "../../../src/command-line/bench/wire/number-scanner.ts"

t.test("numbers are found wherever the bytes are cut, and nothing else is", async (t) => {
  const text = Buffer.from('mar mark-1 x mark-- mark- mark-mark-20 "mark-300"mark-4é mark-x5 ')
  for (let first = 0; first <= text.length; first++)
    for (const second of [first, Math.min(text.length, first + 1), text.length]) {
      const found: Array<number> = []
      const scanner = new NumberScanner(Buffer.from("mark-"), (number) => found.push(number))
      const cuts = [0, first, second, text.length]
      for (const [n, from] of cuts.slice(0, -1).entries()) scanner.piece(text, from, cuts[n + 1] ?? 0)
      t.same(
        found.filter((number) => number > 0),
        [1, 20, 300, 4],
        `${first}, ${second}`,
      )
    }
})

t.test("an answer is taken when it is whole, with a length or in chunks", async (t) => {
  const plain = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
  const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;a=b\r\nlo\r\n0\r\n\r\n"
  for (const text of [plain, chunked]) {
    const bytes = Buffer.from(text)
    for (let end = 0; end < bytes.length; end++) t.equal(parseAnswer(bytes.subarray(0, end)), null, String(end))
    t.match(parseAnswer(bytes), { status: 200, retryAfter: null, body: Buffer.from("hello") })
  }
  const limited = Buffer.from("HTTP/1.1 429 Too Many\r\nretry-after: 28\r\ncontent-length: 2\r\n\r\n{}")
  t.match(parseAnswer(limited), { status: 429, retryAfter: 28_000 })
})

t.test("why a connection is gone", async (t) => {
  t.match(lossOf('not upgraded: HTTP/1.1 400 Bad\r\n\r\n{"code":"BAD_EVENT_QUEUE_ID"}'), { kind: "gone" })
  t.match(lossOf("closed by the server: bad event queue id: 5"), { kind: "gone" })
  t.match(lossOf("HTTP/1.1 429 Too Many\r\nRetry-After: 3\r\n\r\n{}"), { kind: "limited", retryAfter: 3000 })
  t.match(lossOf("not upgraded: HTTP/1.1 404 Not Found\r\n\r\n"), { kind: "refused", why: "answered 404" })
  const body = '{"result":"error","msg":"Not \\"yours\\"","code":"X"}'
  t.match(lossOf(`HTTP/1.1 403 Forbidden\r\n\r\n${body}`), { kind: "refused", why: 'answered 403: Not "yours"' })
  t.match(lossOf("HTTP/1.1 408 Timeout\r\n\r\n"), { kind: "cut", retryAfter: 0 })
  t.match(lossOf("HTTP/1.1 503 Busy\r\nRetry-After: 2\r\n\r\n{}"), { kind: "cut", retryAfter: 2000 })
  t.match(lossOf("ECONNRESET"), { kind: "cut", why: "ECONNRESET", retryAfter: 0 })
})

t.test("the ledger knows what is missing and what came twice", async (t) => {
  const complete: Array<number> = []
  const ledger = new DeliveryLedger(3, (number) => complete.push(number))
  const delays = ledger.time()
  for (let number = 0; number < 1000; number++) t.equal(ledger.send(10 * number), number)
  for (let number = 0; number < 1000; number++) ledger.answer(number, 10 * number + 1, "stored")
  for (let number = 999; number >= 0; number--)
    for (const queue of [0, 1, 2])
      if (number !== 500 || queue !== 2) ledger.take(queue, number, 10 * number + 2 + queue)
  t.match([ledger.deliveries, ledger.doubled, ledger.missing], [2999, 0, 1])
  t.equal(complete.length, 999)
  t.notOk(ledger.isComplete(500))
  t.same(ledger.times(499, 502), { medians: [3, 3], lasts: [4, 4], answers: [1, 1, 1] })
  ledger.take(2, 7, 1e6)
  ledger.take(2, 1e6, 1e6)
  t.equal(ledger.doubled, 2, "again, and one that was never sent")
  ledger.take(2, 500, 5005)
  t.match([ledger.deliveries, ledger.missing], [3000, 0])
  ledger.answer(ledger.send(1e6), 1e6, "refused")
  ledger.answer(ledger.send(1e6), 1e6, "unknown")
  t.equal(ledger.missing, 0, "what is not certainly stored is not missed")
  t.ok(Math.abs(delays.quantile(0.5) / 3 - 1) < 0.01)
})

t.test("a beat goes by the clock, however late the timer is", async (t) => {
  for (const perSecond of [1, 3, 10, 600, 700, 1000])
    for (const late of [0, 0.4, 7, 400]) {
      const beat = new SteadyBeat(perSecond, 5000)
      let sent = 0
      for (let now = 5000; now <= 65_000; now += lookMilliseconds(perSecond) + late)
        for (; beat.owed(now) > 0; beat.sent()) sent++
      t.ok(sent <= 60 * perSecond && sent >= 59 * perSecond - 1, `${sent} at ${perSecond}, ${late} ms late`)
    }
  const beat = new SteadyBeat(100, 0)
  t.equal(beat.owed(9.9), 0)
  t.equal(beat.owed(20_000), 100, "no more than a second's worth is made up for")
  beat.sent()
  t.equal(beat.owed(20_000), 99)
  beat.restart(21_000)
  t.same([beat.owed(20_500) > 0, beat.owed(21_009), beat.owed(21_010)], [false, 0, 1])
})

t.test("a pace that is missed by more than a twentieth is doubtful", async (t) => {
  for (const [messages, perSecond, seconds] of [
    [10, 10, 1],
    [949, 1000, 1],
    [4750, 1000, 5],
    [0, 1, 1],
  ] as const)
    t.equal(missedPace(messages, perSecond, seconds), null, `${messages} of ${perSecond * seconds}`)
  t.equal(missedPace(4700, 1000, 5), "940 messages a second instead of 1000: the pace was not kept")
  t.equal(missedPace(17, 20, 1), "17.0 messages a second instead of 20: the pace was not kept")
})

t.test("quantiles of delays are right to a hundredth", async (t) => {
  const delays = new Delays()
  const samples = Array.from({ length: 10_000 }, (_, n) => 0.05 * 1.001 ** n)
  for (const sample of samples) delays.add(sample)
  for (const share of [0.001, 0.25, 0.5, 0.9, 0.99, 0.999])
    t.ok(Math.abs(delays.quantile(share) / quantile(samples, share) - 1) < 0.011, String(share))
  t.ok(Number.isNaN(new Delays().quantile(0.5)))
})

t.test("doubts are sentences; none where all is well", async (t) => {
  const well = { messages: 5, deliveries: 10, lost: 0, doubled: 0, failed: 0, limited: 0, cut: 0, gone: 0 }
  const reasons = { failed: [["ECONNRESET", 3]], cut: [["closed", 4]] } as const
  t.same(doubtsOf(well, { failed: [], cut: [] }), [])
  t.same(doubtsOf({ ...well, messages: 0 }, { failed: [], cut: [] }), ["no message was sent"])
  t.same(doubtsOf({ ...well, lost: 2, doubled: 1, failed: 3, cut: 4 }, reasons), [
    "2 events lost",
    "1 events came twice",
    "3 requests failed (3 x ECONNRESET)",
    "4 connections ended by themselves (4 x closed)",
  ])
})
