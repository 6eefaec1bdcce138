import t from "tap"
import {
  type MessageMove,
  moveOf,
  readStoredMove,
  storedMove,
} from "../../../../src/chat/changing/message-moves/stored-move.ts"
import { ChannelId, MessageId, UserId } from "../../../../src/ids.ts"

const move: MessageMove = {
  by: UserId(7),
  from: { channel: ChannelId(12), topic: "lunch", isHeldOnly: true },
  what: { message: MessageId(40), mode: "change_later" },
  parts: { bounds: [30, 40], end: 51, first: 1 },
  to: { channel: ChannelId(13), topic: "dinner" },
  isResolution: false,
  policies: 3,
  judgedAt: 50,
}

t.test("a move is stored as older programs stored it, and read again", async (t) => {
  const stored = JSON.stringify(storedMove(move))
  t.equal(
    stored,
    '{"first":1,"user_id":7,"message_id":40,"channel_id":12,"topic":"lunch","bounds":[30,40],"end":51,"judged_at":50,' +
      '"propagate_mode":"change_later","to_topic":"dinner","to_channel":13,"is_held_only":true,"is_resolution":false,' +
      '"policies":3}',
  )
  t.same(moveOf(readStoredMove(JSON.parse(stored))), move)
  const within: MessageMove = { ...move, to: { channel: null, topic: "dinner" } }
  t.notOk("to_channel" in storedMove(within))
  t.same(moveOf(readStoredMove(storedMove(within))), within)
})

t.test("what the oldest programs stored is read", async (t) => {
  const { first: _first, judged_at: _at, policies: _policies, ...oldest } = storedMove(move)
  t.same(moveOf(readStoredMove(oldest)), {
    ...move,
    parts: { ...move.parts, first: 0 },
    policies: 0,
    judgedAt: null,
  })
  t.throws(() => readStoredMove({ ...oldest, bounds: "none" }))
})
