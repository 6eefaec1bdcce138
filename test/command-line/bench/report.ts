/** What `parley bench --json` prints, and what of it says that everything sent has come once. */
import * as Schema from "effect/Schema"
import type { Test } from "tap"

export const Printed = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      date: Schema.String,
      server: Schema.Struct({ url: Schema.String, isOwn: Schema.Boolean, version: Schema.String }),
      client: Schema.Struct({ cpu: Schema.String, cores: Schema.Number, system: Schema.String, node: Schema.String }),
      accounts: Schema.Number,
      isInterrupted: Schema.Boolean,
      endedEarly: Schema.NullOr(Schema.String),
      doubts: Schema.Array(Schema.String),
      outcomes: Schema.Array(
        Schema.Struct({
          scenario: Schema.String,
          label: Schema.String,
          queues: Schema.Number,
          transport: Schema.Literals(["socket", "poll"]),
          figures: Schema.Record(Schema.String, Schema.NullOr(Schema.Number)),
          limit: Schema.String,
          counts: Schema.Record(Schema.String, Schema.Number),
          doubts: Schema.Array(Schema.String),
        }),
      ),
    }),
  ),
)

export const clean = { lost: 0, doubled: 0, failed: 0, limited: 0, cut: 0, gone: 0 }

/** Everything that was sent has come once. */
export const isWhole = (t: Test, { label, queues, counts, doubts }: ReturnType<typeof Printed>["outcomes"][number]) => {
  t.match(counts, clean, label)
  t.same(doubts, [], label)
  t.ok((counts["messages"] ?? 0) > 0, label)
  t.equal(counts["deliveries"], queues * (counts["messages"] ?? 0), label)
}
