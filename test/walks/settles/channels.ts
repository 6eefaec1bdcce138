/** Actions on channels, folders, default channels and subscriptions: each way to make, change and end them. */

import { folders } from "../../../src/chat/channels/channel-folders/folder-list.ts"
import { defaultGroups } from "../../../src/chat/channels/channels/default-groups.ts"
import { channelId } from "../../kit/channel-scene.ts"
import type { Fields } from "../../kit/client.ts"
import type { TestServer } from "../../kit/with-server.ts"
import { type Action, archive, change, create, held, leave, subscribe } from "./scene.ts"

const properties = (server: TestServer, name: string, settings: Fields) =>
  server.as("hamlet").must.post("/users/me/subscriptions/properties", {
    subscription_data: Object.entries(settings).map(([property, value]) => ({
      stream_id: channelId(server, name),
      property,
      value,
    })),
  })
const folder = (server: TestServer, name: string): number => {
  const found = [...server.realm.realm.part(folders).values()].find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no folder ${name}`)
  return found.id
}
const defaultGroup = (server: TestServer, name: string): number =>
  server.realm.realm.part(defaultGroups).all.find((each) => each.name === name)?.id ?? 0

/** The order matters: each action begins with the state that the one before has left. */
export const channelActions: ReadonlyArray<Action> = [
  {
    what: "folders",
    act: async (server) => {
      const iago = server.as("iago").must
      for (const name of ["first", "second", "third"])
        await iago.post("/channel_folders/create", { name, description: "a *folder*" })
      await iago.patch(`/channel_folders/${folder(server, "first")}`, { name: "foremost", description: "changed" })
      await iago.patch(`/channel_folders/${folder(server, "third")}`, { is_archived: true })
      const order = ["second", "third", "foremost"].map((name) => folder(server, name))
      await iago.patch("/channel_folders", { order })
      await iago.patch(`/channel_folders/${folder(server, "third")}`, { is_archived: false })
    },
  },
  {
    what: "the organization's settings that decide how new channels begin",
    act: (server) =>
      server.as("desdemona").must.patch("/realm", {
        enable_spectator_access: true,
        new_stream_announcements_stream_id: channelId(server, "lobby"),
        moderation_request_channel_id: channelId(server, "den"),
      }),
  },
  {
    what: "new channels of every kind",
    act: async (server) => {
      await create(server, "hamlet", "public", ["cordelia", "polonius"], {
        announce: true,
        description: "about *it*",
        folder_id: folder(server, "second"),
      })
      await create(server, "hamlet", "private", ["hamlet", "polonius"], { invite_only: true })
      await create(server, "cordelia", "shared", ["cordelia"], {
        invite_only: true,
        history_public_to_subscribers: true,
        can_add_subscribers_group: held(server, ["hamlet"], 5),
      })
      await create(server, "desdemona", "web", ["shiva"], { is_web_public: true, message_retention_days: "unlimited" })
      await create(server, "iago", "default", [], { is_default_stream: true, topics_policy: "empty_topic_only" })
    },
  },
  {
    what: "changes of names, descriptions and retention",
    act: async (server) => {
      await change(server, "iago", "public", { new_name: "open" })
      await change(server, "hamlet", "private", { new_name: "closed", description: "not *for* all" })
      await change(server, "desdemona", "open", {
        message_retention_days: "unlimited",
        topics_policy: "disable_empty_topic",
      })
      await change(server, "iago", "open", { folder_id: folder(server, "foremost") })
      await change(server, "iago", "web", { folder_id: folder(server, "foremost"), description: "a\nb" })
      await change(server, "iago", "open", { folder_id: null })
    },
  },
  {
    what: "changes of a channel's permissions",
    act: async (server) => {
      const lobby = (fields: Fields) => change(server, "iago", "lobby", fields)
      await lobby({ can_send_message_group: { new: 5 }, can_remove_subscribers_group: { new: 3 } })
      await lobby({ can_send_message_group: { new: held(server, ["hamlet"], 6), old: 5 } })
      await lobby({
        can_add_subscribers_group: { new: 3 },
        can_administer_channel_group: { new: held(server, ["cordelia", "othello"]) },
        can_delete_any_message_group: { new: 5 },
        can_delete_own_message_group: { new: 2 },
        can_move_messages_out_of_channel_group: { new: 5 },
        can_move_messages_within_channel_group: { new: 2 },
        can_resolve_topics_group: { new: 2 },
        can_subscribe_group: { new: 3 },
        can_send_message_group: { new: 2 },
      })
    },
  },
  {
    what: "a private channel that its permissions show and hide",
    act: async (server) => {
      const den = (fields: Fields) => change(server, "shiva", "den", fields)
      await change(server, "desdemona", "den", {
        can_administer_channel_group: { new: held(server, ["shiva", "hamlet"]) },
      })
      await den({ can_add_subscribers_group: { new: 3 }, description: "seen by members" })
      await server.as("shiva").send("den", "not for administrators")
      await den({
        can_add_subscribers_group: { new: 8 },
        can_administer_channel_group: { new: held(server, ["shiva"]) },
      })
    },
  },
  {
    what: "public channels that become private",
    act: async (server) => {
      await change(server, "iago", "open", { is_private: true })
      await change(server, "desdemona", "hall", {
        is_private: true,
        is_web_public: false,
        history_public_to_subscribers: true,
      })
      await change(server, "iago", "lobby", { is_private: true })
    },
  },
  {
    what: "private channels that become public and web-public",
    act: async (server) => {
      await subscribe(server, "cordelia", ["open"], ["desdemona"])
      await change(server, "desdemona", "open", { is_private: false })
      await change(server, "desdemona", "hall", { is_private: false, is_web_public: true })
      await subscribe(server, "cordelia", ["lobby"], ["desdemona"])
      await change(server, "desdemona", "lobby", { is_private: false })
      await leave(server, "desdemona", ["lobby", "open"])
    },
  },
  {
    what: "channels that are archived",
    act: async (server) => {
      await server.as("hamlet").send("lobby", "before the end")
      for (const name of ["lobby", "closed", "welcome", "hall"]) await archive(server, "iago", name)
    },
  },
  {
    what: "archived channels that change",
    act: async (server) => {
      await change(server, "iago", "lobby", { description: "no more" })
      await properties(server, "lobby", { color: "#123456", is_muted: true })
      await change(server, "iago", "welcome", { new_name: "greeting", folder_id: folder(server, "second") })
      await change(server, "iago", "hall", { is_private: true, is_web_public: false })
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
      await server.as("desdemona").must.post(`/users/${server.idOf("othello")}/reactivate`)
    },
  },
  {
    what: "archived channels that come back",
    act: async (server) => {
      for (const name of ["lobby", "closed", "greeting", "hall"])
        await change(server, "iago", name, { is_archived: false })
    },
  },
  {
    what: "default channels",
    act: async (server) => {
      const iago = server.as("iago").must
      await iago.post("/default_streams", { stream_id: channelId(server, "lobby") })
      await change(server, "iago", "greeting", { is_default_stream: true })
      await iago.delete("/default_streams", { stream_id: channelId(server, "default") })
      await change(server, "iago", "lobby", { is_private: true, is_default_stream: false })
    },
  },
  {
    what: "groups of default channels",
    act: async (server) => {
      const iago = server.as("iago").must
      const ids = (...of: ReadonlyArray<string>) => ({ stream_ids: of.map((name) => channelId(server, name)) })
      for (const group_name of ["newcomers", "others"])
        await iago.post("/default_stream_groups/create", { group_name, description: "some", ...ids("open") })
      const path = `/default_stream_groups/${defaultGroup(server, "newcomers")}`
      await iago.patch(path, { new_group_name: "new people", new_description: "all" })
      await iago.patch(`${path}/streams`, { op: "add", ...ids("default") })
      await iago.patch(`${path}/streams`, { op: "remove", ...ids("open") })
      await iago.delete(`/default_stream_groups/${defaultGroup(server, "others")}`)
    },
  },
  {
    what: "a user's own settings for channels",
    act: async (server) => {
      await properties(server, "lobby", {
        color: "#ABC",
        is_muted: true,
        pin_to_top: true,
        desktop_notifications: true,
      })
      await properties(server, "lobby", { audible_notifications: false, push_notifications: true })
      await properties(server, "lobby", { email_notifications: true, wildcard_mentions_notify: false })
      await properties(server, "closed", { in_home_view: false })
      await server
        .as("hamlet")
        .must.patch(`/users/me/subscriptions/${channelId(server, "closed")}`, { property: "is_muted", value: false })
    },
  },
  {
    what: "subscribing and leaving in one request, and unsubscribing others",
    act: async (server) => {
      await server
        .as("hamlet")
        .must.patch("/users/me/subscriptions", { add: [{ name: "open" }, { name: "made" }], delete: ["lobby"] })
      const principals = (["polonius", "hamlet", "cordelia"] as const).map(server.idOf)
      await server.as("iago").must.delete("/users/me/subscriptions", { subscriptions: ["open", "closed"], principals })
    },
  },
  {
    what: "coming back to channels that were hidden meanwhile",
    act: async (server) => {
      await subscribe(server, "desdemona", ["web"], ["hamlet", "polonius"])
      await server.as("polonius").must.delete("/users/me/subscriptions", { subscriptions: ["web"] })
      await change(server, "desdemona", "web", { is_web_public: false })
      await change(server, "desdemona", "web", { is_web_public: true })
    },
  },
]
