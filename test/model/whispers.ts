/** All ephemerals of a schedule: whom each was announced to, and under which id it came. */
import type { UserId } from "../../src/ids.ts"
import type { WireItem } from "./link.ts"
import { Violation } from "./violation.ts"

export class Whispers {
  readonly #audiences: Array<ReadonlySet<number>> = []
  /** What each id stood for, over all clients and restarts. */
  readonly #meanings = new Map<number, string>()

  /** A new mark, for the payload of a signal to these users. */
  announce(users: ReadonlyArray<UserId>): number {
    return this.#audiences.push(new Set(users)) - 1
  }

  /** An ephemeral has been handed to a client of this user. */
  examine(event: WireItem, user: UserId): void {
    const text = JSON.stringify(event)
    const known = this.#meanings.get(event.id)
    if (known !== undefined && known !== text) throw new Violation(`I4: one id, two events: ${known} and ${text}`)
    this.#meanings.set(event.id, text)
    if (event.type === "heartbeat") return
    const { mark } = event
    const audience = typeof mark === "number" ? this.#audiences[mark] : undefined
    if (audience === undefined) throw new Violation(`nobody announced ${text}`)
    if (!audience.has(user)) throw new Violation(`${text} reaches user ${user}, whom it is not for`)
  }
}
