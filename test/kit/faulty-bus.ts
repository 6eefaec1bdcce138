/** A bus between processes that loses a fifth of the messages, is late with a third, and doubles a tenth, by the seed of the run. */
import { hashOf, seed } from "./share.ts"
import type { ServersSetup } from "./with-servers.ts"

let drawn = 0
/** From 0 to 1. */
const random = (): number => hashOf(`${seed} bus ${drawn++}`) / 2 ** 32

export const faultyBus: NonNullable<ServersSetup["carry"]> = (text, give) => {
  const times = random() < 0.2 ? 0 : random() < 0.1 ? 2 : 1
  for (let n = 0; n < times; n++) {
    if (random() < 0.3) setTimeout(() => give(text), 100 * random()).unref()
    else give(text)
  }
}
