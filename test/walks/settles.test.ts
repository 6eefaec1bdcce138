/**
 * I13: state and events make the state, for each kind of event, from a member's, an administrator's, an owner's and a
 * guest's view, for several kinds of clients; while nobody else writes, and while others write without pause. A quick run
 * takes all actions, and compares some of the clients after each. Over a kill: test/deep/settles.test.ts.
 */
import t from "tap"
import { absentMailServer } from "../kit/absent-mail-server.ts"
import { agreesWithTables } from "../kit/afresh.ts"
import type { Fields } from "../kit/client.ts"
import { farServer } from "../kit/far-server.ts"
import { findOrphans } from "../kit/orphans.ts"
import { describeRealm } from "../kit/projection.ts"
import { kindsOfClients, Settling, settlesUnderLoad } from "../kit/settles.ts"
import { about } from "../kit/share.ts"
import { until } from "../kit/test-database.ts"
import { type TestServer, withServer } from "../kit/with-server.ts"
import { channelActions } from "./settles/channels.ts"
import { deletionActions } from "./settles/deletions.ts"
import { disturbance } from "./settles/disturbance.ts"
import { editActions } from "./settles/edits.ts"
import { flagActions } from "./settles/flags.ts"
import { groupActions } from "./settles/groups.ts"
import { moveActions } from "./settles/moves.ts"
import { peopleActions } from "./settles/people.ts"
import { type Action, channels, pairwiseViewsOf, viewsOf, watching } from "./settles/scene.ts"

/** Invitations are mailed. */
const config = { mail: absentMailServer }

/** Actions on one server, and the kinds of events that must have come by their end. */
interface Case {
  readonly name: string
  readonly actions: ReadonlyArray<Action>
  readonly expected: ReadonlyArray<string>
}

const words = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)
const updates = (kind: string, properties: string) => words(properties).map((name) => `${kind} ${name}`)

const cases: ReadonlyArray<Case> = [
  {
    name: "people",
    actions: peopleActions,
    expected: words(`message reaction/add reaction/remove submessage typing/start typing/stop
      typing_edit_message/start typing_edit_message/stop stream/create stream/update stream/delete
      subscription/add subscription/remove subscription/peer_add subscription/peer_remove
      realm_user/add realm_user/update realm_bot/add realm_bot/delete
      user_group/add_members user_group/remove_members user_settings/update realm/update realm/update_dict
      default_streams invites_changed`),
  },
  {
    name: "flags",
    actions: [...flagActions, ...moveActions, ...editActions, ...deletionActions],
    expected: words(`message subscription/remove update_message_flags/add update_message_flags/remove update_message
      delete_message`),
  },
  {
    name: "channels",
    actions: channelActions,
    expected: [
      ...words(`channel_folder/add channel_folder/reorder default_streams default_stream_groups
        stream/create stream/delete subscription/add subscription/remove subscription/peer_add subscription/peer_remove`),
      ...updates("channel_folder/update", "name description rendered_description is_archived"),
      ...updates(
        "stream/update",
        `name description invite_only message_retention_days topics_policy folder_id is_archived first_message_id
        can_add_subscribers_group can_administer_channel_group can_delete_any_message_group
        can_delete_own_message_group can_move_messages_out_of_channel_group can_move_messages_within_channel_group
        can_remove_subscribers_group can_resolve_topics_group can_send_message_group can_subscribe_group
        stream_post_policy is_announcement_only`,
      ),
      ...updates(
        "subscription/update",
        `color is_muted in_home_view pin_to_top desktop_notifications audible_notifications push_notifications
        email_notifications wildcard_mentions_notify`,
      ),
      ...updates(
        "realm/update",
        "enable_spectator_access new_stream_announcements_stream_id moderation_request_channel_id",
      ),
    ],
  },
  {
    name: "groups",
    actions: groupActions,
    expected: [
      ...words(`user_group/add user_group/remove user_group/add_members user_group/remove_members
        user_group/add_subgroups user_group/remove_subgroups stream/create stream/delete subscription/peer_add
        subscription/peer_remove realm_user/update`),
      ...updates(
        "user_group/update",
        `name description deactivated can_add_members_group can_join_group can_leave_group can_manage_group
        can_mention_group can_remove_members_group`,
      ),
      ...updates(
        "realm/update_dict",
        `can_create_groups can_manage_all_groups can_mention_many_users_group can_create_public_channel_group
        can_create_private_channel_group can_create_web_public_channel_group can_set_topics_policy_group
        can_invite_users_group create_multiuse_invite_group`,
      ),
      ...updates(
        "realm/update",
        "waiting_period_threshold create_public_stream_policy wildcard_mention_policy welcome_message_custom_text",
      ),
    ],
  },
]

for (const { name, actions, expected } of cases)
  t.test(`I13: each action settles: ${name}`, (t) =>
    withServer(t, { channels, config }, async (server) => {
      const settling = new Settling(t, pairwiseViewsOf(server), agreesWithTables(t, server))
      for (const { what, act } of actions) await settling.after(what, () => act(server))
      t.same(
        expected.filter((kind) => !settling.seen.has(kind)),
        [],
        "every kind of event has come",
      )
      t.same(await findOrphans(server), [], "I2")
      const moved = describeRealm(server.realm.realm)
      await server.restart()
      t.same(describeRealm(server.realm.realm), moved, "I12")
    }),
  )

t.test("I13: a message that is rendered anew settles", async (t) => {
  const far = await farServer(t)
  far.pages.set("/page", (_, response) =>
    response.writeHead(200, { "Content-Type": "text/html" }).end("<title>A title</title>"),
  )
  await withServer(t, { channels, network: far.network, config: { pagePreviews: true } }, async (server) => {
    server.closeAfter(far.close)
    const settling = new Settling(t, pairwiseViewsOf(server), agreesWithTables(t, server))
    const polonius = await server.queue("polonius", { event_types: ["message", "update_message"] })
    const isAnew = ({ rendering_only: only }: Fields) => only === true
    await settling.after("a channel's message gets its preview, unread and mentioning", async () => {
      await server.as("cordelia").send("lobby", `${far.origin}/page @**all**`)
      await polonius.until(isAnew)
    })
    await settling.after("a direct message gets its preview by an edit", async () => {
      const to = watching.map((name) => server.idOf(name))
      const direct = { type: "direct", to, content: "one" }
      const { id } = await server.as("cordelia").must.post("/messages", direct)
      await server.as("cordelia").must.post("/messages", direct)
      await server.as("cordelia").must.patch(`/messages/${String(id)}`, { content: `${far.origin}/page` })
      await polonius.until((event) => isAnew(event) && event["message_id"] === id)
    })
    t.ok(settling.seen.has("update_message"))
  })
})

/** Actions between two registers while others write: each register is overtaken many times, which takes long. */
const atOnce = 3
const busy = new Set([
  "a message in a channel",
  "reactions to messages of a channel and of people",
  "a poll, in which people vote",
  "typing, which changes nothing",
  "being subscribed to a private channel and to a public one",
  "new channels, with and without the requester as a subscriber",
  "a new user, in the default channels",
  "a user is deactivated",
  "a user is reactivated",
  "changed roles of other users",
  "roles are changed back",
  "settings of the organization",
  "settings of the organization are changed back",
  "a user's own settings",
  "addresses are hidden, from some and from all",
])

/** The kinds of clients whose register has all sections; the others (`split`) ask for only some. */
const whole = kindsOfClients.filter(([, { fetch_event_types }]) => fetch_event_types === undefined)
const split = kindsOfClients.filter(([, { fetch_event_types }]) => fetch_event_types !== undefined)

/** Each watching user as one kind of client, another one at each turn: after as many turns as kinds all have been. */
const viewsAt = (server: TestServer, kinds: typeof kindsOfClients, turn: number) =>
  watching.flatMap((name, n) =>
    viewsOf(
      server,
      kinds.filter((_, kind) => kind === (n + turn) % kinds.length),
      [name],
    ),
  )

t.test("I13: each kind of event settles while others write without pause", (t) =>
  withServer(t, { channels, config }, async (server) => {
    const everybody = [...watching, "othello", "cordelia"] as const
    const disturb = disturbance(server.as("othello"), server.as("cordelia"), everybody.map(server.idOf))
    const { feed } = server.realm
    const check = agreesWithTables(t, server)
    let isNoisy = false
    let overtakes = 0
    let overtaken = 0
    // Delays the database's answer to a register until the projection is some rows ahead of it.
    server.faults.slow("section_message_v1", async ([row]) => {
      if (!isNoisy || overtakes-- <= 0) return
      const { head } = JSON.parse(String(row?.["state"]))
      await until("others have written", 10_000, () => !isNoisy || feed.position > Number(head) + 3)
      if (isNoisy) overtaken++
    })
    const noise = async (running: () => boolean) => {
      isNoisy = true
      await disturb(() => {
        isNoisy = running()
        return isNoisy
      })
    }
    const shown = groupActions.findIndex(({ what }) => what === "a private channel that groups show and hide")
    const actions = [
      ...peopleActions.filter(({ what }) => busy.has(what)),
      ...flagActions,
      ...groupActions.slice(0, shown + 1),
    ]
    const turns = Array.from({ length: Math.ceil(actions.length / atOnce) }, (_, turn) => turn)
    const noisy = about(turns, 4, "noisy turns")
    for (const turn of turns) {
      overtakes = Number.POSITIVE_INFINITY
      const together = actions.slice(turn * atOnce, (turn + 1) * atOnce)
      const act = async () => {
        for (const { act } of together) await act(server)
      }
      const what = together.map(({ what }) => what).join("; ")
      // Without it the next turn would not begin with the right state.
      if (!noisy.includes(turn)) await act()
      else await settlesUnderLoad(t, viewsAt(server, whole, turn), what, act, noise, { check })
    }
    const due = 5 * noisy.length
    t.ok(overtaken > due, `${overtaken} registers were overtaken, of which ${due} are due`)
    // A register that is overtaken is tried again a few times.
    overtakes = 5
    const send = () => server.as("hamlet").send("lobby", "one more")
    await settlesUnderLoad(t, about(viewsOf(server, split), 4, "again"), "a register that begins again", send, noise, {
      check,
    })
    // A register that is overtaken every time is taken under the log's lock.
    overtakes = Number.POSITIVE_INFINITY
    await settlesUnderLoad(
      t,
      about(viewsOf(server, split), 4, "always"),
      "a register that is always overtaken",
      send,
      noise,
      { check },
    )
  }),
)
