/**
 * What the two forms of a socket's frames cost: bytes, making a frame on the server (once for all receivers of a variant), and
 * reading it in a client. Needs no server. Both forms in turn, on the same events.
 */
import { Unpackr } from "msgpackr/unpack"
import { median } from "../../src/command-line/bench/statistics.ts"
import { type EncodedEvent, encodedEventOf } from "../../src/events/bytes/encoded-event.ts"
import { EventChain } from "../../src/events/event-chain.ts"
import { WireId } from "../../src/ids.ts"
import type { Row, Scenario } from "../scenario.ts"

const firstId = 2 ** 40
const frames = 2000
const rounds = 7

const messageEvent = (n: number): object => ({
  type: "message",
  message: {
    id: 1_000_000 + n,
    sender_id: 7 + (n % 50),
    sender_email: `user${n % 50}@example.com`,
    sender_full_name: "Prince Hamlet of Denmark",
    sender_realm_str: "",
    avatar_url: null,
    type: "stream",
    stream_id: 12,
    display_recipient: "kitchen",
    subject: "lunch",
    topic_links: [],
    content: "<p>The quick brown fox jumps over the lazy dog, and then does so once more because nobody saw it.</p>",
    content_type: "text/html",
    client: "website",
    timestamp: 1_790_000_000 + n,
    reactions: [],
    submessages: [],
    is_me_message: false,
    recipient_id: 12,
  },
  flags: ["read"],
})
const reactionEvent = (n: number): object => ({
  type: "reaction",
  op: "add",
  message_id: 1_000_000 + n,
  user_id: 7,
  emoji_name: "tada",
  emoji_code: "1f389",
  reaction_type: "unicode_emoji",
  user: { user_id: 7, email: "user7@example.com", full_name: "Prince Hamlet of Denmark" },
})
const heartbeat = (): object => ({ type: "heartbeat" })

const events: ReadonlyArray<readonly [label: string, make: (n: number) => object]> = [
  ["a message", messageEvent],
  ["a reaction", reactionEvent],
  ["a heartbeat", heartbeat],
]

const itemsOf = (make: (n: number) => object): ReadonlyArray<EncodedEvent> =>
  Array.from({ length: frames }, (_, n) =>
    encodedEventOf(WireId(firstId + n), Buffer.from(JSON.stringify({ ...make(n), id: firstId + n })), true),
  )

/** Microseconds for each. */
const timed = (task: (n: number) => void): number => {
  const began = performance.now()
  for (let n = 0; n < frames; n++) task(n)
  return ((performance.now() - began) * 1000) / frames
}

const unpackr = new Unpackr({ useRecords: false, int64AsType: "number" })

const measure = (make: (n: number) => object) => {
  const lists = itemsOf(make).map((item) => EventChain.root().append(item))
  const objects = Array.from({ length: frames }, (_, n) => ({ ...make(n), id: firstId + n }))
  const text = timed((n) => void Buffer.from(JSON.stringify(objects[n])))
  const textFrame = timed((n) => void lists[n]?.frame())
  const packedFrame = timed((n) => void lists[n]?.packedFrame())
  const readText = timed((n) => void JSON.parse(lists[n]?.frame().toString("utf8") ?? ""))
  const readPacked = timed((n) => void unpackr.unpack(lists[n]?.packedFrame() ?? Buffer.alloc(0)))
  return {
    "JSON bytes": lists[0]?.frame().length ?? 0,
    "MessagePack bytes": lists[0]?.packedFrame().length ?? 0,
    "JSON made us": text + textFrame,
    "MessagePack made us": text + packedFrame,
    "JSON read us": readText,
    "MessagePack read us": readPacked,
  }
}

export const framesScenario: Scenario = {
  name: "frames",
  about: "one event as a text frame and as a binary frame: bytes, making it once on the server, reading it in a client",
  targets: {},
  run: async () =>
    events.map(([label, make]): Row => {
      const all = Array.from({ length: rounds }, () => measure(make)).slice(2)
      const first = measure(make)
      const figures = Object.fromEntries(
        Object.keys(first).map((name) => [
          name,
          median(all.flatMap((each) => Object.entries(each).flatMap(([key, value]) => (key === name ? [value] : [])))),
        ]),
      )
      return { label, figures, remarks: [] }
    }),
}
