/** Which inputs were under way while the server's loop was blocked: one of them it was, or all of them together. */
import type { Block } from "./fuzz-server.ts"
import type { Sent } from "./input.ts"

export interface Blamed {
  readonly block: Block
  readonly suspects: ReadonlyArray<Pick<Sent, "number" | "input">>
}

const leastOwn = 15
/** Clocks of two processes, and the time from a socket to the loop. */
const slackMilliseconds = 10

/** Only blocks in which the loop's own thread worked: in others it waited for a processor. */
export const blame = (blocks: ReadonlyArray<Block>, sent: ReadonlyArray<Sent>): ReadonlyArray<Blamed> =>
  blocks
    .filter(({ own }) => own > leastOwn)
    .map((block) => ({
      block,
      suspects: sent.filter(
        ({ beganAt, endedAt }) =>
          beganAt <= block.endedAt + slackMilliseconds && endedAt >= block.endedAt - block.block - slackMilliseconds,
      ),
    }))

/** How often each input was there, the most suspect first. */
export const mostSuspect = (blamed: ReadonlyArray<Blamed>, most: number): ReadonlyArray<Blamed> =>
  [...blamed].sort((a, b) => b.block.own - a.block.own).slice(0, most)
