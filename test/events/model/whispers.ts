/** All ephemerals of a schedule: the users each was meant for, and the id under which it came. */
import type { UserId } from "../../../src/ids.ts"
import type { WireItem } from "./link.ts"
import { Violation } from "./violation.ts"

export class Whispers {
  readonly #audiences: Array<ReadonlySet<number>> = []
  /** The event of each id, over all clients and restarts. */
  readonly #meanings = new Map<number, string>()
  /** The id of each signal, by its mark. */
  readonly #ids = new Map<number, number>()

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
    const mark = typeof event["mark"] === "number" ? event["mark"] : -1
    const audience = this.#audiences[mark]
    if (audience === undefined) throw new Violation(`nobody announced ${text}`)
    if ((this.#ids.get(mark) ?? event.id) !== event.id) throw new Violation(`${text} has another id for others`)
    this.#ids.set(mark, event.id)
    if (!audience.has(user)) throw new Violation(`${text} reaches user ${user}, whom it is not for`)
  }
}
