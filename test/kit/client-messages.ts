/**
 * Messages that came to a client as events: the content and the place of each of them, the reactions to it and its
 * submessages, changed by the later events. settles.ts compares them with what GET /messages shows. Part of
 * ClientState.
 */
import type { Person } from "./client.ts"
import { type Fields, numbersIn, objectIn, objectsIn } from "./client-sections.ts"
import { recordsIn } from "./records.ts"

interface Known {
  content: unknown
  subject: unknown
  channel: unknown
  /** Each as JSON. */
  readonly reactions: Set<string>
  readonly submessages: Array<Fields>
}

const reactionOf = ({ emoji_name, emoji_code, reaction_type, user_id }: Fields): string =>
  JSON.stringify([emoji_name, emoji_code, reaction_type, user_id])

/** The subject of a submessage, which a later one of the same sender replaces; null: none does. */
const subjectOf = (content: unknown): string | null => {
  const { type, key } = objectsIn([JSON.parse(String(content))])[0] ?? {}
  return type === "vote" ? `vote ${key}` : type === "question" || type === "new_task_list_title" ? String(type) : null
}

const plain = ({ reactions, ...rest }: Known): unknown => ({ ...rest, reactions: [...reactions].sort() })

/** Messages that one request asks for. */
const atOnce = 1000

export class MessageStates {
  readonly #known = new Map<number, Known>()
  /** How it wants to read messages. */
  readonly #options: { readonly apply_markdown: boolean; readonly allow_empty_topic_name: boolean }
  #isTold = false

  /** `asked`: the parameters of the register. */
  constructor({ apply_markdown, client_capabilities }: Fields = {}) {
    this.#options = {
      apply_markdown: apply_markdown === true,
      allow_empty_topic_name: objectIn(client_capabilities ?? {})["empty_topic_name"] === true,
    }
  }

  /** Whether any message was changed by a later event. */
  get isTold(): boolean {
    return this.#isTold
  }

  message(message: Fields): void {
    const { id, content, subject, stream_id, reactions, submessages } = message
    this.#known.set(Number(id), {
      content,
      subject,
      channel: stream_id,
      reactions: new Set(objectsIn(reactions).map(reactionOf)),
      submessages: [...objectsIn(submessages)],
    })
  }

  updated({ message_id, message_ids, content, rendered_content, subject, new_stream_id: channel }: Fields): void {
    const edited = content === undefined ? undefined : this.#find({ message_id })
    if (edited !== undefined) edited.content = this.#options.apply_markdown ? rendered_content : content
    for (const id of numbersIn(message_ids)) {
      const known = this.#find({ message_id: id })
      if (known !== undefined && subject !== undefined) known.subject = subject
      if (known !== undefined && channel !== undefined) known.channel = channel
    }
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
    // Only the last of a user's votes for the same option counts.
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

  /** Drops the messages of a channel. */
  forget(channel: number): void {
    for (const [id, known] of this.#known) if (known.channel === channel) this.#known.delete(id)
  }

  /** The messages that the person may still read, as this client knows them, and as a request of theirs shows them. */
  async compared(person: Person): Promise<readonly [known: unknown, shown: unknown]> {
    const known: Array<unknown> = []
    const shown: Array<unknown> = []
    const message_ids = [...this.#known.keys()].slice(-atOnce)
    for (const message of recordsIn(
      (await person.must.get("/messages", { message_ids, ...this.#options }))["messages"],
    )) {
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
