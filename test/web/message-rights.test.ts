/** What is offered for a message: what the server would refuse is not among it. */
import t from "tap"
import type { PageChannel, PagePost, PageState } from "../../src/web/state/model.ts"
import { reduce } from "../../src/web/state/reduce/reduce.ts"
import { actsOn, type MessageAct } from "../../src/web/state/rights.ts"
import { madeState, post, selfId } from "./kit.ts"
import { holding, channel as madeChannel, person } from "./people.ts"

const nobody = { direct_members: [], direct_subgroups: [] }
const self = { direct_members: [selfId], direct_subgroups: [] }

const channel = (
  change: Partial<PageChannel> = {},
  permissions: Partial<PageChannel["permissions"]> = {},
): PageChannel => madeChannel(1, "general", { ...holding({ post: self, ...permissions }), ...change })

const within = (here: PageChannel, change: Partial<PageState> = {}): PageState =>
  madeState({ channels: new Map([[1, here]]), ...change })

const own = post(1, { senderId: selfId })
const other = post(1)

const may = (state: PageState, on: PagePost, act: MessageAct, after = 60): boolean =>
  actsOn(state, on, on.time + after).includes(act)

t.test("edit: one's own, as long as it is let, and no poll", async (t) => {
  const state = within(channel())
  t.equal(may(state, own, "edit"), true)
  t.equal(may(state, other, "edit"), false)
  t.equal(may(within(channel({ isArchived: true })), own, "edit"), false)
  t.equal(may(state, { ...own, acts: [{ senderId: selfId, content: "{}" }] }, "edit"), false)
  const limited = reduce(
    state,
    { id: 1, type: "realm", op: "update_dict", property: "default", data: { message_content_edit_limit_seconds: 600 } },
    0,
  )
  t.equal(may(limited, own, "edit", 600), true)
  t.equal(may(limited, own, "edit", 601), false)
  const lifted = reduce(
    limited,
    {
      id: 2,
      type: "realm",
      op: "update_dict",
      property: "default",
      data: { message_content_edit_limit_seconds: null },
    },
    0,
  )
  t.equal(may(lifted, own, "edit", 601), true)
  const off = reduce(
    state,
    { id: 1, type: "realm", op: "update_dict", property: "default", data: { allow_message_editing: false } },
    0,
  )
  t.equal(may(off, own, "edit"), false)
})

t.test("delete: by the organization, by the channel, by the role, for a time", async (t) => {
  const state = within(channel())
  t.equal(may(state, own, "remove"), false)
  t.equal(may(within(channel({}, { deleteOwn: self })), own, "remove"), true)
  t.equal(may(within(channel({}, { deleteOwn: self })), other, "remove"), false)
  t.equal(may(within(channel({}, { deleteAny: self })), other, "remove"), true)
  t.equal(may({ ...state, self: { ...state.self, isAdmin: true } }, other, "remove"), true)
  const opened = reduce(
    state,
    { id: 1, type: "realm", op: "update_dict", property: "default", data: { can_delete_own_message_group: self } },
    0,
  )
  t.equal(may(opened, own, "remove"), true)
  const limited = reduce(
    opened,
    { id: 2, type: "realm", op: "update", property: "message_content_delete_limit_seconds", value: 60 },
    0,
  )
  t.equal(may(limited, own, "remove", 61), false)
  const bots = new Map([
    [11, person(11, "Mine", { isBot: true, ownerId: selfId })],
    [12, person(12, "Another's", { isBot: true, ownerId: 13 })],
  ])
  t.equal(may({ ...limited, people: bots }, other, "remove", 60), true, "what one's bot wrote")
  t.equal(may({ ...limited, people: bots }, other, "remove", 61), false)
  t.equal(may({ ...limited, people: bots }, { ...other, senderId: 12 }, "remove", 60), false)
  const event = { id: 3, type: "realm_user", op: "update", person: { user_id: 11, bot_owner_id: 13 } } as const
  t.equal(may(reduce({ ...limited, people: bots }, event, 0), other, "remove", 60), false, "it has another owner")
})

t.test("move: a right, and a time that does not bind moderators", async (t) => {
  const open = channel({}, { moveWithin: self })
  t.equal(may(within(channel()), other, "move"), false)
  t.equal(may(within(open), other, "move"), true)
  t.equal(may(within(channel({}, { moveOut: self })), other, "move"), true)
  t.equal(may(within({ ...open, isArchived: true }), other, "move"), false)
  t.equal(may(within({ ...open, isPrivate: true, isSubscribed: false }), other, "move"), false)
  const direct = post(1, { conversation: { kind: "direct", users: [11] } })
  t.equal(may(within(open), direct, "move"), false)
  const state = within(open)
  const limited: PageState = { ...state, messageRules: { ...state.messageRules, topicSeconds: 60 } }
  t.equal(may(limited, other, "move", 61), false)
  t.equal(may({ ...limited, self: { ...limited.self, isModerator: true } }, other, "move", 61), true)
})

t.test("reply, mark as unread, history, readers", async (t) => {
  t.equal(may(within(channel()), other, "reply"), true)
  t.equal(may(within(channel({}, { post: nobody })), other, "quote"), false)
  t.equal(may(within(channel({ isArchived: true })), other, "reply"), false)
  t.equal(may(within(channel({ isSubscribed: false })), other, "markUnread"), false)
  t.equal(may(within(channel()), other, "markUnread"), true)
  t.equal(may(within(channel()), { ...other, flags: new Set() }, "markUnread"), false)
  const state = within(channel(), { hasReceipts: true })
  t.equal(may(state, other, "readBy"), true)
  t.equal(may(state, other, "history"), false)
  const edited: PagePost = { ...other, isEdited: true }
  t.equal(may(state, edited, "history"), true)
  const secret = reduce(
    state,
    {
      id: 1,
      type: "realm",
      op: "update_dict",
      property: "default",
      data: { message_edit_history_visibility_policy: "moves" },
    },
    0,
  )
  t.equal(may(secret, edited, "history"), false)
  t.equal(may(secret, { ...other, isMoved: true }, "history"), true)
})
