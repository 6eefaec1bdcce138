/** The random requests of a scene (scene.ts). Those that succeed happen in its world. */

import { roles } from "../../../../../src/chat/ground/realm/domain-values.ts"
import type { Person } from "../../../../kit/client.ts"
import { type Draw, FurtherActs } from "./further-acts.ts"
import type { Listeners } from "./listeners.ts"
import { Disagreement, type Scene, said } from "./scene.ts"
import { someText, topics } from "./words.ts"
import type { Message, User } from "./world.ts"

const nobody = 999_999_999

export class Acts {
  readonly scene: Scene
  readonly #further: FurtherActs

  constructor(scene: Scene, listeners: Listeners) {
    this.scene = scene
    this.#further = new FurtherActs(scene, listeners, (by, message, ask) => this.try(by, message, ask))
  }

  #text(): string {
    const people = this.scene.world.users.filter(({ isBot }) => !isBot).map(({ name }) => name)
    return someText(this.scene.random, people, [...this.scene.world.files.keys()])
  }

  async sends(): Promise<void> {
    await this.#send()
    await this.scene.learn()
  }

  async #send(): Promise<void> {
    const content = this.#text()
    const to = this.scene.random.some(this.scene.world.activeUsers(), 0.25).map(({ id }) => id)
    const channel = this.scene.random.pick(this.scene.world.channels)
    const by = this.scene.mostly((user) => this.scene.world.readsContent(user, channel))
    const fields =
      this.scene.random.chance(0.25) && to.length > 0
        ? { type: "direct", to }
        : { type: "channel", to: channel.name, topic: this.scene.random.pick(topics) }
    const read_by_sender = this.scene.random.chance(0.5)
    await this.scene.as(by).post("/messages", { ...fields, content, read_by_sender })
  }

  /**
   * Does something with a message. If the user may not read it, the answer must be that for a message that there is
   * not. Answers whether it was done.
   */
  async try(
    by: User,
    { id }: Message,
    ask: (person: Person, id: number) => ReturnType<Person["get"]>,
  ): Promise<boolean> {
    const message = this.scene.world.messages.get(id)
    const answer = await ask(this.scene.as(by), id)
    if (message !== undefined && this.scene.world.reads(by, message)) return answer.status === 200
    const absent = await ask(this.scene.as(by), nobody)
    if (said(answer) !== said(absent))
      throw new Disagreement(`${by.name}, message ${id}: ${said(answer)}, not ${said(absent)}`)
    return false
  }

  async #react(): Promise<void> {
    const message = this.scene.message()
    if (message === undefined) return
    const by = this.scene.mostly((user) => this.scene.world.reads(user, message))
    const emoji_name = this.scene.random.pick(["octopus", "tada"])
    const key = `${by.id} ${emoji_name}`
    const path = (id: number) => `/messages/${id}/reactions`
    if (message.reactions.has(key)) {
      if (await this.try(by, message, (person, id) => person.delete(path(id), { emoji_name })))
        message.reactions.delete(key)
    } else if (await this.try(by, message, (person, id) => person.post(path(id), { emoji_name })))
      this.scene.world.reacted(by, message, key)
  }

  async #flag(): Promise<void> {
    const message = this.scene.message()
    if (message === undefined) return
    const by = this.scene.mostly((user) => this.scene.world.reads(user, message))
    const flag = this.scene.random.pick(["read", "starred"])
    const op = this.scene.random.pick(["add", "remove"])
    const isDone = await this.try(by, message, (person, id) =>
      person
        .post("/messages/flags", { messages: [id], op, flag })
        .then(({ body: { messages: _, ...body }, ...answer }) => ({ ...answer, body })),
    )
    if (isDone && flag === "starred") this.scene.world.starred(by, message, op === "add")
    else if (isDone && op === "remove") this.scene.world.unread(by, message)
  }

  async #edit(): Promise<void> {
    const message = this.scene.message()
    const sender = this.scene.world.activeUsers().find(({ id }) => id === message?.sender)
    const by = this.scene.random.chance(0.1) || sender === undefined ? this.scene.somebody() : sender
    if (message === undefined) return
    const content = this.#text()
    if (await this.try(by, message, (person, id) => person.patch(`/messages/${id}`, { content })))
      this.scene.world.edited(message, content)
  }

  async #move(): Promise<void> {
    const { world, random } = this.scene
    const message = this.scene.message()
    if (message === undefined) return
    const by = this.scene.mostly((user) => user.role <= roles.moderator && world.reads(user, message))
    const to = random.chance(0.6) ? random.pick(world.channels) : message.channel
    const topic = random.chance(0.6) || to === message.channel ? random.pick(topics) : undefined
    const mode = random.pick(["change_one", "change_later", "change_all"])
    const fields = {
      ...(to === null || to === message.channel ? {} : { stream_id: to.id }),
      topic,
      propagate_mode: mode,
      send_notification_to_new_thread: random.chance(0.2),
      send_notification_to_old_thread: random.chance(0.2),
    }
    // The refusal for a channel that the user may not know of says that, whatever message it is about.
    const { channel: from, topic: before, id } = message
    const isDone = await this.try(by, message, (person, each) => person.patch(`/messages/${each}`, fields))
    if (!isDone || from === null || to === null) return
    const isTaken = (each: Message) =>
      each.channel === from &&
      each.topic.toLowerCase() === before.toLowerCase() &&
      (mode === "change_one" ? each.id === id : mode === "change_all" || each.id >= id) &&
      (to === from || world.readsHistory(by, from) || world.holds(by, each))
    for (const each of [...world.messages.values()].filter(isTaken)) world.moved(each, to, topic ?? before)
  }

  async #delete(): Promise<void> {
    const message = this.scene.message()
    const by = this.scene.random.chance(0.5) ? this.scene.userNamed("iago") : this.scene.somebody()
    if (message === undefined || !by.isActive) return
    if (await this.try(by, message, (person, id) => person.delete(`/messages/${id}`)))
      this.scene.world.gone(message, by)
  }

  async #privacy(): Promise<void> {
    const channel = this.scene.random.pick(this.scene.world.channels)
    const isAble = (user: User) => this.scene.world.readsContent(user, channel)
    const [is_private, is_web_public, history_public_to_subscribers] = this.scene.random.pick([
      [false, false, true],
      [false, true, true],
      [true, false, true],
      [true, false, false],
    ] as const)
    const by = this.scene.mostly((user) => user.role <= roles.administrator && isAble(user))
    const fields = { is_private, is_web_public, history_public_to_subscribers }
    const { status } = await this.scene.as(by).patch(`/streams/${channel.id}`, fields)
    if (status !== 200) return
    channel.isPrivate = is_private
    channel.isWebPublic = is_web_public
    channel.isShared = history_public_to_subscribers
  }

  async #archive(): Promise<void> {
    const { world, random } = this.scene
    const channel = world.channels.find(({ isArchived }) => isArchived) ?? random.pick(world.channels)
    const by = this.scene.userNamed("desdemona")
    const { status } = channel.isArchived
      ? await this.scene.as(by).patch(`/streams/${channel.id}`, { is_archived: false })
      : await this.scene.as(by).delete(`/streams/${channel.id}`)
    if (status !== 200) return
    channel.isArchived = !channel.isArchived
    channel.isDefault = false
  }

  async #comeOrGo(): Promise<void> {
    const user = this.scene.somebody()
    const channel = this.scene.random.pick(this.scene.world.channels)
    if (!channel.subscribers.has(user)) return this.scene.subscribe(user, channel)
    const { status } = await this.scene.as(user).delete("/users/me/subscriptions", { subscriptions: [channel.name] })
    if (status === 200) channel.subscribers.delete(user)
  }

  async #activate(): Promise<void> {
    const owner = this.scene.as(this.scene.userNamed("desdemona"))
    const away = this.scene.world.users.find(({ isActive }) => !isActive)
    const user =
      away ??
      this.scene.random.pick(this.scene.world.users.filter(({ role, isBot }) => role >= roles.administrator && !isBot))
    const path = `/users/${user.id}`
    const { status } = user.isActive ? await owner.delete(path) : await owner.post(`${path}/reactivate`)
    if (status === 200) user.isActive = !user.isActive
  }

  async #role(): Promise<void> {
    const user = this.scene.random.pick(
      this.scene.world.activeUsers().filter(({ role, isBot }) => role > roles.administrator && !isBot),
    )
    const role = this.scene.random.pick([roles.moderator, roles.member, roles.guest])
    if ((await this.scene.as(this.scene.userNamed("desdemona")).patch(`/users/${user.id}`, { role })).status === 200)
      user.role = role
  }

  async #choose(): Promise<void> {
    const user = this.scene.somebody()
    const channel = this.scene.random.pick(this.scene.world.channels)
    if (this.scene.random.chance(0.5)) {
      const topic = this.scene.random.pick(topics)
      const visibility_policy = this.scene.random.pick([0, 1, 2, 3])
      await this.scene.as(user).post("/user_topics", { stream_id: channel.id, topic, visibility_policy })
    } else {
      const value = this.scene.random.chance(0.6)
      const subscription_data = [{ stream_id: channel.id, property: "is_muted", value }]
      const path = "/users/me/subscriptions/properties"
      const { status } = await this.scene.as(user).post(path, { subscription_data })
      if (status === 200 && value) user.muted.add(channel.id)
      else if (status === 200) user.muted.delete(channel.id)
    }
  }

  /** One random request, a send more often than anything else. */
  async step(): Promise<string> {
    const draws = [
      [30, "send", () => this.#send()],
      [24, "move", () => this.#move()],
      [10, "edit", () => this.#edit()],
      [6, "delete", () => this.#delete()],
      [10, "come or go", () => this.#comeOrGo()],
      [7, "privacy", () => this.#privacy()],
      [7, "flag", () => this.#flag()],
      [5, "react", () => this.#react()],
      [3, "choose", () => this.#choose()],
      [3, "archive", () => this.#archive()],
      [2, "activate", () => this.#activate()],
      [2, "role", () => this.#role()],
      ...this.#further.draws(),
    ] satisfies ReadonlyArray<Draw>
    const line = draws.flatMap(([share, what, act]) => Array.from({ length: share }, () => ({ what, act })))
    const { what, act } = this.scene.random.pick(line)
    await act()
    await this.scene.learn()
    await this.scene.learnPolicies()
    return what
  }
}
