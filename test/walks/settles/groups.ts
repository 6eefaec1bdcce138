/** Actions on user groups: their members, permissions, the private channels that they show, (de)activated users. */
import { type Action, change, changeGroup, end, group, groupId, held, setRole, turn } from "./scene.ts"

/** The order matters: each action begins with the state that the one before has left. */
export const groupActions: ReadonlyArray<Action> = [
  {
    what: "new groups",
    act: async (server) => {
      await group(server, "hamlet", "players", ["hamlet", "polonius"])
      await group(server, "iago", "crew", ["cordelia"], { can_join_group: 3, can_mention_group: 5 })
      await group(server, "iago", "all hands", [], { subgroups: [groupId(server, "players"), groupId(server, "crew")] })
    },
  },
  {
    what: "changes of names, descriptions and permissions of groups",
    act: async (server) => {
      await changeGroup(server, "hamlet", "players", { name: "actors", description: "on stage" })
      await changeGroup(server, "hamlet", "actors", {
        can_add_members_group: { new: 5 },
        can_join_group: { new: 3 },
        can_leave_group: { new: 8 },
        can_mention_group: { new: 3 },
        can_remove_members_group: { new: held(server, ["hamlet", "othello"]) },
        can_manage_group: { new: held(server, ["hamlet", "iago"], groupId(server, "crew")) },
      })
    },
  },
  {
    what: "members and subgroups are added and removed",
    act: async (server) => {
      await turn(server, "hamlet", "actors", { add: [server.idOf("cordelia"), server.idOf("iago")] })
      await turn(server, "hamlet", "actors", { delete: [server.idOf("polonius")] })
      await turn(server, "cordelia", "crew", { delete: [server.idOf("cordelia")] })
      await turn(server, "cordelia", "crew", { add: [server.idOf("cordelia")] })
      await turn(server, "iago", "all hands", { delete_subgroups: [groupId(server, "crew")] })
      await server
        .as("iago")
        .must.post(`/user_groups/${groupId(server, "all hands")}/subgroups`, { add: [groupId(server, "crew")] })
    },
  },
  {
    what: "groups that are deactivated, and changed meanwhile",
    act: async (server) => {
      await group(server, "iago", "spare", ["hamlet", "polonius"])
      await end(server, "iago", "spare")
      await changeGroup(server, "iago", "spare", { name: "spared", can_join_group: { new: 3 } })
    },
  },
  { what: "a group is reactivated", act: (server) => changeGroup(server, "iago", "spared", { deactivated: false }) },
  {
    what: "a private channel that groups show and hide",
    act: async (server) => {
      const value = held(server, [], groupId(server, "all hands"), groupId(server, "spared"))
      await change(server, "iago", "den", { can_administer_channel_group: { new: held(server, ["shiva"]) } })
      await change(server, "shiva", "den", { can_add_subscribers_group: { new: value } })
      await turn(server, "hamlet", "actors", { delete: [server.idOf("hamlet")] })
      await turn(server, "iago", "spared", { delete: [server.idOf("hamlet")] })
      await turn(server, "iago", "crew", { add: [server.idOf("hamlet"), server.idOf("polonius")] })
      await server.as("shiva").send("den", "for all hands")
      await turn(server, "iago", "all hands", { delete_subgroups: [groupId(server, "crew")] })
      await turn(server, "iago", "all hands", { add_subgroups: [groupId(server, "crew")] })
    },
  },
  {
    what: "holders of permissions become guests and administrators",
    act: async (server) => {
      await setRole(server, "hamlet", 600)
      await setRole(server, "hamlet", 200)
      await setRole(server, "iago", 400)
    },
  },
  {
    what: "roles are changed back",
    act: async (server) => {
      await setRole(server, "iago", 200)
      await setRole(server, "hamlet", 400)
    },
  },
  {
    what: "permissions of the organization",
    act: async (server) => {
      const desdemona = server.as("desdemona").must
      await desdemona.patch("/realm", {
        can_create_groups: { new: held(server, ["othello"], 5) },
        can_manage_all_groups: { new: groupId(server, "actors") },
        can_mention_many_users_group: { new: 2 },
        can_create_public_channel_group: { new: held(server, ["hamlet", "othello"]) },
        can_create_private_channel_group: { new: groupId(server, "all hands") },
        can_create_web_public_channel_group: { new: 6 },
        can_invite_users_group: { new: held(server, ["polonius", "hamlet"]) },
        create_multiuse_invite_group: { new: groupId(server, "all hands") },
        welcome_message_custom_text: "We are *glad*.",
      })
      await turn(server, "iago", "all hands", { delete_subgroups: [groupId(server, "crew")] })
      await desdemona.patch("/realm", { can_create_public_channel_group: { new: 5 } })
      await desdemona.patch("/realm", { waiting_period_threshold: 30, can_set_topics_policy_group: { new: 4 } })
      await desdemona.patch("/realm", { waiting_period_threshold: 0, moderation_request_channel_id: -1 })
    },
  },
  {
    what: "a user whom permissions and groups name is deactivated",
    act: async (server) => {
      await turn(server, "iago", "spared", { add: [server.idOf("othello")] })
      await changeGroup(server, "iago", "spared", { can_join_group: { new: held(server, ["othello"]) } })
      await change(server, "iago", "lobby", { can_send_message_group: { new: held(server, ["othello", "hamlet"]) } })
      await change(server, "shiva", "den", { can_subscribe_group: { new: held(server, ["othello", "hamlet"]) } })
      await server.as("desdemona").must.delete(`/users/${server.idOf("othello")}`)
    },
  },
  {
    what: "that user is reactivated",
    act: (server) => server.as("desdemona").must.post(`/users/${server.idOf("othello")}/reactivate`),
  },
  {
    what: "a member of many groups is deactivated and reactivated",
    act: async (server) => {
      await server.as("desdemona").must.delete(`/users/${server.idOf("cordelia")}`)
      await change(server, "iago", "lobby", { can_send_message_group: { new: 2 } })
      await turn(server, "iago", "all hands", { delete_subgroups: [groupId(server, "actors")] })
      await server.as("desdemona").must.post(`/users/${server.idOf("cordelia")}/reactivate`)
    },
  },
]
