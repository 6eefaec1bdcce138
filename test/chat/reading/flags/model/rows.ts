/**
 * Read state and flags with a row for each message of each user, as simple as can be: what the server's ranges, floors
 * and sets are compared with. Written from the API's description:
 *
 * - Whoever receives a message has a row of it, unread but for its sender, if they sent it as read, and for those who have
 *   muted them. Whoever stars, collapses or unreads a message that they did not receive has a row from then on.
 * - A send marks its receivers, an edit those who have a row: by their names, and by group, topic, alert words and
 *   subscriptions as these are then. Where history is shared, present subscribers get a row if an edit names them. An edit
 *   takes away all marks from before. It reads nothing and unreads nothing.
 * - A move takes the rows of those who may not read the message where it goes. Whoever is there has a row from then on, read
 *   if they did not receive the message before. Those who are in both channels keep it unread; for the others it is read
 *   as long as it is away. Marks stay. Where a public channel is left for another, those who had a row keep it, and those who
 *   heard of the message go on to hear of it, though they are not where it is.
 * - Whoever leaves a channel has read what is there, and what was sent there.
 */
import { type History, type Person, people } from "./people.ts"
import { Attention, type Says } from "./words.ts"

export interface Sent {
  readonly id: number
  /** The channel that it is in now; null for a direct message. */
  channel: string | null
  topic: string
  /** The channel in which it was sent. */
  readonly sentIn: string | null
  readonly sender: Person
  /** The participants of a direct message. */
  readonly to: ReadonlyArray<Person>
}

const isMentioning = (marks: ReadonlyArray<string>): boolean =>
  marks.includes("mentioned") || marks.includes("wildcard_mentioned")

/** A user's own state of a message: what they made of it. Whoever has some of it holds the message. */
interface Own {
  starred: boolean
  collapsed: boolean
  /** It mentions them by name. */
  named: boolean
  /** They did not hold it when they made something of it. */
  readonly historical: boolean
  /** Marked as unread though it would not be unread for them; `stale`: until they left the channel. */
  unread: "no" | "yes" | "stale"
}

interface Row {
  /** They received it when it was sent, and have not left that channel since. */
  isReceived: boolean
  /** They are in the channel that it was moved to, since before that. */
  isIn: boolean
  /** They hold it because they were in the channel when it came there. */
  isHeld: boolean
  /** They had it in another channel, and keep it; or heard of it there, and still do. */
  isKept: boolean
  isHeard: boolean
  /** It was read from the start: nothing but a mark of their own makes it unread. */
  readonly wasRead: boolean
  /** They have read it, if they received it. */
  read: boolean
  /** They have read all since. */
  isBelow: boolean
  own: Own | null
  /** Marks by the text otherwise than by their name. */
  marks: ReadonlyArray<string>
}

const byNature = ({ isReceived, isIn, wasRead }: Row): boolean => isReceived && isIn && !wasRead
const isUnread = (row: Row): boolean => (byNature(row) && !row.read) || row.own?.unread === "yes"
const holds = (row: Row): boolean => row.isHeld || row.isKept || row.own !== null
const marksOf = (row: Row): ReadonlyArray<string> => [...(row.own?.named === true ? ["mentioned"] : []), ...row.marks]

export class Rows {
  readonly messages = new Map<number, Sent>()
  readonly subscribers: ReadonlyMap<string, Set<Person>>
  readonly muted = new Map<Person, Set<string>>(people.map((each) => [each, new Set()]))
  /** The choices of each about topics, by `channel:topic`. */
  readonly policies = new Map<Person, Map<string, number>>(people.map((each) => [each, new Map()]))
  /** The people whom each has muted. */
  readonly mutes = new Map<Person, Set<Person>>(people.map((each) => [each, new Set()]))
  readonly attention = new Attention()
  readonly #histories: ReadonlyMap<string, History>
  readonly #rows = new Map<Person, Map<number, Row>>(people.map((each) => [each, new Map()]))

  constructor(subscribers: ReadonlyMap<string, Set<Person>>, histories: ReadonlyMap<string, History>) {
    this.subscribers = subscribers
    this.#histories = histories
  }

  rowsOf(who: Person): Map<number, Row> {
    const rows = this.#rows.get(who)
    if (rows === undefined) throw new Error(`${who} has no rows`)
    return rows
  }

  isSubscribed(who: Person, channel: string): boolean {
    return this.subscribers.get(channel)?.has(who) === true
  }

  receivers({ channel, to }: Omit<Sent, "id">): ReadonlyArray<Person> {
    return channel === null ? to : [...(this.subscribers.get(channel) ?? [])]
  }

  /** Those who sent what is in the topic now, and the sender of a message there. */
  #participants({ channel, topic, sender }: Sent): ReadonlySet<Person> {
    const there = [...this.messages.values()].filter((each) => each.channel === channel && each.topic === topic)
    return new Set([sender, ...(channel === null ? [] : there.map((each) => each.sender))])
  }

  #isParticipant(who: Person, sent: Sent, { topic }: Says): boolean {
    return topic && sent.channel !== null && this.#participants(sent).has(who)
  }

  send(message: Sent, says: Says, readBySender: boolean): void {
    this.messages.set(message.id, message)
    for (const who of this.receivers(message)) {
      const named = says.names.has(who)
      const marks = this.attention.marks(says, who, this.#isParticipant(who, message, says))
      const own = { starred: false, collapsed: false, named, historical: false, unread: "no" } as const
      const isMuted = this.mutes.get(who)?.has(message.sender) === true
      const wasRead = isMuted || (who === message.sender && readBySender)
      const known = {
        isReceived: true,
        isIn: true,
        isHeld: true,
        isKept: false,
        isHeard: false,
        isBelow: false,
        read: false,
      }
      this.rowsOf(who).set(message.id, { ...known, wasRead, own: named ? own : null, marks })
    }
  }

  /** Whoever is not mentioned by name any more keeps the message. */
  edit(id: number, says: Says): void {
    const sent = this.#sent(id)
    this.changed.add(id)
    for (const who of people) {
      const known = this.rowsOf(who).get(id)
      if (!this.#isMarked(who, sent, says)) {
        if (known !== undefined) known.marks = []
        continue
      }
      const row = this.#row(who, id)
      row.marks = this.attention.marks(says, who, this.#isParticipant(who, sent, says))
      if (says.names.has(who)) this.#setOwn(row, { named: true })
      else if (row.own?.named === true)
        this.#setOwn(row, { named: false, historical: row.own.historical || !row.isHeld })
    }
  }

  /** Whether an edit may mark somebody: those who keep it from another channel are not where it is. */
  #isMarked(who: Person, { id, channel }: Sent, { names }: Says): boolean {
    const isThere = channel !== null && this.isSubscribed(who, channel) && this.mayReadHistory(who, channel)
    return this.hasThere(who, id) || (names.has(who) && isThere)
  }

  /** Those that were edited or moved: whoever comes to hold one forgets what they knew of it first. */
  readonly changed = new Set<number>()

  #sent(id: number): Sent {
    const message = this.messages.get(id)
    if (message === undefined) throw new Error(`there is no message ${id}`)
    return message
  }

  /** Whether they have a row, which they keep while they are out of a private channel. */
  keeps(who: Person, id: number): boolean {
    const row = this.rowsOf(who).get(id)
    return row !== undefined && holds(row)
  }

  /** Likewise, without what they only keep from another channel: it is read for them, but nobody is told that they read it. */
  hasThere(who: Person, id: number): boolean {
    const row = this.rowsOf(who).get(id)
    return row !== undefined && (row.isHeld || row.own !== null)
  }

  /** A row counts while its user is in the channel, or that is public. */
  holds(who: Person, id: number): boolean {
    return this.keeps(who, id) && !this.#isOut(who, id)
  }

  #isOut(who: Person, id: number): boolean {
    const { channel } = this.#sent(id)
    return channel !== null && !this.mayRead(who, channel)
  }

  historyOf(channel: string): History {
    return this.#histories.get(channel) ?? "own"
  }

  /** Whether a user may read a channel now. */
  mayRead(who: Person, channel: string): boolean {
    return this.historyOf(channel) === "public" || this.isSubscribed(who, channel)
  }

  mayReadHistory(who: Person, channel: string): boolean {
    return this.historyOf(channel) !== "own" && this.mayRead(who, channel)
  }

  /** Whether a user hears of changes of a message: they have a row, or are where its history is shared. */
  isTold(who: Person, id: number): boolean {
    const { channel } = this.#sent(id)
    return (
      this.holds(who, id) ||
      this.rowsOf(who).get(id)?.isHeard === true ||
      (channel !== null && this.isSubscribed(who, channel) && this.mayReadHistory(who, channel))
    )
  }

  /** Whether a user has a message at a move: in a private channel only who is there. */
  had(who: Person, id: number): boolean {
    const { channel } = this.#sent(id)
    const isOut = channel !== null && this.historyOf(channel) !== "public" && !this.isSubscribed(who, channel)
    return !isOut && this.isTold(who, id)
  }

  isReadable(who: Person, id: number): boolean {
    const { channel } = this.#sent(id)
    return this.holds(who, id) || (channel !== null && this.mayReadHistory(who, channel))
  }

  /** The messages that a user may read, in ascending order. */
  readable(who: Person): ReadonlyArray<number> {
    return [...this.messages.keys()].filter((id) => this.isReadable(who, id))
  }

  #row(who: Person, id: number): Row {
    const nowhere = { isReceived: false, isIn: false, isHeld: false, isKept: false, isHeard: false }
    const none = { ...nowhere, wasRead: false, read: true, isBelow: false, own: null, marks: [] }
    const row = this.rowsOf(who).get(id) ?? none
    this.rowsOf(who).set(id, row)
    return row
  }

  #setOwn(row: Row, change: Partial<Own>): void {
    const own = {
      starred: false,
      collapsed: false,
      named: false,
      historical: !row.isHeld && !row.isKept,
      unread: "no",
    } as const
    const changed: Own = { ...(row.own ?? own), ...change }
    const { starred, collapsed, named, historical, unread } = changed
    row.own = starred || collapsed || named || historical || unread !== "no" ? changed : null
  }

  /** Changes a flag; answers the messages that had another one before. */
  change(
    who: Person,
    op: "add" | "remove",
    flag: "read" | "starred" | "collapsed",
    ids: Iterable<number>,
  ): ReadonlyArray<number> {
    const value = op === "add"
    return [...new Set(ids)]
      .filter((id) => {
        const channel = this.messages.get(id)?.channel ?? null
        if (flag === "read" && !value && channel !== null && !this.isSubscribed(who, channel)) return false
        const known = this.rowsOf(who).get(id)
        const is =
          known === undefined ? flag === "read" : flag === "read" ? !isUnread(known) : known.own?.[flag] === true
        if (is === value) return false
        const row = this.#row(who, id)
        if (flag !== "read") this.#setOwn(row, { [flag]: value })
        else if (value) {
          row.read ||= byNature(row)
          if (row.own?.unread === "yes") this.#setOwn(row, { unread: "no" })
        } else if (byNature(row) && !row.isBelow) row.read = false
        else this.#setOwn(row, { unread: "yes" })
        return true
      })
      .sort((a, b) => a - b)
  }

  readAll(who: Person): void {
    for (const row of this.rowsOf(who).values()) {
      row.read = true
      row.isBelow = true
      if (row.own !== null) this.#setOwn(row, { unread: "no" })
    }
  }

  /** Whoever leaves a channel has read what is there, and what was sent there. */
  leave(who: Person, channel: string): ReadonlyArray<number> {
    const left: Array<number> = []
    for (const [id, row] of this.rowsOf(who)) {
      const message = this.messages.get(id)
      if (message?.channel !== channel && message?.sentIn !== channel) continue
      if (isUnread(row)) left.push(id)
      if (row.own?.unread === "yes") row.own.unread = "stale"
      if (message.sentIn === channel) row.isReceived = false
      if (message.channel === channel) row.isIn = false
    }
    this.subscribers.get(channel)?.delete(who)
    return left.sort((a, b) => a - b)
  }

  /**
   * Moves a message. Those who are in the new channel hold it then, and have read what they did not receive. Those who
   * may not read it there have nothing of it any more.
   */
  move(id: number, channel: string, topic: string): void {
    const message = this.#sent(id)
    this.changed.add(id)
    message.topic = topic
    if (message.channel === channel) return
    const had = new Set(people.filter((who) => this.had(who, id)))
    message.channel = channel
    const isOpen = this.historyOf(channel) === "public"
    for (const who of people) {
      const isIn = this.isSubscribed(who, channel)
      const known = this.rowsOf(who).get(id)
      if (known === undefined && !isIn && !had.has(who)) continue
      const row = this.#row(who, id)
      row.isKept = isOpen && had.has(who) && (row.isHeld || row.isKept)
      row.isHeard = isOpen && had.has(who)
      row.isHeld = isIn
      row.isIn = isIn || message.sentIn === channel
      if (row.own === null) continue
      if (!this.mayRead(who, channel)) row.own = null
      else this.#setOwn(row, { unread: isIn && row.own.unread === "yes" ? "yes" : "no" })
    }
  }

  /** Deletes messages: nobody has anything of them any more. */
  gone(ids: Iterable<number>): void {
    for (const id of ids) {
      this.messages.delete(id)
      for (const who of people) this.rowsOf(who).delete(id)
    }
  }

  #idsWhere(who: Person, is: (row: Row) => boolean): ReadonlyArray<number> {
    return [...this.rowsOf(who)]
      .filter(([id, row]) => this.holds(who, id) && is(row))
      .map(([id]) => id)
      .sort((a, b) => a - b)
  }

  held(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, () => true)
  }
  unread(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, isUnread)
  }
  starred(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, ({ own }) => own?.starred === true)
  }
  mentioned(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, (row) => isMentioning(marksOf(row)))
  }
  alerted(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, ({ marks }) => marks.includes("has_alert_word"))
  }

  flags(who: Person, id: number): ReadonlyArray<string> {
    const row = this.rowsOf(who).get(id)
    if (row === undefined) return ["historical", "read"]
    const { own, isHeld, isKept } = row
    return [
      ...(isUnread(row) ? [] : ["read"]),
      ...(own?.starred === true ? ["starred"] : []),
      ...(own?.collapsed === true ? ["collapsed"] : []),
      ...((own?.historical ?? true) && !isHeld && !isKept ? ["historical"] : []),
      ...new Set(marksOf(row)),
    ].sort()
  }

  /** Whether a message is in a muted topic, or in a muted channel and in no topic that is unmuted or followed. */
  isMuted(who: Person, id: number): boolean {
    const { channel, topic } = this.messages.get(id) ?? {}
    const policy = this.policies.get(who)?.get(`${channel}:${topic}`) ?? 0
    return channel != null && (policy === 0 ? this.muted.get(who)?.has(channel) === true : policy === 1)
  }

  /** The unread messages that mention the user; a wildcard does not count where the message is muted. */
  unreadMentions(who: Person): ReadonlyArray<number> {
    return this.#idsWhere(who, (row) => isUnread(row) && isMentioning(marksOf(row))).filter((id) => {
      const row = this.rowsOf(who).get(id)
      return !this.isMuted(who, id) || (row !== undefined && marksOf(row).includes("mentioned"))
    })
  }
}
