/**
 * Earlier versions of a message: whoever may read it is told every content that it had, also those from before it came
 * to them. Of the places where it was before they are told only
 * - the topics that it had where it is now, in channels whose history they read, and where they had received it, but for
 *   private channels that they are out of;
 * - the channels that they know of.
 */
import * as Predicate from "effect/Predicate"
import type { Fields } from "../../../../kit/client.ts"
import { objectIn, objectsIn } from "../../../../kit/client-sections.ts"
import { same } from "./file-looks.ts"
import type { Scene } from "./scene.ts"
import type { Channel, Message, User, Version, World } from "./world.ts"

/** Without those that are like the one before. */
const changes = (contents: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  contents.filter((each, n) => n === 0 || each !== contents[n - 1])

const hasReceived = (user: User, { isPrivate, subscribers }: Channel, received: ReadonlySet<User>): boolean =>
  received.has(user) && (!isPrivate || subscribers.has(user))

const isShown = (world: World, user: User, message: Message, { channel, received }: Version): boolean =>
  channel === null ||
  channel === message.channel ||
  hasReceived(user, channel, received) ||
  world.readsHistory(user, channel)

/** Each version as it is shown where nothing is hidden. */
const wholeOf = ({ versions }: Message): ReadonlyArray<Fields> =>
  versions.map(({ content, topic, channel, isEdit }, n) => {
    const prev = versions[n - 1]
    if (prev === undefined) return { content, topic }
    return {
      content,
      topic,
      ...(isEdit ? { prev_content: prev.content } : {}),
      ...(prev.topic === topic ? {} : { prev_topic: prev.topic }),
      ...(prev.channel === channel ? {} : { prev_stream: prev.channel?.id, stream: channel?.id }),
    }
  })

export const sameHistory = async (scene: Scene, user: User, message: Message): Promise<void> => {
  const { world } = scene
  const { id, versions } = message
  const what = `${user.name}, versions of ${world.describe(id)}`
  const named = { allow_empty_topic_name: true }
  const person = scene.as(user)
  const shown = objectsIn((await person.must.get(`/messages/${id}/history`, named))["message_history"])
  same(changes(shown.map(({ content }) => content)), changes(versions.map(({ content }) => content)), what)
  const { edit_history = [] } = objectIn((await person.must.get(`/messages/${id}`, named))["message"])
  const all = [...shown, ...objectsIn(edit_history)]
  const topics = versions.filter((each) => isShown(world, user, message, each)).map(({ topic }) => topic)
  const told = all.flatMap(({ topic, prev_topic }) => [topic, prev_topic]).filter(Predicate.isString)
  same(
    told.filter((topic) => !topics.includes(topic)),
    [],
    `${what}: topics`,
  )
  const known = versions.filter(
    ({ channel }) => channel !== null && (channel === message.channel || world.knows(user, channel)),
  )
  const channels = all.flatMap(({ stream, prev_stream }) => [stream, prev_stream]).filter(Predicate.isNumber)
  same(
    channels.filter((each) => !known.some(({ channel }) => channel?.id === each)),
    [],
    `${what}: channels`,
  )
  const isAllShown = versions.every(
    (each) => isShown(world, user, message, each) && (each.channel === null || known.includes(each)),
  )
  if (!isAllShown) return
  const fields = ["content", "topic", "prev_content", "prev_topic", "prev_stream", "stream"]
  const listed = shown.map((each) =>
    Object.fromEntries(fields.filter((key) => key in each).map((key) => [key, each[key]])),
  )
  same(listed, wholeOf(message), what)
}
