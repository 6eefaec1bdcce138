/** Actions on messages, users, roles, addresses, settings and subscriptions. */

import { roles, systemGroups } from "../../../src/chat/ground/realm/domain-values.ts"
import { setUpUser } from "../../../src/chat/server/setup/realm-setup.ts"
import { UserId } from "../../../src/ids.ts"
import { linksTo, send } from "../../chat/people/accounts/accounts-scene.ts"
import { invitesOf, join, linkTo } from "../../chat/people/invitations/invitation-scene.ts"
import { channelId } from "../../kit/channel-scene.ts"
import { type Action, leave, setRole, subscribe, watching } from "./scene.ts"

/** The order matters: each action begins with the state that the one before has left. */
export const peopleActions: ReadonlyArray<Action> = [
  { what: "the first message of a channel", act: (server) => server.as("cordelia").send("lobby", "one") },
  { what: "a message in a channel", act: (server) => server.as("hamlet").send("lobby", "two") },
  {
    what: "direct messages",
    act: async (server) => {
      const to = (["hamlet", "polonius", "iago"] as const).map(server.idOf)
      for (let n = 0; n < 2; n++)
        await server.as("cordelia").must.post("/messages", { type: "direct", to, content: "three" })
    },
  },
  {
    what: "reactions to messages of a channel and of people",
    act: async (server) => {
      const to = (["hamlet", "polonius", "cordelia"] as const).map(server.idOf)
      const direct = await server.as("cordelia").must.post("/messages", { type: "direct", to, content: "four" })
      for (const id of [await server.as("cordelia").send("lobby", "five"), direct["id"]]) {
        const path = `/messages/${id}/reactions`
        for (const who of ["hamlet", "polonius"] as const) {
          await server.as(who).must.post(path, { emoji_name: "octopus" })
          await server.as(who).must.post(path, { emoji_name: "thumbs_up" })
        }
        await server.as("cordelia").must.post(path, { emoji_name: "+1" })
        await server.as("hamlet").must.delete(path, { emoji_name: "octopus" })
      }
    },
  },
  {
    what: "a poll, in which people vote",
    act: async (server) => {
      const message_id = await server.as("cordelia").send("lobby", "/poll Which?\na\nb")
      const deeds = [
        ["hamlet", { type: "vote", key: "canned,0", vote: 1 }],
        ["polonius", { type: "new_option", idx: 1, option: "c" }],
        ["polonius", { type: "vote", key: "canned,0", vote: 1 }],
        ["hamlet", { type: "vote", key: "canned,0", vote: -1 }],
        ["cordelia", { type: "question", question: "Who?" }],
      ] as const
      for (const [who, content] of deeds)
        await server.as(who).must.post("/submessage", { message_id, msg_type: "widget", content })
    },
  },
  {
    what: "typing, which changes nothing",
    act: async (server) => {
      const to = watching.map(server.idOf)
      for (const op of ["start", "stop"]) {
        await server.as("cordelia").must.post("/typing", { op, to })
        const stream_id = server.realm.realm.findChannelByName("lobby")?.id
        await server.as("cordelia").must.post("/typing", { op, type: "stream", stream_id, topic: "t" })
        const message = await server.as("cordelia").send("lobby", "typed")
        await server.as("cordelia").must.post(`/messages/${message}/typing`, { op })
      }
    },
  },
  {
    what: "a new bot without an owner",
    act: (server) =>
      server.run(
        setUpUser(server.realmId, {
          email: "bot@test.example",
          fullName: "Bot",
          role: roles.member,
          isBot: true,
          passwordHash: null,
        }),
      ),
  },
  {
    what: "a member who becomes an administrator and an owner",
    act: async (server) => {
      await setRole(server, "hamlet", 200)
      await setRole(server, "hamlet", 100)
    },
  },
  { what: "an owner who becomes a guest", act: (server) => setRole(server, "hamlet", 600) },
  { what: "a guest who becomes a member", act: (server) => setRole(server, "hamlet", 400) },
  {
    what: "changed roles of other users",
    act: async (server) => {
      await setRole(server, "polonius", 300)
      await setRole(server, "othello", 600, "iago")
      await setRole(server, "iago", 400)
    },
  },
  {
    what: "roles are changed back",
    act: async (server) => {
      await setRole(server, "polonius", 600)
      await setRole(server, "othello", 400)
      await setRole(server, "iago", 200)
    },
  },
  {
    what: "settings of the organization",
    act: async (server) => {
      await server.actions.changeRealm({ enable_spectator_access: true, topics_policy: "disable_empty_topic" })
      await server.actions.changeRealm({ name: "Elsinore", description: "A *castle*", password_auth_enabled: false })
    },
  },
  {
    what: "permissions that groups hold",
    act: (server) => {
      const can_add_subscribers_group = {
        direct_members: [server.idOf("hamlet")],
        direct_subgroups: [systemGroups["role:administrators"]],
      }
      return server.actions.changeRealm({
        can_add_subscribers_group,
        direct_message_permission_group: systemGroups["role:members"],
      })
    },
  },
  {
    what: "settings of the organization are changed back",
    act: (server) =>
      server.actions.changeRealm({
        enable_spectator_access: false,
        topics_policy: "allow_empty_topic",
        password_auth_enabled: true,
        can_add_subscribers_group: systemGroups["role:members"],
        direct_message_permission_group: systemGroups["role:everyone"],
      }),
  },
  {
    what: "a user's own settings",
    act: async (server) => {
      for (const name of watching) {
        await server.actions.changeUserSetting(name, "twenty_four_hour_time", true)
        await server.actions.changeUserSetting(name, "emojiset", "text")
        await server.actions.changeUserSetting(name, "default_language", "da")
        await server.actions.changeUserSetting(name, "enable_sounds", false)
        const desktop_icon_count_display = 3
        await server.as(name).must.patch("/settings", { timezone: "Europe/Copenhagen", desktop_icon_count_display })
      }
    },
  },
  {
    what: "addresses are hidden, from some and from all",
    act: async (server) => {
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", 3)
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 2)
      await server.actions.changeUserSetting("polonius", "email_address_visibility", 4)
    },
  },
  {
    what: "addresses that a role shows and hides",
    act: async (server) => {
      await setRole(server, "othello", 200)
      await setRole(server, "othello", 600)
      await setRole(server, "iago", 400)
    },
  },
  {
    what: "addresses are shown again",
    act: async (server) => {
      await setRole(server, "iago", 200)
      await setRole(server, "othello", 400)
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", 5)
      await server.actions.changeUserSetting("hamlet", "email_address_visibility", 1)
      await server.actions.changeUserSetting("cordelia", "email_address_visibility", 1)
      await server.actions.changeUserSetting("polonius", "email_address_visibility", 2)
    },
  },
  { what: "subscribing oneself", act: (server) => subscribe(server, "hamlet", ["hall"], ["hamlet"]) },
  {
    what: "subscribing to a channel again",
    act: (server) => subscribe(server, "hamlet", ["hall", "lobby"], ["hamlet"]),
  },
  {
    what: "being subscribed to a private channel and to a public one",
    act: (server) => subscribe(server, "cordelia", ["den", "welcome"], ["hamlet", "iago", "polonius", "shiva"]),
  },
  {
    what: "new channels, with and without the requester as a subscriber",
    act: async (server) => {
      await subscribe(server, "hamlet", ["new", "newer"], ["hamlet", "cordelia", "polonius"])
      await subscribe(server, "iago", ["newest"], ["shiva"])
      await subscribe(server, "cordelia", ["cave", "vault"], ["cordelia", "hamlet", "polonius"], { invite_only: true })
      await subscribe(server, "cordelia", ["cellar"], ["cordelia"], {
        invite_only: true,
        history_public_to_subscribers: true,
      })
    },
  },
  {
    what: "leaving public and private channels",
    act: async (server) => {
      for (const name of watching) await leave(server, name, ["den", "welcome"])
      await leave(server, "hamlet", ["lobby", "cave"])
      await leave(server, "polonius", ["lobby"])
      await leave(server, "othello", ["lobby", "den"])
    },
  },
  {
    what: "subscribing again, also with another colour",
    act: async (server) => {
      await subscribe(server, "cordelia", ["den", "lobby", "cave"], ["hamlet", "polonius", "othello"])
      await server.as("iago").must.post("/users/me/subscriptions", {
        subscriptions: [{ name: "welcome", color: "#abcdef" }],
      })
    },
  },
  {
    what: "a new user, in the default channels",
    act: (server) =>
      server.as("iago").must.post("/users", { email: "new@test.example", password: "secret1", full_name: "New" }),
  },
  {
    what: "people come by invitations, by mail and by a link, into channels and groups",
    act: async (server) => {
      const cordelia = server.as("cordelia").must
      const group = await cordelia.post("/user_groups/create", { name: "crew", description: "", members: [] })
      const offer = {
        stream_ids: [channelId(server, "den"), channelId(server, "lobby")],
        group_ids: [group["group_id"]],
      }
      await cordelia.post("/invites", { invitee_emails: "rosa@far.example", invite_as: 600, ...offer })
      await join(server, await linkTo(server, "rosa@far.example"))
      const fields = { include_realm_default_subscriptions: true, welcome_message_custom_text: "Hello" }
      const { invite_link } = await server.as("iago").must.post("/invites/multiuse", fields)
      await join(server, String(invite_link), { email: "rosi@far.example" })
      for (const { id } of await invitesOf(server, "iago"))
        await server.as("iago").must.delete(`/invites/multiuse/${id}`)
    },
  },
  {
    what: "other addresses, one's own and by an administrator, shown to all, to some and to none",
    act: async (server) => {
      const [cordelia, othello] = [server.idOf("cordelia"), server.idOf("othello")]
      const give = (id: number, new_email: string) => server.as("desdemona").must.patch(`/users/${id}`, { new_email })
      for (const name of ["cordelia", "othello"] as const) {
        const email = `${name}@far.example`
        await server.as(name).must.patch("/settings", { email })
        await send(server, (await linksTo(server, email)).at(-1) ?? "")
      }
      await give(othello, "othello@test.example")
      await server.actions.changeUserSetting("othello", "email_address_visibility", 3)
      await give(othello, "moor@test.example")
      await give(othello, "othello@test.example")
      await server.actions.changeUserSetting("othello", "email_address_visibility", 1)
      await give(cordelia, "cordelia@test.example")
    },
  },
  {
    what: "a person with a bot leaves by themselves, and the person is back",
    act: async (server) => {
      const botOwnerId = UserId(server.idOf("othello"))
      const bot = { fullName: "Owned", role: roles.member, isBot: true, botOwnerId, passwordHash: null }
      await server.run(setUpUser(server.realmId, { ...bot, email: "owned@test.example" }))
      await server.as("othello").must.post("/invites", { invitee_emails: "late@far.example", stream_ids: [] })
      await server.as("othello").must.delete("/users/me")
      await server.as("desdemona").must.post(`/users/${botOwnerId}/reactivate`)
    },
  },
  {
    what: "a user is deactivated",
    act: async (server) => {
      await server.as("desdemona").must.delete(`/users/${server.idOf("shiva")}`)
    },
  },
  {
    what: "a user is reactivated",
    act: (server) => server.as("desdemona").must.post(`/users/${server.idOf("shiva")}/reactivate`),
  },
]
