/**
 * What a client knows of the messages that came as events: the reactions to each of them and its submessages, changed by
 * the later events. settles.ts compares it with what GET /messages shows. Part of ClientState.
 */
import type { Person } from "./client.ts"
import { type Fields, objectsIn } from "./client-sections.ts"
import { recordsIn } from "./records.ts"

interface Known {
  /** Each as JSON. */
  readonly reactions: Set<string>
  readonly submessages: Array<Fields>
}

const reactionOf = ({ emoji_name, emoji_code, reaction_type, user_id }: Fields): string =>
  JSON.stringify([emoji_name, emoji_code, reaction_type, user_id])

/** What a later submessage of the same sender would replace; null: nothing. */
const subjectOf = (content: unknown): string | null => {
  const { type, key } = objectsIn([JSON.parse(String(content))])[0] ?? {}
  return type === "vote" ? `vote ${key}` : type === "question" || type === "new_task_list_title" ? String(type) : null
}

const plain = ({ reactions, submessages }: Known): unknown => ({ reactions: [...reactions].sort(), submessages })

/** Messages that one request asks for. */
const atOnce = 1000

export class MessageStates {
  readonly #known = new Map<number, Known>()
  #isTold = false

  /** Whether any message was changed by a later event. */
  get isTold(): boolean {
    return this.#isTold
  }

  message(message: Fields): void {
    const { id, reactions, submessages } = message
    this.#known.set(Number(id), {
      reactions: new Set(objectsIn(reactions).map(reactionOf)),
      submessages: [...objectsIn(submessages)],
    })
  }

  reaction(event: Fields): void {
    const known = this.#find(event)
    if (known === undefined) return
    if (event["op"] === "add") known.reactions.add(reactionOf(event))
    else known.reactions.delete(reactionOf(event))
  }

  submessage({ submessage_id: id, message_id, sender_id, msg_type, content }: Fields): void {
    const of = this.#find({ message_id })
    const subject = subjectOf(content)
    // Of a user's votes for the same option only the last counts.
    const kept = of?.submessages.filter(
      (each) => subject === null || subjectOf(each["content"]) !== subject || each["sender_id"] !== sender_id,
    )
    of?.submessages.splice(0, Number.POSITIVE_INFINITY, ...(kept ?? []), {
      id,
      message_id,
      sender_id,
      msg_type,
      content,
    })
  }

  #find({ message_id }: Fields): Known | undefined {
    this.#isTold = true
    return this.#known.get(Number(message_id))
  }

  /** What this client knows, and what the person's own request shows, of the messages that they may still read. */
  async compared(person: Person): Promise<readonly [known: unknown, shown: unknown]> {
    const known: Array<unknown> = []
    const shown: Array<unknown> = []
    const message_ids = [...this.#known.keys()].slice(-atOnce)
    for (const message of recordsIn((await person.must.get("/messages", { message_ids }))["messages"])) {
      const state = this.#known.get(Number(message["id"]))
      if (state === undefined) continue
      const read = new MessageStates()
      read.message(message)
      known.push(message["id"], plain(state))
      for (const each of read.#known.values()) shown.push(message["id"], plain(each))
    }
    return [known, shown]
  }
}
