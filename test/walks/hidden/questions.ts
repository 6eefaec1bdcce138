/**
 * For each route the questions that name something that may be hidden from whoever asks, by the kind of thing. A route
 * with a text instead names nothing of the kind, and the text says why.
 */
import { aboutMessages } from "./about-messages.ts"
import type { Asked, Question } from "./asking.ts"
import {
  at,
  type Beside,
  everybodySees,
  get,
  namesNothing,
  ofOneself,
  patch,
  post,
  type Questions,
  remove,
} from "./parts.ts"

/** The year 2100. */
const later = { scheduled_delivery_timestamp: 4102444800 }

const settingsOf = (id: string) => ({ stream_id: Number(id), property: "color", value: "#aaaaaa" })

const draftFor = (type: string, ...to: ReadonlyArray<number>) => ({ type, to, topic: "t", content: "c" })

export const questionsOf = (beside: Beside): Readonly<Record<string, Questions | string>> => ({
  ...aboutMessages(beside),
  ...aboutTheRest(beside),
})

const aboutTheRest = ({ lobby, vault, user }: Beside): Readonly<Record<string, Questions | string>> => ({
  "GET /users": everybodySees,
  "POST /users": "makes an account: an address that is taken can only be refused",
  "GET /users/me": ofOneself,
  "DELETE /users/{user_id:int}": everybodySees,
  // The day's limit of mails would fall between the two that are compared.
  "PATCH /settings": "a hidden address that is taken is asked for in address-page.test.ts",
  "GET /users/me/subscriptions": ofOneself,
  "POST /users/me/subscriptions": {
    // A name that nobody has is made a channel; one that is hidden is refused.
    address: [(email) => post("/users/me/subscriptions", { subscriptions: [{ name: "lobby" }], principals: [email] })],
  },
  "DELETE /users/me/subscriptions": {
    channelName: [
      (name) => remove("/users/me/subscriptions", { subscriptions: [name] }),
      (name) => remove("/users/me/subscriptions", { subscriptions: ["lobby", name], principals: [user] }),
    ],
    address: [(email) => remove("/users/me/subscriptions", { subscriptions: ["lobby"], principals: [email] })],
  },
  "GET /streams": namesNothing,
  "GET /get_stream_id": {
    channelName: [
      (stream) => get("/get_stream_id", { stream }),
      (name) => get("/get_stream_id", { stream: name.toUpperCase() }),
    ],
  },
  "GET /streams/{stream_id:int}": { channel: [(id) => get(`/streams/${id}`), (id) => at("HEAD", `/streams/${id}`)] },
  "GET /streams/{stream_id:int}/members": { channel: [(id) => get(`/streams/${id}/members`)] },
  "GET /users/{user_id:int}/subscriptions/{stream_id:int}": {
    channel: [(id) => get(`/users/${user}/subscriptions/${id}`), (id) => get(`/users/4444/subscriptions/${id}`)],
  },
  "GET /users/{user_id:int}/channels": everybodySees,
  "GET /users/me/{stream_id:int}/topics": {
    channel: [
      (id) => get(`/users/me/${id}/topics`),
      (id) => get(`/users/me/${id}/topics`, { allow_empty_topic_name: true }),
    ],
  },
  "GET /users/{user_id:int}": everybodySees,
  "GET /users/{email}": {
    address: [
      (email) => get(`/users/${encodeURIComponent(email)}`),
      (email) => get(`/users/${encodeURIComponent(email.toUpperCase())}`),
    ],
  },
  "PATCH /users/{user_id:int}": "names only what everybody sees; an address that is taken can only be refused",
  "POST /users/{user_id:int}/reactivate": everybodySees,
  "POST /users/me/status": ofOneself,
  "GET /users/{user_id:int}/status": everybodySees,
  "POST /users/{user_id:int}/status": everybodySees,
  "GET /dev_list_users": namesNothing,
  "POST /users/me/api_key/regenerate": ofOneself,
  "PATCH /users/me/subscriptions": {
    // `add` is answered as POST is.
    channelName: [(name) => patch("/users/me/subscriptions", { delete: [name] })],
  },
  "POST /users/me/subscriptions/properties": {
    channel: [
      (id) => post("/users/me/subscriptions/properties", { subscription_data: [settingsOf(id)] }),
      (id) =>
        post("/users/me/subscriptions/properties", { subscription_data: [settingsOf(`${lobby}`), settingsOf(id)] }),
    ],
  },
  "POST /user_topics": {
    channel: [0, 1, 3].map(
      (visibility_policy): Question =>
        (stream_id) =>
          post("/user_topics", { stream_id, topic: "t", visibility_policy }),
    ),
    topic: [(topic) => post("/user_topics", { stream_id: vault, topic, visibility_policy: 0 })],
  },
  "PATCH /users/me/subscriptions/muted_topics": {
    channel: ["add", "remove"].map(
      (op): Question =>
        (stream_id) =>
          patch("/users/me/subscriptions/muted_topics", { stream_id, topic: "t", op }),
    ),
    channelName: ["add", "remove"].map(
      (op): Question =>
        (stream) =>
          patch("/users/me/subscriptions/muted_topics", { stream, topic: "t", op }),
    ),
    topic: [(topic) => patch("/users/me/subscriptions/muted_topics", { stream_id: vault, topic, op: "remove" })],
  },
  "POST /users/me/muted_users/{muted_user_id:int}": everybodySees,
  "DELETE /users/me/muted_users/{muted_user_id:int}": everybodySees,
  "PATCH /users/me/subscriptions/{stream_id:int}": {
    channel: [
      (id) => patch(`/users/me/subscriptions/${id}`, { property: "pin_to_top", value: "true" }),
      (id) => patch(`/users/me/subscriptions/${id}`, { property: "no_such_property", value: "true" }),
    ],
  },
  "PATCH /realm": {
    channel: [
      (id) => patch("/realm", { new_stream_announcements_stream_id: id }),
      (id) => patch("/realm", { signup_announcements_stream_id: id }),
      (id) => patch("/realm", { zulip_update_announcements_stream_id: id }),
      (id) => patch("/realm", { moderation_request_channel_id: id }),
    ],
  },
  "GET /streams/{stream_id:int}/email_address": {
    channel: [
      (id) => get(`/streams/${id}/email_address`),
      (id) => get(`/streams/${id}/email_address`, { sender_id: user }),
    ],
  },
  "GET /channel_folders": everybodySees,
  "POST /channel_folders/create": everybodySees,
  "PATCH /channel_folders": everybodySees,
  "PATCH /channel_folders/{channel_folder_id:int}": everybodySees,
  "POST /default_streams": { channel: [(stream_id) => post("/default_streams", { stream_id })] },
  "DELETE /default_streams": { channel: [(stream_id) => remove("/default_streams", { stream_id })] },
  "POST /default_stream_groups/create": {
    channel: [
      (id) => post("/default_stream_groups/create", { group_name: "g", description: "", stream_ids: [Number(id)] }),
    ],
    channelName: [
      (name) => post("/default_stream_groups/create", { group_name: "g", description: "", stream_names: [name] }),
    ],
  },
  "PATCH /default_stream_groups/{group_id:int}": everybodySees,
  "DELETE /default_stream_groups/{group_id:int}": everybodySees,
  "PATCH /default_stream_groups/{group_id:int}/streams": {
    channel: [(id) => patch("/default_stream_groups/1/streams", { op: "add", stream_ids: [Number(id)] })],
    channelName: [(name) => patch("/default_stream_groups/1/streams", { op: "add", stream_names: [name] })],
  },
  "POST /channels/create": "a name that a hidden channel has can only be refused; else names what everybody sees",
  "PATCH /streams/{stream_id:int}": {
    channel: [
      (id) => patch(`/streams/${id}`, { description: "x" }),
      (id) => patch(`/streams/${id}`, { new_name: "x", is_private: false }),
      (id) => patch(`/streams/${id}`, { can_send_message_group: { new: 2, old: 2 } }),
      (id) => patch(`/streams/${id}`, { is_archived: false }),
      (id) => patch(`/streams/${id}`, { message_retention_days: 3 }),
      (id) => patch(`/streams/${id}`, { folder_id: 99 }),
      (id) => patch(`/streams/${id}`),
    ],
  },
  "DELETE /streams/{stream_id:int}": { channel: [(id) => remove(`/streams/${id}`)] },
  "GET /user_groups": everybodySees,
  "POST /user_groups/create": everybodySees,
  "PATCH /user_groups/{user_group_id:int}": everybodySees,
  "POST /user_groups/{user_group_id:int}/deactivate": everybodySees,
  "GET /user_groups/{user_group_id:int}/members": everybodySees,
  "POST /user_groups/{user_group_id:int}/members": everybodySees,
  "GET /user_groups/{user_group_id:int}/members/{user_id:int}": everybodySees,
  "GET /user_groups/{user_group_id:int}/subgroups": everybodySees,
  "POST /user_groups/{user_group_id:int}/subgroups": everybodySees,
  "GET /drafts": ofOneself,
  "POST /drafts": { channel: [(id) => post("/drafts", { drafts: [draftFor("stream", Number(id))] })] },
  "PATCH /drafts/{draft_id:int}": {
    draft: [
      (id) => patch(`/drafts/${id}`, { draft: draftFor("") }),
      (id) => patch(`/drafts/${id}`, { draft: draftFor("stream", 4444) }),
      (id) => patch(`/drafts/${id}`),
    ],
  },
  "DELETE /drafts/{draft_id:int}": { draft: [(id) => remove(`/drafts/${id}`)] },
  "GET /scheduled_messages": ofOneself,
  "POST /scheduled_messages": {
    channel: [
      (id) => post("/scheduled_messages", { ...later, type: "channel", to: Number(id), topic: "t", content: "c" }),
      (id) => post("/scheduled_messages", { ...later, type: "stream", to: [Number(id)], topic: "t", content: "c" }),
    ],
  },
  "PATCH /scheduled_messages/{scheduled_message_id:int}": {
    scheduled: [
      (id) => patch(`/scheduled_messages/${id}`, { content: "new" }),
      (id) => patch(`/scheduled_messages/${id}`, { type: "direct", to: [user] }),
      (id) => patch(`/scheduled_messages/${id}`, later),
      (id) => patch(`/scheduled_messages/${id}`),
    ],
  },
  "DELETE /scheduled_messages/{scheduled_message_id:int}": {
    scheduled: [(id) => remove(`/scheduled_messages/${id}`)],
  },
  "GET /reminders": ofOneself,
  "POST /reminders": {
    message: [(id) => post("/reminders", { ...later, message_id: Number(id), note: "n" })],
  },
  "DELETE /reminders/{reminder_id:int}": { reminder: [(id) => remove(`/reminders/${id}`)] },
  "GET /invites": ofOneself,
  "POST /invites": {
    channel: [
      (id) => post("/invites", { invitee_emails: "new@far.example", stream_ids: [Number(id)] }),
      (id) => post("/invites", { invitee_emails: "iago@test.example", stream_ids: [lobby, Number(id)] }),
    ],
  },
  "DELETE /invites/{invite_id:int}": { invitation: [(id) => remove(`/invites/${id}`)] },
  "POST /invites/{invite_id:int}/resend": { invitation: [(id) => post(`/invites/${id}/resend`)] },
  "POST /invites/multiuse": { channel: [(id) => post("/invites/multiuse", { stream_ids: [Number(id)] })] },
  "DELETE /invites/multiuse/{invite_id:int}": { invitation: [(id) => remove(`/invites/multiuse/${id}`)] },
  "POST /realm/test_welcome_bot_custom_message": namesNothing,
  "GET /users/me/alert_words": ofOneself,
  "POST /users/me/alert_words": ofOneself,
  "DELETE /users/me/alert_words": ofOneself,
  "GET /realm/emoji": namesNothing,
  "POST /realm/emoji/{emoji_name}": everybodySees,
  "DELETE /realm/emoji/{emoji_name}": everybodySees,
  "POST /user_uploads": namesNothing,
  "GET /attachments": ofOneself,
  "DELETE /attachments/{attachment_id:int}": { attachment: [(id) => remove(`/attachments/${id}`)] },
  "GET /user_uploads/{realm_id_str}/{shard}/{token}/{filename}": {
    file: [(path) => get(`/user_uploads/${path}`), (path) => at("HEAD", `/user_uploads/${path}`)],
  },
  "POST /realm/deactivate": namesNothing,
  "GET /realm/linkifiers": everybodySees,
  "PATCH /realm/linkifiers": everybodySees,
  "GET /realm/filters": everybodySees,
  "POST /realm/filters": everybodySees,
  "PATCH /realm/filters/{filter_id:int}": everybodySees,
  "DELETE /realm/filters/{filter_id:int}": everybodySees,
})

const bare = (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET"): Asked => ({
  method,
  path,
  isBare: true,
  headers,
})

const upgrade = {
  Connection: "Upgrade",
  Upgrade: "websocket",
  "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Version": "13",
  "Sec-WebSocket-Protocol": "parley.v1.json",
}

/** Questions to what is no endpoint. */
export const besideRoutes: Questions = {
  queue: [-1, 1_000_000].map(
    (last): Question =>
      (queue) =>
        bare(`/api/v1/events/ws?queue_id=${queue}&last_event_id=${last}`, upgrade),
  ),
  file: [
    (path) => bare(`/user_uploads/${path}`),
    (path) => bare(`/user_uploads/${path}`, {}, "HEAD"),
    (path) => bare(`/user_uploads/${path}`, { Range: "bytes=0-1" }),
    (path) => bare(`/user_uploads/${path}`, { Range: "bytes=9999999-" }),
    (path) => bare(`/user_uploads/${path}`, { "If-None-Match": "*" }),
    (path) => bare(`/user_uploads/${path}?download=1`),
    (path) => bare(`/user_uploads/${path}`, {}, "DELETE"),
    ...["840x560.webp", "840x560-anim.webp", "nonsense", ""].map(
      (format): Question =>
        (path) =>
          bare(`/user_uploads/thumbnail/${path}/${format}`),
    ),
    (path) => bare(`/user_uploads/thumbnail/${path}/840x560.webp`, { Range: "bytes=0-1" }, "HEAD"),
  ],
}
