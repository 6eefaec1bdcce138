/**
 * Plays a way on a fresh stage and finds the first step after which a client's picture is wrong. Each person has a client
 * that reads after each step, and one that is away and reads all at the end, by polls or by a WebSocket: both must have got
 * the same events.
 */
import * as Predicate from "effect/Predicate"
import type { ReadEvent } from "../../kit/reader.ts"
import {
  compareLists,
  compareMessages,
  compareNamed,
  compareSections,
  type Difference,
  type Scope,
  show,
} from "./judge.ts"
import { Picture } from "./picture.ts"
import { people, type Site, Stage, type Who } from "./stage.ts"

/** `at`: the step after which something differed first. */
export interface Wrong {
  readonly at: number
  readonly differences: ReadonlyArray<Difference>
}

let stages = 0

class Play {
  readonly #stage: Stage
  readonly #watching: ReadonlyArray<Who>
  #live: Array<Picture> = []
  #away: Array<Picture> = []
  #first = 0

  constructor(site: Site, watching: ReadonlyArray<Who>) {
    this.#stage = new Stage(site, `${process.pid}-${stages++}`)
    this.#watching = watching
  }

  #open(who: Who, label: string): Promise<Picture> {
    const { site } = this.#stage
    return Picture.open(label, site.person(who), site.port, site.id(who))
  }

  async begin(): Promise<void> {
    await this.#stage.begin()
    this.#live = await Promise.all(this.#watching.map((who) => this.#open(who, who)))
    this.#away = await Promise.all(this.#watching.map((who) => this.#open(who, `${who}, away`)))
    const { id } = await this.#stage.site
      .person("owner")
      .must.post("/messages", { type: "direct", to: [this.#stage.site.id("owner")], content: "begin" })
    this.#first = Number(id)
  }

  async end(): Promise<void> {
    await this.#stage.end()
    for (const { person, reader } of [...this.#live, ...this.#away])
      await person.delete("/events", { queue_id: reader.queueId })
  }

  #scope(): Scope {
    const ids = new Set(this.#stage.sent)
    for (const { messages, named } of this.#live) for (const id of [...messages.keys(), ...named]) ids.add(id)
    return {
      first: this.#first,
      ids: [...ids].filter((id) => id >= this.#first),
      channels: [...this.#stage.channels.values()],
    }
  }

  /** Steps that are about a client and not about the server. */
  async #turnClient([verb, what, who]: ReadonlyArray<string>): Promise<void> {
    if (verb === "kill") await this.#stage.site.kill()
    const at = this.#watching.findIndex((each) => each === (verb === "look" ? who : what))
    const picture = this.#live[at]
    if (picture === undefined) return
    if (verb === "look") await picture.look(this.#stage.channels.get(what ?? "") ?? 0)
    if (verb !== "again") return
    await picture.person.delete("/events", { queue_id: picture.reader.queueId })
    const fresh = await this.#open(this.#watching[at] ?? "owner", picture.label)
    await fresh.readFeed(this.#first)
    for (const channel of this.#stage.channels.values()) await fresh.look(channel)
    this.#live[at] = fresh
  }

  /** Takes a step; answers which client cannot apply what came. */
  async step(step: string): Promise<ReadonlyArray<Difference>> {
    await this.#stage.act(step)
    await this.#turnClient(step.split(" "))
    return (await Promise.all(this.#live.map((picture) => settled(picture)))).flat()
  }

  /** What is wrong now; `isWhole`: also in lists. */
  async compare(isWhole: boolean): Promise<ReadonlyArray<Difference>> {
    const scope = this.#scope()
    const found = await Promise.all(this.#live.map((picture) => this.#compare(picture, scope, isWhole)))
    return found.flat()
  }

  async #compare(picture: Picture, scope: Scope, isWhole: boolean): Promise<ReadonlyArray<Difference>> {
    const shown = await show(picture, scope)
    const found = [...compareMessages(picture, scope, shown), ...compareNamed(picture, scope, shown)]
    if (isWhole) found.push(...(await compareSections(picture, scope)), ...(await compareLists(picture, scope, shown)))
    return found
  }

  /** Reads the queues of those who were away. */
  async wake(): Promise<ReadonlyArray<Difference>> {
    const scope = this.#scope()
    const found = await Promise.all(
      this.#away.map(async (picture, n) => {
        const live = this.#live[n]
        if (live === undefined) throw new Error("nobody is beside them")
        const last = live.events.at(-1)?.id ?? 0
        const thrown = await settled(picture, n % 2 === 0 ? () => picture.settleBySocket(last) : undefined)
        const shown = await show(picture, scope)
        const isPeeked = (id: number) => live.messages.has(id)
        return [
          ...thrown,
          ...compareMessages(picture, scope, shown, isPeeked),
          ...(await compareSections(picture, scope)),
          ...sameEvents(live, picture),
        ]
      }),
    )
    return found.flat()
  }
}

/** A client that cannot apply an event says so by throwing. */
const settled = async (picture: Picture, how = () => Promise.resolve()): Promise<ReadonlyArray<Difference>> => {
  try {
    await how()
    await picture.settle()
    return []
  } catch (error) {
    return [{ kind: "throws", label: picture.label, text: String(error) }]
  }
}

/** The texts of a message that is deleted by now are gone, from events too. */
const texts = ["content", "rendered_content", "orig_content", "orig_rendered_content", "is_me_message", "topic_links"]
const plain = (event: ReadEvent, isGone: boolean): string =>
  JSON.stringify(event, (key, value: unknown) => (isGone && texts.includes(key) ? undefined : value))
const isGone = ({ content, message }: ReadEvent): boolean =>
  content === "" || (Predicate.isObject(message) && message["content"] === "")

const sameEvents = (live: Picture, away: Picture): ReadonlyArray<Difference> => {
  const since = Number(live.reader.state["last_event_id"])
  const later = away.events.filter(({ id }) => id > since)
  const is = later.map((event) => plain(event, isGone(event)))
  const must = live.events.map((event, n) => plain(event, isGone(later[n] ?? event)))
  const at = must.findIndex((event, n) => event !== is[n])
  if (at < 0 && is.length === must.length) return []
  const n = at < 0 ? must.length : at
  const text = `event ${n} of ${must.length} differs: at once ${must[n]}, later ${is[n]}`
  return [{ kind: "replay", label: away.label, text }]
}

/** A few steps, so that a way takes less long. */
const steps = 6

/**
 * Undefined: nothing is wrong. `isClose`: compares everything after each step; else after a few, and lists at the end, so that of a message that is hidden it is not sure whether its client was told.
 */
export const play = async (
  site: Site,
  way: ReadonlyArray<string>,
  watching: ReadonlyArray<Who> = people,
  isClose = false,
): Promise<Wrong | undefined> => {
  const play = new Play(site, watching)
  await play.begin()
  try {
    for (const [at, step] of way.entries()) {
      const thrown = await play.step(step)
      const isLast = at === way.length - 1
      const isDue = isClose || isLast || at % steps === steps - 1
      const differences = isDue ? await play.compare(isClose || isLast) : []
      if (thrown.length + differences.length > 0) return { at, differences: [...thrown, ...differences] }
    }
    const differences = await play.wake()
    return differences.length > 0 ? { at: way.length - 1, differences } : undefined
  } finally {
    await play.end()
  }
}
