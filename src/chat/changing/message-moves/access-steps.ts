/**
 * The steps of a command by which users lose or get messages of channels, though nobody comes or goes: privacy, history,
 * groups and roles decide (access-changes.sql). Who loses what they hold learns a deletion; who comes to hold it again, what is
 * starred; subscribers who lose the rest of the history a deletion, and those who get it a move that has brought the messages.
 */
import { toUsers } from "../../../events/audience.ts"
import type { CommandStep, NewCalls, NewRow } from "../../../events/step.ts"
import { ChannelId, MessageId, UserId } from "../../../ids.ts"
import { deleteMessageRows } from "../../ground/kinds/delete-message-row.ts"
import { endQueuesRow } from "../../ground/kinds/queue-end-row.ts"
import { untoldTopic, updateMessageRows } from "../../ground/kinds/update-message-row.ts"
import { readByGroup } from "../../ground/permissions/channel-visibility.ts"
import { isGuest, mayReadMessage } from "../../ground/permissions/permissions.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import type { Rules } from "../../ground/realm/realm-rules.ts"
import type { ChannelRecord, UserRecord } from "../../ground/realm/records.ts"
import { starredRow } from "../../reading/flags/tell-starred-messages.ts"
import type { TopicLink } from "../../text/markdown/topic-links.ts"

/** The links of the topics of a channel whose history is shared from now on, by topic: those that have any. */
export type LinksOfTopics = Readonly<Record<string, ReadonlyArray<TopicLink>>>

/** The steps that come before the rows of the change, and those that come after them. */
export interface AccessSteps {
  readonly first: ReadonlyArray<CommandStep>
  readonly last: ReadonlyArray<CommandStep>
}

export const noAccessSteps: AccessSteps = { first: [], last: [] }

/** The most channels that a change of groups or roles looks at, some milliseconds each; all together tell of 10,000 pairs. */
const mostChannels = 50

const endRow = endQueuesRow([])

const deletionRow = ({ id }: Pick<ChannelRecord, "id">) =>
  deleteMessageRows.tell({ messages: { channel_id: id, held_by: "receivers", ids: [] }, topic: "" }, toUsers([]))

/** As of a move from nowhere. The commit fills in the messages and their topic. */
const arrivalRow = (channel: ChannelRecord, by: UserId) =>
  updateMessageRows.tell(
    {
      user_id: by,
      message_id: MessageId(0),
      messages: { channel_id: channel.id, held_by: "receivers", ids: [] },
      flags: { since: 0 },
      channel: { id: channel.id, name: channel.name },
      topic: untoldTopic,
      moved: { propagate_mode: "change_all", topic: "", topic_links: [], channel_id: channel.id },
    },
    toUsers([]),
  )

const step = (fn: string, channel: ChannelRecord, args: object): NewCalls => ({
  fn,
  calls: [{ channel_id: channel.id, ...args, end_row: endRow }],
  keepsRules: true,
})

/** Those of some users who may read what they hold in a channel by the one rules and not by the others. */
const readOnlyBy = (
  rules: Rules,
  others: Rules,
  id: ChannelId,
  among: ReadonlyArray<UserRecord>,
): ReadonlyArray<UserId> =>
  among
    .map((user) => user.id)
    .filter((user) => rules.isActive(user) && reads(rules, id, user) && !reads(others, id, user))

const reads = (rules: Rules, id: ChannelId, user: UserId): boolean => {
  const [channel, record] = [rules.channels.get(id), rules.users.get(user)]
  return channel !== undefined && record !== undefined && mayReadMessage(rules, record, channel, true)
}

const losing = (channel: ChannelRecord, users: ReadonlyArray<UserId> | null, readers: ReadonlyArray<UserId> = []) =>
  users?.length === 0 ? [] : [step("lose_access_v1", channel, { users, readers, row: deletionRow(channel) })]
const regaining = (channel: ChannelRecord, users: ReadonlyArray<UserId> | null, readers: ReadonlyArray<UserId> = []) =>
  users?.length === 0 ? [] : [step("regain_access_v1", channel, { users, readers, row: starredRow })]

/** Somebody becomes a guest, or (null) guests may not read a public channel any more. The commit fills in the channels. */
const losingKept = (users: ReadonlyArray<UserId> | null, channel: ChannelId | null): NewCalls => ({
  fn: "lose_kept_v1",
  calls: [{ users, channel_id: channel, row: deletionRow({ id: channel ?? ChannelId(0) }), end_row: endRow }],
  keepsRules: true,
})

/** The step before the row of a change of role. */
export const roleSteps = (before: UserRecord, after: UserRecord): ReadonlyArray<CommandStep> =>
  !isGuest(before) && isGuest(after) ? [losingKept([after.id], null)] : []

/**
 * The steps of a change of the rules by which private channels are read: groups, permissions, roles. `among`: the users
 * whom it can concern.
 */
export const readerSteps = (
  before: Rules,
  after: Rules,
  channels: Iterable<ChannelRecord>,
  among: Iterable<UserRecord>,
): AccessSteps => {
  const [people, some] = [[...among], [...channels].filter((each) => each.is_private && each.history_shared)]
  const lost = some.map((channel) => [channel, readOnlyBy(before, after, channel.id, people)] as const)
  const got = some.map((channel) => [channel, readOnlyBy(after, before, channel.id, people)] as const)
  const touched = [...lost, ...got].filter(([, users]) => users.length > 0)
  if (touched.length > mostChannels)
    return { first: [], last: [endQueuesRow([...new Set(touched.flatMap(([, users]) => users))])] }
  return {
    first: lost.flatMap(([channel, users]) => losing(channel, users)),
    last: got.flatMap(([channel, users]) => regaining(channel, users)),
  }
}

/** Subscribers who may not hold all of a channel, because they came after its first message. */
const lateSubscribers = ({ subscriptions }: Realm, { id, first_message_id: first }: ChannelRecord) =>
  first === null
    ? []
    : Array.from(subscriptions.notThroughout(id, first), UserId).filter((user) => subscriptions.isSubscribed(id, user))

/** The steps of a change of a channel: of its privacy, its history, or who reads it by a group. */
export const channelAccessSteps = (
  realm: Realm,
  {
    before,
    after,
    by,
    links,
  }: { readonly before: Rules; readonly after: Rules; readonly by: UserId; readonly links: LinksOfTopics },
  id: ChannelId,
): AccessSteps => {
  const [was, is] = [before.channels.get(id), after.channels.get(id)]
  if (was === undefined || is === undefined) return noAccessSteps
  const groups = [...new Set([...readByGroup(before, was), ...readByGroup(after, is)])].flatMap(
    (user) => realm.users.get(user) ?? [],
  )
  const history = (row: NewRow) => {
    const users = was.history_shared === is.history_shared ? [] : lateSubscribers(realm, was)
    return users.length === 0 ? [] : [step("tell_history_v1", is, { users, row, links })]
  }
  const isSame = was.is_private === is.is_private
  return {
    first: [
      ...(isSame
        ? losing(was, readOnlyBy(before, after, id, groups))
        : is.is_private
          ? losing(was, null, readByGroup(after, is))
          : []),
      ...(!is.is_private && was.is_web_public && !is.is_web_public ? [losingKept(null, id)] : []),
      ...(was.history_shared ? history(deletionRow(was)) : []),
    ],
    last: [
      ...(isSame
        ? regaining(is, readOnlyBy(after, before, id, groups))
        : is.is_private
          ? []
          : regaining(is, null, readByGroup(before, was))),
      ...(is.history_shared ? history(arrivalRow(is, by)) : []),
    ],
  }
}
