/** Rows for the tests of this folder. */
import type { LogRow, RowAudience } from "../../../src/events/event.ts"
import { Position } from "../../../src/ids.ts"

export const row = (position: number, audience: RowAudience, bytes = 1000): LogRow => ({
  position: Position(position),
  type: "test",
  payload: {},
  audience,
  width: 1,
  origin: null,
  at: 0,
  content: null,
  bytes,
})
