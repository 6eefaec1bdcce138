/**
 * Rounds of random play with events that some clients see as several: rows of any width, ephemerals, restarts, and readers
 * that read by poll or socket and forget what they had. Used by queue-invariants.test.ts, short here and long in test/deep.
 */
import type { Test } from "tap"
import type { Limits } from "../../src/config/config.ts"
import { wireId } from "../../src/events/event.ts"
import { emit, further } from "../kit/further.ts"
import { IdBook } from "../kit/id-book.ts"
import type { Reader } from "../kit/reader.ts"
import { withServer } from "../kit/with-server.ts"
import { Random } from "./model/random.ts"

const lobby = { name: "lobby", users: ["hamlet", "cordelia", "othello"] } as const
const bulk = { client_capabilities: { bulk_message_deletion: true } }

/** The limits that decide by which ways events reach a client. */
export const sizes: Readonly<Record<string, Partial<Limits>>> = {
  "with room for everything": {},
  "where lists overflow, pages end inside rows, and the past is not in memory": { pendingEvents: 3, ringBytes: 4000 },
}

/** A round of one reader: reads by poll or by socket while things happen, and then may forget the newest part. */
const readRound = async (random: Random, reader: Reader, book: IdBook, act: () => Promise<number>): Promise<void> => {
  const before = reader.events.length
  if (random.chance(0.5)) {
    await act()
    await reader.rest()
  } else {
    // The first look loads the queue.
    await reader.poll(false)
    await reader.open()
    const newest = await act()
    while (reader.lastId < newest) await reader.frame()
    reader.dropSocket()
  }
  for (const event of reader.events.slice(before)) book.see(reader.queueId, event)
  const start = Number(reader.state["last_event_id"])
  // Anywhere: to an event, to one that only others get, inside a wide row.
  if (random.chance(0.4)) reader.rewind(Math.max(start, reader.lastId - random.between(0, 3 * 65_536)))
  else if (random.chance(0.5)) reader.rewind(Math.max(start, reader.lastId - random.between(0, 4)))
}

/** Plays rounds while `goesOn` of their number so far says so, then holds all that was read against the log. */
export const playWideRows = (t: Test, limits: Partial<Limits>, seed: number, goesOn: (rounds: number) => boolean) =>
  withServer(t, { channels: [lobby], further, limits }, async (server) => {
    const random = new Random(seed)
    const book = new IdBook()
    const idle = { idle_queue_timeout: 7 * 24 * 3600, event_types: ["test_wide", "message", "typing"] }
    let readers = [
      await server.queue("hamlet", idle),
      await server.queue("hamlet", { ...idle, ...bulk }),
      await server.queue("othello", idle),
    ]
    const people = [server.idOf("hamlet"), server.idOf("othello")]
    const start = server.realm.feed.position
    let newest = start
    const act = async (): Promise<number> => {
      for (let count = random.between(1, 4); count > 0; count--) {
        const what = random.between(0, 5)
        const width = random.between(1, 6)
        if (what <= 1) newest = await emit(server, { type: "test_wide", payload: { name: `a row of ${width}` }, width })
        else if (what === 2) newest = await server.as("cordelia").send("lobby", "text")
        else if (what === 3) server.clock.advance(56_000)
        else await server.as("cordelia").must.post("/typing", { op: random.pick(["start", "stop"]), to: people })
      }
      return wireId(newest, 0)
    }
    for (let round = 0; goesOn(round); round++) {
      await readRound(random, random.pick(readers), book, act)
      if (random.chance(0.08)) {
        await server.restart()
        readers = readers.map((reader, index) => server.resume(index === 2 ? "othello" : "hamlet", reader))
      }
    }
    // Chance may have left heartbeats or typing out.
    const [first] = readers
    if (first === undefined) throw new Error("nobody reads")
    const before = first.events.length
    await first.rest()
    await first.open()
    server.clock.advance(56_000)
    await first.until(({ type }) => type === "heartbeat")
    // Whatever was typed has run out by now.
    await server.as("cordelia").must.post("/typing", { op: "start", to: people })
    await first.until(({ type }) => type === "typing")
    first.dropSocket()
    for (const event of first.events.slice(before)) book.see(first.queueId, event)
    for (const reader of readers) for (const event of await reader.rest()) book.see(reader.queueId, event)
    await book.checkWidths(server)
    t.same(book.faults, [], `seed ${seed}`)

    const rows = await server.rows(
      "select position, width from log where position > $1 and type in ('message', 'test_wide') order by position",
      [start],
    )
    for (const [index, reader] of readers.entries()) {
      const expected = rows.flatMap((row) =>
        Array.from({ length: index === 1 ? 1 : Number(row["width"]) }, (_, n) => wireId(Number(row["position"]), n)),
      )
      t.same(book.stored(reader.queueId), expected, `every stored event came, seed ${seed}`)
    }
    t.ok(book.count("typing") > 0 && book.count("heartbeat") > 0, "ephemerals came between them")
  })
