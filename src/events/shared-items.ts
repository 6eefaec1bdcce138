/**
 * Items that queues share of the event that the hub is at work on: those whose clients asked for the same get the same
 * ones, made once. Queues of users whose copy may differ take no part.
 */
import type { UserId } from "../ids.ts"
import type { EncodedEvent } from "./bytes/encoded-event.ts"
import { emptyUserSet, inSet, type UserSet } from "./event.ts"
import type { QueueClientOptions } from "./queue-spec.ts"

const nothing: ReadonlyArray<EncodedEvent> = []

export class SharedItems {
  #apart: UserSet | null = emptyUserSet
  #clientOptions: QueueClientOptions | null = null
  #items: ReadonlyArray<EncodedEvent> = nothing

  /** Begins with another event. `apart`: the users whose copy may differ; null: everybody's may. */
  begin(apart: UserSet | null): void {
    this.#apart = apart
    this.#clientOptions = null
  }

  /** Begins with receivers of another kind, who share nothing with those before. */
  restart(): void {
    this.#clientOptions = null
  }

  isApart(user: UserId): boolean {
    return this.#apart === null || inSet(this.#apart, user)
  }

  /** The items of the queue before, if it asked for the same. */
  find(clientOptions: QueueClientOptions): ReadonlyArray<EncodedEvent> | undefined {
    return clientOptions === this.#clientOptions ? this.#items : undefined
  }

  keep(clientOptions: QueueClientOptions, items: ReadonlyArray<EncodedEvent>): ReadonlyArray<EncodedEvent> {
    this.#clientOptions = clientOptions
    this.#items = items
    return items
  }
}
