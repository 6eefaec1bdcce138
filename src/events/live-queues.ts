/**
 * The live queues of one realm by owner, and which of them a row is offered to. The hub walks the lists that it gets
 * here in slices, over several turns, while queues come and go. So lists are never changed, only replaced, and a walk
 * keeps the list that it began with. A queue that has left meanwhile ignores what it is offered.
 */
import { UserId } from "../ids.ts"
import { inSet, type LogRow, type Membership, type Receivers, type UserSet } from "./event.ts"
import type { Queue } from "./queue.ts"

const nobody: ReadonlyArray<Queue> = []

export class LiveQueues {
  readonly #byUser = new Map<number, ReadonlyArray<Queue>>()
  /** Queues that also take messages of public channels their owner is not in. */
  readonly #open = new Set<Queue>()
  /** The last set of users that was asked for, with their queues; kept until any queue comes or goes. */
  #found: { readonly users: UserSet; readonly queues: ReadonlyArray<Queue> } | null = null

  get count(): number {
    let count = 0
    for (const queues of this.#byUser.values()) count += queues.length
    return count
  }

  add(queue: Queue): void {
    this.#found = null
    const { user, clientOptions } = queue.spec
    this.#byUser.set(user, [...(this.#byUser.get(user) ?? []), queue])
    if (clientOptions.openToPublic) this.#open.add(queue)
  }

  remove(queue: Queue): void {
    this.#found = null
    const { user } = queue.spec
    const left = (this.#byUser.get(user) ?? []).filter((each) => each !== queue)
    if (left.length === 0) this.#byUser.delete(user)
    else this.#byUser.set(user, left)
    this.#open.delete(queue)
  }

  all(): ReadonlyArray<Queue> {
    return [...this.#byUser.values()].flat()
  }

  ofUsers(users: UserSet): ReadonlyArray<Queue> {
    if (this.#found?.users !== users) this.#found = { users, queues: this.#find(users) }
    return this.#found.queues
  }

  /** Walks the users or the owners of live queues, whichever are fewer. */
  #find(users: UserSet): ReadonlyArray<Queue> {
    const found: Array<Queue> = []
    if (users.length <= this.#byUser.size) {
      for (const user of users) for (const queue of this.#byUser.get(user) ?? []) found.push(queue)
    } else {
      for (const [user, queues] of this.#byUser)
        if (inSet(users, UserId(user))) for (const queue of queues) found.push(queue)
    }
    return found
  }

  /** Queues that get a public channel's message though their owner is not subscribed to the channel. */
  publicQueues(row: LogRow, receivers: Receivers, people: Membership): ReadonlyArray<Queue> {
    const { type, audience, position } = row
    if (this.#open.size === 0 || type !== "message" || audience.kind !== "subscribers" || audience.was.isPrivate)
      return nobody
    const isOpenTo = ({ spec: { user } }: Queue) => !receivers.includes(user) && people.memberAt(user, position)
    return [...this.#open].filter(isOpenTo)
  }
}
