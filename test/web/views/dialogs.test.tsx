/** Dialogs as text: who may do what in them, and that lists which are cut say so. */
import t from "tap"
import { Channels } from "../../../src/web/view/dialogs/channels.tsx"
import { DraftList } from "../../../src/web/view/dialogs/drafts.tsx"
import { Groups } from "../../../src/web/view/dialogs/groups.tsx"
import { ScheduledMessages } from "../../../src/web/view/dialogs/message-dialogs.tsx"
import { MoveMessages } from "../../../src/web/view/dialogs/move-messages.tsx"
import { NewDirect } from "../../../src/web/view/dialogs/new-direct.tsx"
import { OrganizationDialog } from "../../../src/web/view/dialogs/organization.tsx"
import { MemberList } from "../../../src/web/view/parts/members.tsx"
import { PeoplePanel } from "../../../src/web/view/people-panel.tsx"
import { madeState, post, selfId } from "../kit.ts"
import { byId, channel, crowd, group, many, person } from "../people.ts"
import { html, text } from "./kit.tsx"

const administrator = { ...madeState().self, isAdmin: true }

t.test("lists that are cut say how many more there are, and have a filter", async (t) => {
  const people = crowd(130)
  const channels = byId(many(130, (id) => channel(id, `channel ${id}`)))
  const groups = byId(many(130, (id) => group(id, `group ${id}`)))
  const drafts = byId(
    many(130, (id) => ({ id, type: "stream", to: [1], topic: "x", content: `text ${id}`, timestamp: id }) as const),
  )
  const nothing = () => undefined
  const members = [...people.keys()]
  const membersView = (
    <MemberList members={members} mayAdd={() => true} mayRemove={() => true} onAdd={nothing} onRemove={nothing} />
  )
  const state = madeState({ self: administrator, people, channels, groups, drafts })
  for (const [name, view, rest] of [
    ["organization", <OrganizationDialog key="" />, 30],
    ["channels", <Channels key="" />, 30],
    ["new direct message", <NewDirect key="" />, 80],
    ["members", membersView, 30],
    ["groups", <Groups key="" />, 30],
    ["drafts", <DraftList key="" />, 30],
    ["people", <PeoplePanel key="" />, 30],
  ] as const) {
    const lines = text(view, state)
    t.ok(lines.includes(`${rest} more: filter to find them`), name)
    t.match(html(view, state), /type="search"/, name)
  }
})

t.test("lists that are whole say nothing of it", async (t) => {
  const state = madeState({
    self: administrator,
    people: crowd(20),
    groups: byId(many(3, (id) => group(id, `g${id}`))),
  })
  t.notMatch(html(<OrganizationDialog />, state), /more: filter/)
  t.notMatch(html(<Groups />, state), /more: filter|type="search"/)
  t.notMatch(html(<PeoplePanel />, state), /type="search"/)
})

t.test("people of whom a guest knows nothing are not listed", async (t) => {
  const unknown = person(12, "Unknown user", { avatarUrl: "/static/images/unknown-user-avatar.png" })
  const state = madeState({
    self: administrator,
    people: byId([person(selfId, "Greta"), unknown, person(13, "Iago")]),
  })
  for (const view of [<PeoplePanel key="" />, <NewDirect key="" />, <OrganizationDialog key="" />]) {
    const lines = text(view, state).join("\n")
    t.match(lines, /Iago/)
    t.notMatch(lines, /Unknown user/)
  }
})

t.test("an administrator is offered nothing that only owners may do", async (t) => {
  const people = byId([
    person(selfId, "Adam", { role: 200 }),
    person(11, "Olive", { role: 100 }),
    person(12, "Oscar", { role: 100 }),
    person(13, "Max"),
    person(14, "Gone", { isActive: false }),
  ])
  const lines = text(<OrganizationDialog />, madeState({ self: administrator, people }))
  t.notOk(lines.includes("[Deactivate: Olive]"))
  t.ok(lines.some((line) => line.includes("Only owners change owners.")))
  t.notOk(lines.includes("[Deactivate: Adam]"))
  t.ok(lines.includes("[Deactivate: Max]"))
  t.ok(lines.includes("[Reactivate: Gone]"))
  t.notMatch(html(<OrganizationDialog />, madeState({ self: administrator, people })), /<option[^>]*>Owner/)
})

t.test("the only owner stays one", async (t) => {
  const self = { ...administrator, isOwner: true }
  const people = byId([person(selfId, "Olive", { role: 100 }), person(13, "Max")])
  const alone = html(<OrganizationDialog />, madeState({ self, people }))
  t.match(alone, /The only owner\./)
  t.match(alone, /<option[^>]*>Owner/, "others are made owners")
  const two = new Map(people).set(12, person(12, "Oscar", { role: 100 }))
  const lines = text(<OrganizationDialog />, madeState({ self, people: two }))
  t.ok(lines.includes("[Deactivate: Oscar]"))
})

t.test("a message is moved to channels where one may write, one's own first, by name", async (t) => {
  const role = group(1, "role:everyone", { is_system_group: true, members: [selfId] })
  const made = (id: number, name: string, isSubscribed: boolean, post: number) =>
    channel(id, name, { isSubscribed, permissions: { ...channel(id, name).permissions, post } })
  const channels = byId([
    made(1, "zebra", true, 1),
    made(2, "middle", false, 1),
    made(3, "apple", true, 1),
    made(4, "read only", true, 99),
  ])
  const given = html(<MoveMessages post={post(1)} />, madeState({ channels, groups: byId([role]) }))
  const options = [...given.matchAll(/<option[^>]*>([^<]*)/g)].map(([, name]) => name)
  t.strictSame(options, ["apple", "zebra", "middle"])
})

t.test("what is sent later says where it goes", async (t) => {
  const common = {
    content: "x",
    rendered_content: "<p>x</p>",
    scheduled_delivery_timestamp: 1_700_000_000,
    failed: false,
  }
  const state = madeState({
    people: crowd(12),
    channels: byId([channel(1, "general")]),
    scheduled: new Map([
      [1, { ...common, scheduled_message_id: 1, type: "stream", to: 1, topic: "lunch" } as const],
      [2, { ...common, scheduled_message_id: 2, type: "private", to: [selfId, 3] } as const],
    ]),
  })
  const lines = text(<ScheduledMessages />, state).join("\n")
  t.match(lines, /#general › lunch/)
  t.match(lines, /Person 003/)
})
