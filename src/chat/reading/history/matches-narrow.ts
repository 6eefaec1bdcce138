/** GET /messages/matches_narrow: which of some messages match a narrow, and where. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { json } from "../../../api/params.ts"
import { integer, list } from "../../../api/shapes.ts"
import { Config } from "../../../config/config.ts"
import { UserReads } from "../../../db/reads.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { nextSlice } from "../../../slices.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import type { Scope } from "./fetch-messages-store.ts"
import { maxMessages } from "./fetch-range.ts"
import { judgeFor } from "./message-access.ts"
import { findMessagesById, loadableParts, loadMessages } from "./messages-by-id-store.ts"
import { narrowShape } from "./narrows/narrow.ts"
import { resolveNarrow } from "./resolve-narrow.ts"
import { findMatches, findSought, plainMatch } from "./texts/text-matches.ts"
import type { MessageJudge } from "./walk/search-conditions-store.ts"

export const getMatchesNarrow = userEndpoint({
  method: "GET",
  path: "/messages/matches_narrow",
  summary: "Which of some messages match a narrow.",
  params: { messages: json("msg_ids", list(integer, maxMessages)), narrow: json("narrow", narrowShape) },
  reply: Schema.Struct({
    /** By the ids of those that match. */
    messages: Schema.Record(
      Schema.String,
      Schema.Struct({ match_content: Schema.String, match_subject: Schema.String }),
    ),
  }),
  errors: ["BAD_NARROW", "REQUEST_VARIABLE_MISSING"],
  run: Effect.fnUntraced(function* (caller, { params }) {
    const { realm, user } = yield* requireAccount(caller)
    const reads = yield* UserReads
    const requester = requesterName(caller)
    const reading = reads.begin(requester)
    const narrow = yield* resolveNarrow(reading, params.narrow, { realm, user })
    const { mayRead } = judgeFor(realm, user)
    // Only what the user holds: the history of a channel that they are not in matches nothing.
    const judge: MessageJudge = { realm, mayRead: (channel, held) => held && mayRead(channel, held) }
    const scope: Scope = { realm: realm.id, user: user.id, head: realm.position, narrow, judge }
    const found = yield* findMessagesById(reading, scope, params.messages, judge, true)
    const bytes = found.reduce((sum, each) => sum + each.bytes, 0)
    const { answerBytes } = (yield* Config).limits
    if (found.length > 1 && bytes > answerBytes)
      return yield* badRequest(`These messages have more than ${answerBytes} bytes: ask for fewer of them`)
    const write = Effect.gen(function* () {
      // A reading of its own: the time that the request waits for room is not the database's.
      const reading = reads.begin(requester)
      const sought = yield* findSought(reading, narrow)
      const pieces: Array<Buffer> = []
      for (const part of loadableParts(found)) {
        const rows = yield* loadMessages(reading, scope, part, judge, true)
        const match =
          sought === null
            ? (row: (typeof rows)[number]) => plainMatch(row, false)
            : yield* findMatches(reading, sought, rows, false)
        yield* nextSlice
        for (const row of rows) {
          const begin = pieces.length === 0 ? "" : ","
          pieces.push(Buffer.from(`${begin}${JSON.stringify(String(row.id))}:${JSON.stringify(match(row))}`))
        }
      }
      return [[Buffer.from('"messages":{'), ...pieces, Buffer.from("}")]]
    })
    return yield* (yield* LargeAnswers).answer(requester, bytes, write)
  }),
})
