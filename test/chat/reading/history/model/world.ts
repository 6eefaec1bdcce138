/**
 * The rules of who may see which message, with a record for each message and a list of its holders, as simple as can
 * be: the server's spans and ranges are compared with it. The rules of groups that open a channel are in grants.ts.
 */
import { roles } from "../../../../../src/chat/ground/realm/domain-values.ts"
import { type Grants, isGranted } from "./grants.ts"
import { partsOf, wordsOf } from "./words.ts"

export interface User {
  readonly id: number
  readonly name: string
  readonly email: string
  readonly isBot: boolean
  role: number
  isActive: boolean
  /** The choices of the user about topics, by `channel:topic` in lower case. */
  readonly policies: Map<string, number>
  readonly muted: Set<number>
}

export interface Channel {
  readonly id: number
  readonly name: string
  isPrivate: boolean
  isWebPublic: boolean
  isShared: boolean
  isArchived: boolean
  /** New accounts are in it. */
  isDefault: boolean
  /** Permissions in it that groups hold; only some of them show a private channel. */
  readonly grants: Grants
  /** Deactivated users too, who get nothing until they are back. */
  readonly subscribers: Set<User>
  readonly ever: Set<User>
}

/** The flags of a user for a message, beside having received it. */
interface Own {
  starred: boolean
  named: boolean
  historical: boolean
}

/** A message as it was at a time. */
export interface Version {
  readonly content: string
  readonly channel: Channel | null
  readonly topic: string
  /** By an edit of the content, which may be the same as before; else it was sent or moved. */
  readonly isEdit: boolean
  /** Those who had received it in this channel. */
  readonly received: ReadonlySet<User>
}

export interface Message {
  readonly id: number
  readonly sender: number
  /** null: a direct message. */
  channel: Channel | null
  topic: string
  readonly people: ReadonlyArray<number>
  content: string
  /** Notices: what the server says that they contain. */
  readonly parts: Parts | null
  /** Uploaded files that it links. */
  files: ReadonlySet<string>
  readonly reactions: Set<string>
  /** Number of times that somebody took part in what it is, if it is a poll. */
  votes: number
  /** The first one first, the present one last. */
  readonly versions: Array<Version>
  /** Subscribers when it came into its channel. */
  received: Set<User>
  /** Whose accounts were made later, and who were given it with them; until it is moved to another channel. */
  given: Set<User>
  readonly own: Map<User, Own>
  /** Who had it in a public channel that it left for another, or only heard of it there: while it is in a public one. */
  readonly kept: Map<User, "held" | "heard">
  /** Its fate so far, for whoever reads of a disagreement. */
  readonly past: Array<string>
}

export interface Parts {
  readonly link: boolean
  readonly image: boolean
  readonly attachment: boolean
}

const nothing: Own = { starred: false, named: false, historical: false }

export const isGuest = ({ role }: User): boolean => role === roles.guest
const isAdministrator = ({ role }: User): boolean => role <= roles.administrator

export class World {
  readonly users: Array<User> = []
  readonly channels: Array<Channel> = []
  readonly messages = new Map<number, Message>()
  /** Ids that messages had. */
  readonly deleted: Array<number> = []
  /** The owner of each uploaded file, by its address. */
  readonly files = new Map<string, User>()
  /** The user who deleted messages last. */
  deleter: User | undefined
  /** The user and the messages whose flags the last request changed, if that is known. */
  flagged: { readonly user: User; readonly ids: ReadonlySet<number> } | undefined

  activeUsers(): ReadonlyArray<User> {
    return this.users.filter(({ isActive }) => isActive)
  }

  knows(user: User, channel: Channel): boolean {
    const { isPrivate, grants } = channel
    return (
      this.readsContent(user, channel) ||
      (isPrivate && (isAdministrator(user) || isGranted(user, grants.can_administer_channel_group)))
    )
  }

  /** Knows of it, or was in it; of a private one whoever is out of it does not. */
  mayName(user: User, channel: Channel): boolean {
    return this.knows(user, channel) || (!channel.isPrivate && channel.ever.has(user))
  }

  readsContent(user: User, { isPrivate, isWebPublic, subscribers, grants }: Channel): boolean {
    if (subscribers.has(user)) return true
    if (!isPrivate) return !isGuest(user) || isWebPublic
    return isGranted(user, grants.can_add_subscribers_group) || isGranted(user, grants.can_subscribe_group)
  }

  readsHistory(user: User, channel: Channel): boolean {
    return channel.isShared && this.readsContent(user, channel)
  }

  /** They received it, were given it, or have a row of their own: they keep that while they are out of a private channel. */
  keeps(user: User, message: Message): boolean {
    return this.#has(user, message) || message.own.has(user) || this.#kept(user, message) === "held"
  }

  #kept(user: User, { channel, kept }: Message): "held" | "heard" | undefined {
    const isOpen = channel !== null && !channel.isPrivate && this.readsContent(user, channel)
    return isOpen ? kept.get(user) : undefined
  }

  /** Whether the user had the message when it is moved: in a private channel only who is in it, or reads it by a group. */
  had(user: User, message: Message): boolean {
    const { channel } = message
    const isIn = channel?.isPrivate !== true || channel.subscribers.has(user) || this.readsHistory(user, channel)
    return isIn && this.hears(user, message)
  }

  /** It counts in a private channel only while they may read there. */
  holds(user: User, message: Message): boolean {
    const { channel } = message
    const isIn = channel?.isPrivate !== true || channel.subscribers.has(user) || this.readsHistory(user, channel)
    return isIn && this.keeps(user, message)
  }

  reads(user: User, message: Message): boolean {
    return this.holds(user, message) || (message.channel !== null && this.readsHistory(user, message.channel))
  }

  /** Whether clients of the user hear of what becomes of the message: they hold it, or are in where its history is shared. */
  hears(user: User, message: Message): boolean {
    const { channel } = message
    const isThere = channel?.isShared === true && channel.subscribers.has(user)
    return this.holds(user, message) || isThere || this.#kept(user, message) !== undefined
  }

  visitorReads({ channel }: Message): boolean {
    return channel?.isWebPublic === true && !channel.isArchived
  }

  readsFile(user: User, file: string): boolean {
    return (
      this.files.get(file) === user ||
      [...this.messages.values()].some((message) => message.files.has(file) && this.reads(user, message))
    )
  }

  ids(which: (message: Message) => boolean): ReadonlyArray<number> {
    return [...this.messages.values()]
      .filter(which)
      .map(({ id }) => id)
      .sort((a, b) => a - b)
  }

  parts(message: Message): Parts {
    return message.parts ?? partsOf(message.content)
  }

  words({ content, topic }: Message): ReadonlySet<string> {
    return wordsOf(`${content} ${topic}`)
  }

  /** A message that came into being. */
  sent(
    message: Omit<
      Message,
      "received" | "given" | "own" | "kept" | "reactions" | "votes" | "versions" | "files" | "past"
    >,
  ): void {
    const { id, channel, topic, content, people } = message
    const received = this.#subscribed(channel)
    const found: Message = {
      ...message,
      received,
      given: new Set(),
      own: new Map(),
      kept: new Map(),
      reactions: new Set(),
      votes: 0,
      versions: [{ content, channel, topic, isEdit: false, received }],
      files: new Set(),
      past: [`in ${channel?.name} #${message.topic}: ${message.content}`],
    }
    this.messages.set(id, found)
    const receivers = this.users.filter((user) => people.includes(user.id) || found.received.has(user))
    this.#mention(found, receivers)
    found.files = this.#linked(found)
  }

  #subscribed(channel: Channel | null): Set<User> {
    return new Set([...(channel?.subscribers ?? [])].filter(({ isActive }) => isActive))
  }

  /** Those of the linked files that the sender may read. */
  #linked({ content, sender }: Message): ReadonlySet<string> {
    const by = this.users.find(({ id }) => id === sender)
    return new Set(
      [...this.files.keys()].filter((file) => by !== undefined && content.includes(file) && this.readsFile(by, file)),
    )
  }

  /** Marks those whom a message mentions by name, who hold it by that. */
  #mention(message: Message, among: ReadonlyArray<User>): void {
    for (const user of this.users) {
      const isNamed = among.includes(user) && message.content.includes(`@**${user.name}**`)
      const known = message.own.get(user)
      if (isNamed) this.#setOwn(user, message, { named: true })
      else if (known?.named === true)
        this.#setOwn(user, message, { named: false, historical: known.historical || !this.#has(user, message) })
    }
  }

  /** Holds it otherwise than by a row of their own. */
  #has(user: User, { people, received, given }: Message): boolean {
    return people.includes(user.id) || received.has(user) || given.has(user)
  }

  #setOwn(user: User, message: Message, change: Partial<Own>): void {
    const first = { ...nothing, historical: !this.#has(user, message) }
    const own = { ...(message.own.get(user) ?? first), ...change }
    if (own.starred || own.named || own.historical) message.own.set(user, own)
    else message.own.delete(user)
  }

  /** Whoever reacts to what they did not hold holds it from then on. */
  reacted(user: User, message: Message, key: string): void {
    message.past.push(`${user.name} reacts`)
    message.reactions.add(key)
    if (!this.keeps(user, message)) this.#setOwn(user, message, {})
  }

  edited(message: Message, content: string): void {
    message.past.push(`says ${content}`)
    message.content = content
    const { channel, topic, received } = message
    message.versions.push({ content, channel, topic, isEdit: true, received })
    const now = channel?.isShared === true ? this.#subscribed(channel) : new Set<User>()
    this.#mention(
      message,
      this.users.filter((user) => this.#has(user, message) || now.has(user)),
    )
    message.files = this.#linked(message)
  }

  starred(user: User, message: Message, value: boolean): void {
    message.past.push(`${user.name} stars: ${value}`)
    if (value || message.own.has(user)) this.#setOwn(user, message, { starred: value })
  }

  /** Only what is in a channel that they are in; what they did not hold they hold from then on. */
  unread(user: User, message: Message): void {
    message.past.push(`${user.name} has not read it`)
    const { channel } = message
    if ((channel === null || channel.subscribers.has(user)) && !this.keeps(user, message))
      this.#setOwn(user, message, {})
  }

  moved(message: Message, channel: Channel, topic: string): void {
    message.past.push(`to ${channel.name} #${topic}`)
    const isThere = message.channel === channel
    const received = isThere ? message.received : this.#subscribed(channel)
    if (!isThere || message.topic !== topic)
      message.versions.push({ content: message.content, channel, topic, isEdit: false, received })
    message.topic = topic
    if (isThere) return
    const given = this.#leaves(message, channel)
    message.channel = channel
    message.received = received
    message.given = new Set()
    for (const user of [...message.own.keys()]) {
      if (!this.readsHistory(user, channel) && !message.received.has(user)) message.own.delete(user)
    }
    for (const user of given) if (!message.own.has(user)) message.own.set(user, { ...nothing, historical: true })
  }

  /**
   * Who had it in its channel keeps it where it goes, if that is public. Those who read it there, or here, by a group only get a
   * row of their own; they are answered.
   */
  #leaves(message: Message, to: Channel): ReadonlyArray<User> {
    const { channel: from, kept } = message
    if (from === null) return []
    const isOut = (user: User) => from.isPrivate && !from.subscribers.has(user)
    const stood = (user: User) => this.#has(user, message) || (from.isShared && from.subscribers.has(user))
    const others = this.users.filter((user) => user.isActive && !to.subscribers.has(user) && stood(user))
    const byGroup = others.filter((user) => (isOut(user) ? this.readsHistory(user, from) : to.isPrivate))
    const isKept = others.some((user) => !isOut(user) && this.readsContent(user, to))
    if (to.isPrivate) kept.clear()
    else if (isKept)
      for (const user of this.users.filter((each) => stood(each) && !isOut(each)))
        if (to.isWebPublic || (user.isActive && !isGuest(user)))
          if (this.#has(user, message)) kept.set(user, "held")
          // Who is away is in no channel until they are back.
          else if (user.isActive && !kept.has(user)) kept.set(user, "heard")
    return byGroup.filter((user) => this.readsHistory(user, to))
  }

  /** A new account is in the default channels, and holds what was said there (the newest thousand messages). */
  joined(user: User): void {
    this.users.push(user)
    const channels = this.channels.filter(({ isDefault }) => isDefault)
    for (const { subscribers, ever } of channels) {
      subscribers.add(user)
      ever.add(user)
    }
    for (const { channel, given } of this.messages.values())
      if (channel !== null && channels.includes(channel)) given.add(user)
  }

  /** All that is known of a message, in one line. */
  describe(id: number): string {
    const message = this.messages.get(id)
    if (message === undefined) return `${id}: ${this.deleted.includes(id) ? "deleted" : "none"}`
    const { people, received, given, own, past } = message
    const held = [...received, ...given, ...own.keys()].map(({ name }) => name)
    return `${id}: ${past.join("; ")}; people ${people}, held by ${held}`
  }

  gone(message: Message, by: User): void {
    this.deleter = by
    this.messages.delete(message.id)
    this.deleted.push(message.id)
  }

  /** A policy of a topic, which goes with the topic where all of it is moved. */
  policy(user: User, { channel, topic }: Pick<Message, "channel" | "topic">): number {
    return channel === null ? 0 : (user.policies.get(`${channel.id}:${topic.toLowerCase()}`) ?? 0)
  }

  isMuted(user: User, message: Message): boolean {
    const policy = this.policy(user, message)
    return message.channel !== null && (policy === 0 ? user.muted.has(message.channel.id) : policy === 1)
  }
}
