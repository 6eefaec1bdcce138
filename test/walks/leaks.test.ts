/**
 * Each route refuses users without the right to it with the code and text of the API. What is hidden from them is asked
 * for in hidden.test.ts.
 */
import t from "tap"
import { endpoints as routes } from "../../src/chat/features.ts"
import { asking, plainFields, refusal } from "../kit/rows.ts"
import type { Right } from "../kit/walk-rows.ts"
import { joined, rowsOfRooms } from "../kit/walk-rows-of-features.ts"
import { type Name, withServer } from "../kit/with-server.ts"

const channels = [
  { name: "lobby", users: ["hamlet", "cordelia", "polonius"] },
  { name: "court", users: ["hamlet", "cordelia"] },
  { name: "crypt", users: ["cordelia", "othello"], isPrivate: true },
] as const

const admins = refusal("Must be an organization administrator", "UNAUTHORIZED_PRINCIPAL")
const owners = refusal("Must be an organization owner", "UNAUTHORIZED_PRINCIPAL")
const guests = refusal("Not allowed for guest users")
const belowAdmins: ReadonlyArray<Name> = ["polonius", "hamlet", "shiva"]

/** By route: the users who are refused, and the refusal. A missing or empty list: everybody with an account may. */
const invitation = { invitee_emails: "new@far.example", stream_ids: [] }
const linkifier = { pattern: "#(?P<id>[0-9]+)", url_template: "https://issues.example/{id}" }

const rights: Readonly<Record<string, ReadonlyArray<Right>>> = {
  ...joined(rowsOfRooms.map(({ leaks }) => leaks)),
  "GET /server_settings": [],
  "POST /fetch_api_key": [],
  "POST /dev_fetch_api_key": [],
  "GET /dev_list_users": [],
  "POST /register": [
    {
      who: ["polonius"],
      fields: { all_public_streams: true },
      want: refusal("User not authorized for this query"),
    },
  ],
  "GET /events": [],
  "DELETE /events": [],
  "POST /messages": [],
  "POST /messages/render": [],
  "GET /messages": [],
  "GET /messages/{message_id:int}": [],
  "POST /typing": [],
  "POST /messages/{message_id:int}/report": [
    {
      who: ["desdemona", ...belowAdmins],
      fields: { report_type: "spam" },
      want: refusal(/^This organization has no channel for moderation requests/),
    },
  ],
  "POST /messages/{message_id:int}/typing": [],
  "POST /message_edit_typing": [],
  "GET /users": [],
  "GET /users/me": [],
  "GET /users/{user_id:int}": [],
  "GET /users/{email}": [],
  "GET /invites": [],
  "POST /invites": [
    { who: ["polonius"], fields: invitation, want: refusal("Insufficient permission") },
    { who: ["hamlet"], fields: { ...invitation, invite_as: 300 }, want: refusal("Must be an organization moderator") },
    { who: ["shiva"], fields: { ...invitation, invite_as: 200 }, want: admins },
    { who: ["iago"], fields: { ...invitation, invite_as: 100 }, want: owners },
    { who: ["hamlet", "shiva"], fields: { ...invitation, welcome_message_custom_text: "" }, want: admins },
  ],
  "POST /invites/multiuse": [
    { who: belowAdmins, want: refusal("Insufficient permission") },
    { who: ["iago"], fields: { invite_as: 100 }, want: owners },
  ],
  "POST /realm/test_welcome_bot_custom_message": [
    { who: belowAdmins, fields: { welcome_message_custom_text: "Hello" }, want: admins },
  ],
  "POST /users": [
    {
      who: belowAdmins,
      fields: { email: "n@test.example", password: "a long password", full_name: "N" },
      want: refusal("User not authorized to create users"),
    },
  ],
  "PATCH /users/{user_id:int}": [
    { who: belowAdmins, fields: { role: 400 }, want: admins },
    { who: ["iago"], fields: { role: 100 }, want: owners },
  ],
  "DELETE /users/{user_id:int}": [
    { who: belowAdmins, want: admins },
    { who: ["iago"], fields: { user_id: "owner" }, want: owners },
  ],
  "POST /users/{user_id:int}/reactivate": [
    { who: belowAdmins, want: admins },
    { who: ["iago"], fields: { user_id: "owner" }, want: owners },
  ],
  "POST /users/me/status": [],
  "GET /users/{user_id:int}/status": [],
  "POST /users/{user_id:int}/status": [
    { who: belowAdmins, fields: { status_text: "away" }, want: admins },
    { who: belowAdmins, want: admins },
  ],
  "POST /users/me/api_key/regenerate": [],
  "PATCH /realm": [
    { who: belowAdmins, fields: { name: "N" }, want: admins },
    { who: belowAdmins, want: admins },
    { who: ["iago"], fields: { message_retention_days: 3 }, want: owners },
  ],
  "GET /users/me/subscriptions": [],
  "POST /users/me/subscriptions": [
    { who: ["polonius"], fields: { subscriptions: [{ name: "lobby" }] }, want: guests },
    {
      who: ["hamlet"],
      fields: { subscriptions: [{ name: "crypt" }] },
      want: refusal(/Unable to access channel/),
    },
    {
      who: ["hamlet"],
      fields: { subscriptions: [{ name: "new" }], message_retention_days: 3 },
      want: owners,
    },
  ],
  "DELETE /users/me/subscriptions": [
    {
      who: ["polonius", "hamlet"],
      fields: { subscriptions: ["lobby"], principals: ["cordelia@test.example"] },
      want: refusal("Insufficient permission"),
    },
  ],
  "PATCH /users/me/subscriptions": [
    { who: ["polonius"], fields: { add: [{ name: "lobby" }] }, want: guests },
    { who: ["hamlet"], fields: { add: [{ name: "crypt" }] }, want: refusal(/Unable to access channel/) },
  ],
  "POST /users/me/subscriptions/properties": [],
  "PATCH /users/me/subscriptions/{stream_id:int}": [],
  "GET /streams": [],
  "POST /channels/create": [
    { who: ["polonius"], fields: { name: "new", subscribers: [] }, want: guests },
    {
      who: ["hamlet"],
      fields: { name: "new", subscribers: [], is_default_stream: true },
      want: refusal("You do not have permission to change default channels."),
    },
    { who: ["hamlet"], fields: { name: "new", subscribers: [], message_retention_days: 3 }, want: owners },
  ],
  "PATCH /streams/{stream_id:int}": [
    {
      who: belowAdmins,
      fields: { description: "new" },
      want: refusal(/^(Invalid channel ID|You do not have permission to administer this channel\.)$/),
    },
    { who: ["iago"], fields: { message_retention_days: 3 }, want: owners },
  ],
  "DELETE /streams/{stream_id:int}": [
    {
      who: belowAdmins,
      want: refusal(/^(Invalid channel ID|You do not have permission to administer this channel\.)$/),
    },
  ],
  "GET /streams/{stream_id:int}": [],
  "GET /streams/{stream_id:int}/members": [],
  "GET /users/{user_id:int}/subscriptions/{stream_id:int}": [],
  "GET /users/me/{stream_id:int}/topics": [],
  "GET /get_stream_id": [],
  "GET /user_groups": [],
  "POST /user_groups/create": [
    {
      who: ["polonius"],
      fields: { name: "g", description: "", members: [] },
      want: refusal("Must be an organization member", "UNAUTHORIZED_PRINCIPAL"),
    },
  ],
  // Group 1 is a system group, which nobody may manage.
  "PATCH /user_groups/{user_group_id:int}": [
    { who: ["desdemona", ...belowAdmins], fields: { description: "x" }, want: refusal("Insufficient permission") },
  ],
  "POST /user_groups/{user_group_id:int}/deactivate": [
    { who: ["desdemona", ...belowAdmins], want: refusal("Insufficient permission") },
  ],
  "GET /user_groups/{user_group_id:int}/members": [],
  "POST /user_groups/{user_group_id:int}/members": [
    { who: ["desdemona", ...belowAdmins], fields: { add: [1] }, want: refusal("Insufficient permission") },
  ],
  "GET /user_groups/{user_group_id:int}/members/{user_id:int}": [],
  "GET /user_groups/{user_group_id:int}/subgroups": [],
  "POST /user_groups/{user_group_id:int}/subgroups": [
    { who: ["desdemona", ...belowAdmins], fields: { add: [1] }, want: refusal("Insufficient permission") },
  ],
  "GET /streams/{stream_id:int}/email_address": [],
  "POST /streams/{stream_id:int}/delete_topic": [
    {
      who: belowAdmins,
      fields: { topic_name: "a topic" },
      want: refusal("You don't have permission to delete this message"),
    },
  ],
  "POST /realm/emoji/{emoji_name}": [{ who: ["polonius"], want: refusal("Insufficient permission") }],
  "POST /realm/deactivate": [
    { who: belowAdmins, want: admins },
    { who: ["iago"], want: owners },
  ],
  "PATCH /realm/linkifiers": [{ who: belowAdmins, fields: { ordered_linkifier_ids: [] }, want: admins }],
  "POST /realm/filters": [{ who: belowAdmins, fields: linkifier, want: admins }],
  "PATCH /realm/filters/{filter_id:int}": [{ who: belowAdmins, fields: linkifier, want: admins }],
  "DELETE /realm/filters/{filter_id:int}": [{ who: belowAdmins, want: admins }],
  "GET /channel_folders": [],
  "POST /channel_folders/create": [{ who: belowAdmins, fields: { name: "new" }, want: admins }],
  "PATCH /channel_folders": [{ who: belowAdmins, fields: { order: [] }, want: admins }],
  "PATCH /channel_folders/{channel_folder_id:int}": [{ who: belowAdmins, want: admins }],
  "POST /default_streams": [{ who: belowAdmins, fields: { stream_id: 1 }, want: admins }],
  "DELETE /default_streams": [{ who: belowAdmins, fields: { stream_id: 1 }, want: admins }],
  "POST /default_stream_groups/create": [
    { who: belowAdmins, fields: { group_name: "new", description: "" }, want: admins },
  ],
  "PATCH /default_stream_groups/{group_id:int}": [{ who: belowAdmins, fields: { new_description: "" }, want: admins }],
  "DELETE /default_stream_groups/{group_id:int}": [{ who: belowAdmins, want: admins }],
  "PATCH /default_stream_groups/{group_id:int}/streams": [{ who: belowAdmins, fields: { op: "add" }, want: admins }],
}

t.test("users without the right to a route are refused with its code and text", (t) =>
  withServer(t, { channels }, async (server) => {
    const ask = asking(server)
    for (const route of routes) {
      if (rights[`${route.method} ${route.path}`] !== undefined) continue
      // Of this one the guest would be gone.
      if (route.method === "DELETE" && route.path === "/users/me") continue
      // Routes that are not listed are open to everybody with an account, so a guest must not be refused.
      const path = route.path.replace(/\{[^}]*\}/g, "1")
      const { body } = await ask({ method: route.method, path, as: "polonius", form: plainFields(route) })
      const refusals = /permission|authoriz|not allowed|must be (?!in the future)/i
      t.notMatch(String(body["msg"]), refusals, `${route.method} ${route.path} refuses no guest`)
    }
    for (const [route, lines] of Object.entries(rights)) {
      const [method = "", pattern = ""] = route.split(" ")
      for (const { who, fields = {}, want } of lines) {
        const { user_id, ...form } = fields
        const target = server.idOf(user_id === "owner" ? "desdemona" : "othello")
        const path = pattern.replace("{user_id:int}", String(target)).replace(/\{[a-z_]+(:int)?\}/g, "1")
        for (const as of who) t.match(await ask({ method, path, as, form }), want, `${as}: ${route}`)
      }
    }
    t.match(await server.as("iago").must.get(`/users/${server.idOf("othello")}`), {
      user: { role: 400, is_active: true },
    })
  }),
)
