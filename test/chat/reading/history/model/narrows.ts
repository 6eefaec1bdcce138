/** Random narrows of all operators, each with what it means for a message of the world. */
import type { Random } from "../../../../events/model/random.ts"
import { leftOut, someSearch, standsIn, topics } from "./words.ts"
import type { Channel, Message, User, World } from "./world.ts"

export interface Term {
  readonly operator: string
  readonly operand: unknown
  readonly negated: boolean
}

type Kind = "direct" | "channel" | "other"

interface Meaning {
  readonly operator: string
  readonly operand: unknown
  readonly fits: (message: Message) => boolean
  /** Channels whose history the term opens. */
  readonly opens?: ReadonlyArray<Channel>
  readonly kind?: Kind
  /** Only what the reader received is so. Whatever else is in the history of a channel is not. */
  readonly isOfReceived?: boolean
}

/** A random narrow for a reader. */
export interface Narrow {
  readonly terms: ReadonlyArray<Term>
  readonly fits: (message: Message) => boolean
  /** Whether the narrow looks at the message at all: the reader holds it, or it is in the history of a named channel. */
  readonly isWithin: (message: Message) => boolean
  readonly isRefused: boolean
}

/** The flags of messages for the reader, as they are shown. */
export type Flags = ReadonlyMap<number, ReadonlySet<string>>

export class Narrows {
  readonly #world: World
  readonly #random: Random

  constructor(world: World, random: Random) {
    this.#world = world
    this.#random = random
  }

  #user(): User {
    return this.#random.pick(this.#world.users)
  }

  #named(user: User): number | string {
    return this.#random.chance(0.5) ? user.id : user.email
  }

  #channel(reader: User): Meaning {
    const known = this.#world.channels.filter((each) => this.#world.mayName(reader, each))
    const found = this.#random.find(known)
    if (found === undefined) return this.#channels(reader)
    const { id, name } = found
    return {
      operator: this.#random.pick(["channel", "stream"]),
      operand: this.#random.pick([id, name, name.toUpperCase()]),
      fits: ({ channel }) => channel === found,
      opens: [found],
      kind: "channel",
    }
  }

  #channels(_reader: User): Meaning {
    const operand = this.#random.pick(["public", "web-public"])
    const opens = this.#world.channels.filter((each) => (operand === "public" ? !each.isPrivate : each.isWebPublic))
    const fits = ({ channel }: Message) => channel !== null && opens.includes(channel)
    return { operator: this.#random.pick(["channels", "streams"]), operand, fits, opens, kind: "channel" }
  }

  #topic(): Meaning {
    const operand = this.#random.pick([...topics, "RIVERS", "elsewhere", "general chat"])
    const topic = operand === "general chat" ? "" : operand.toLowerCase()
    const fits = (message: Message) => message.channel !== null && message.topic.toLowerCase() === topic
    return { operator: this.#random.pick(["topic", "subject"]), operand, fits, kind: "channel" }
  }

  #sender(): Meaning {
    const user = this.#user()
    return { operator: "sender", operand: this.#named(user), fits: ({ sender }) => sender === user.id }
  }

  #direct(reader: User): Meaning {
    const others = this.#random.some(this.#world.users, 0.25)
    const key = [...new Set([reader.id, ...others.map(({ id }) => id)])].sort((a, b) => a - b).join()
    const operand = this.#random.chance(0.5) ? others.map(({ id }) => id) : others.map(({ email }) => email).join(",")
    return {
      operator: this.#random.pick(["dm", "pm-with", "pm_with"]),
      operand,
      fits: ({ people }) => others.length > 0 && [...people].sort((a, b) => a - b).join() === key,
      kind: "direct",
    }
  }

  #including(): Meaning {
    const user = this.#user()
    const isGroup = this.#random.chance(0.4)
    return {
      operator: isGroup ? this.#random.pick(["group-pm-with", "group_pm_with"]) : "dm-including",
      operand: this.#named(user),
      fits: ({ people }) => people.includes(user.id) && (!isGroup || people.length > 2),
      kind: "direct",
    }
  }

  #is(reader: User, flags: Flags): Meaning {
    const has = (message: Message, flag: string) => flags.get(message.id)?.has(flag) === true
    const meanings: ReadonlyArray<readonly [string, (message: Message) => boolean, Kind?]> = [
      ["dm", ({ channel }) => channel === null, "direct"],
      ["private", ({ channel }) => channel === null, "direct"],
      ["resolved", ({ channel, topic }) => channel !== null && topic.startsWith("✔ ")],
      ["starred", (message) => has(message, "starred")],
      ["unread", (message) => !has(message, "read")],
      ["mentioned", (message) => has(message, "mentioned") || has(message, "wildcard_mentioned")],
      ["alerted", (message) => has(message, "has_alert_word")],
      ["followed", (message) => this.#world.policy(reader, message) === 3],
      ["muted", (message) => this.#world.isMuted(reader, message)],
    ]
    const [operand, fits, kind = "other"] = this.#random.pick(meanings)
    const isOfReceived = !["resolved", "followed", "muted"].includes(operand)
    return { operator: "is", operand, fits, kind, isOfReceived }
  }

  #has(): Meaning {
    const operand = this.#random.pick(["link", "image", "attachment", "reaction"] as const)
    const fits = (message: Message) =>
      operand === "reaction" ? message.reactions.size > 0 : this.#world.parts(message)[operand]
    return { operator: "has", operand, fits }
  }

  #in(reader: User): Meaning {
    return { operator: "in", operand: "home", fits: (message) => !this.#world.isMuted(reader, message) }
  }

  #search(): Meaning {
    const sought = someSearch(this.#random)
    if (sought === null)
      return { operator: "search", operand: leftOut, fits: ({ content, topic }) => standsIn([content, topic], leftOut) }
    const { operand, stems, phrases } = sought
    const fits = (message: Message) => {
      const words = this.#world.words(message)
      const texts = [message.content.toLowerCase(), message.topic.toLowerCase()]
      return (
        stems.every((each) => words.has(each)) && phrases.every((each) => texts.some((text) => text.includes(each)))
      )
    }
    return { operator: "search", operand, fits }
  }

  #id(): Meaning {
    const wanted = this.#random.pick([...this.#world.messages.keys(), ...this.#world.deleted, 999_999])
    return {
      operator: "id",
      operand: this.#random.chance(0.5) ? wanted : String(wanted),
      fits: ({ id }) => id === wanted,
    }
  }

  #meaning(reader: User, flags: Flags): Meaning {
    const draws: ReadonlyArray<() => Meaning> = [
      () => this.#channel(reader),
      () => this.#channel(reader),
      () => this.#channels(reader),
      () => this.#topic(),
      () => this.#topic(),
      () => this.#sender(),
      () => this.#direct(reader),
      () => this.#including(),
      () => this.#is(reader, flags),
      () => this.#is(reader, flags),
      () => this.#is(reader, flags),
      () => this.#has(),
      () => this.#in(reader),
      () => this.#search(),
      () => this.#search(),
      () => this.#id(),
    ]
    return this.#random.pick(draws)()
  }

  /** A term `with`, which stands for the conversation of a message that the reader may read. */
  #with(reader: User): { readonly term: Term; readonly meaning: Meaning } | undefined {
    const readable = [...this.#world.messages.values()].filter((message) => this.#world.reads(reader, message))
    const message = this.#random.find(readable)
    if (message === undefined) return undefined
    const { channel, topic, people } = message
    const key = [...people].sort((a, b) => a - b).join()
    const fits = (other: Message) =>
      channel === null
        ? other.channel === null && [...other.people].sort((a, b) => a - b).join() === key
        : other.channel === channel && other.topic.toLowerCase() === topic.toLowerCase()
    const term = { operator: "with", operand: message.id, negated: false }
    const opens = channel === null ? {} : { opens: [channel] }
    return {
      term,
      meaning: { operator: "with", operand: message.id, fits, kind: channel === null ? "direct" : "channel", ...opens },
    }
  }

  some(reader: User, flags: Flags): Narrow {
    const random = this.#random
    const count = random.pick([1, 1, 1, 2, 2, 3])
    const drawn = Array.from({ length: count }, () => ({
      ...this.#meaning(reader, flags),
      negated: random.chance(0.3),
    }))
    const replacing = random.chance(0.07) ? this.#with(reader) : undefined
    const naming = ["channel", "stream", "topic", "subject", "dm", "pm-with", "pm_with"]
    const meanings = [
      ...drawn.filter(({ operator, negated }) => replacing === undefined || negated || !naming.includes(operator)),
      ...(replacing === undefined ? [] : [{ ...replacing.meaning, negated: false }]),
    ]
    const terms = drawn.map(({ operator, operand, negated }): Term => ({ operator, operand, negated }))
    const wanted = meanings.filter(({ negated }) => !negated)
    const opened = wanted.some(({ isOfReceived }) => isOfReceived)
      ? []
      : wanted.flatMap(({ opens = [] }) => opens).filter((each) => this.#world.readsHistory(reader, each))
    const isOf = (kind: Kind) => wanted.some((each) => each.kind === kind)
    return {
      terms: replacing === undefined ? terms : [...terms, replacing.term],
      fits: (message) => meanings.every(({ fits, negated }) => fits(message) !== negated),
      isWithin: (message) =>
        this.#world.holds(reader, message) || (message.channel !== null && opened.includes(message.channel)),
      isRefused: isOf("direct") && isOf("channel"),
    }
  }
}
