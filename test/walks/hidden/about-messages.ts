/** Questions to the routes of messages and events; the others are in questions.ts. */
import {
  at,
  type Beside,
  flags,
  get,
  join,
  namesNothing,
  narrowed,
  ofOneself,
  page,
  patch,
  post,
  type Questions,
  remove,
  speaking,
  text,
} from "./parts.ts"

export const aboutMessages = ({ lobby, own, vault }: Beside): Readonly<Record<string, Questions | string>> => ({
  "GET /server_settings": namesNothing,
  "POST /fetch_api_key": {
    address: [(username) => post("/fetch_api_key", { username, password: "a wrong password" })],
  },
  "POST /dev_fetch_api_key": "is for development, where everybody may be anybody",
  "POST /register": join(narrowed(own)((narrow) => post("/register", { narrow, event_types: ["reaction"] }))),
  "GET /events": {
    queue: [
      (queue_id) => get("/events", { queue_id, last_event_id: -1, dont_block: true }),
      (queue_id) => get("/events", { queue_id, last_event_id: 1_000_000, dont_block: true }),
      (queue_id) => get("/events", { queue_id, dont_block: true }),
    ],
  },
  "DELETE /events": { queue: [(queue_id) => remove("/events", { queue_id })] },
  "POST /messages": join({
    channel: [
      (to) => post("/messages", { type: "channel", to, ...text }),
      (to) => post("/messages", { type: "stream", to: `[${to}]`, ...text }),
      (to) => post("/messages", { type: "channel", to: [Number(to)], content: "@**all** @**topic**", topic: "t" }),
    ],
    channelName: [
      (to) => post("/messages", { type: "channel", to, ...text }),
      (to) => post("/messages", { type: "stream", to: [to], ...text, unheard_of: 1 }),
      (to) => post("/messages", { type: "channel", to: to.toUpperCase(), ...text }),
    ],
    address: [
      (to) => post("/messages", { type: "direct", to: [to], ...text }),
      (to) => post("/messages", { type: "private", to, ...text }),
      (to) => post("/messages", { type: "direct", to: `iago@test.example, ${to}`, ...text }),
    ],
  }),
  "POST /messages/render": speaking((content) => post("/messages/render", { content })),
  "GET /messages/matches_narrow": join(
    {
      message: [
        (id) => get("/messages/matches_narrow", { msg_ids: [own, Number(id)], narrow: [["channels", "public"]] }),
      ],
    },
    narrowed(own)((narrow, id) => get("/messages/matches_narrow", { msg_ids: [id], narrow })),
  ),
  "GET /messages": join(
    {
      message: [
        (id) => get("/messages", { message_ids: [Number(id)] }),
        (id) => get("/messages", { message_ids: [own, Number(id)], apply_markdown: false }),
        (id) => get("/messages", { message_ids: [Number(id)], narrow: [["channels", "web-public"]] }),
      ],
      near: [
        (anchor) => get("/messages", { ...page, anchor }),
        (anchor) => get("/messages", { anchor, num_before: 0, num_after: 0 }),
        (anchor) => get("/messages", { anchor, num_before: 0, num_after: 3, include_anchor: false }),
        (anchor) => get("/messages", { ...page, anchor, narrow: [["channels", "web-public"]] }),
      ],
    },
    narrowed(own)((narrow) => get("/messages", { ...page, narrow })),
    narrowed(own)((narrow) => get("/messages", { ...page, anchor: "first_unread", narrow })),
    narrowed(own)((narrow) => get("/messages", { ...page, anchor: "date", anchor_date: "2026-01-01", narrow })),
    narrowed(own)((narrow) => get("/messages", { message_ids: [own], narrow })),
  ),
  "GET /messages/{message_id:int}": {
    message: [(id) => get(`/messages/${id}`), (id) => at("HEAD", `/messages/${id}`)],
  },
  "POST /messages/flags": {
    message: [
      (id) => post("/messages/flags", { messages: [Number(id)], op: "add", flag: "starred" }),
      (id) => post("/messages/flags", { messages: [own, Number(id)], op: "add", flag: "collapsed" }),
      (id) => post("/messages/flags", { messages: [Number(id)], op: "remove", flag: "read" }),
      (id) => post("/messages/flags", { messages: [Number(id)], op: "add", flag: "read" }),
    ],
  },
  "POST /messages/flags/narrow": join(
    {
      near: [
        (anchor) => post("/messages/flags/narrow", { ...flags, anchor }),
        (anchor) => post("/messages/flags/narrow", { ...flags, anchor, num_before: 0, num_after: 0 }),
        (anchor) => post("/messages/flags/narrow", { ...flags, anchor, op: "remove", flag: "read" }),
      ],
    },
    narrowed(own)((narrow) => post("/messages/flags/narrow", { ...flags, narrow })),
  ),
  "POST /mark_all_as_read": ofOneself,
  "POST /mark_stream_as_read": { channel: [(stream_id) => post("/mark_stream_as_read", { stream_id })] },
  "POST /mark_topic_as_read": {
    channel: [(stream_id) => post("/mark_topic_as_read", { stream_id, topic_name: "t" })],
    topic: [(topic_name) => post("/mark_topic_as_read", { stream_id: vault, topic_name })],
  },
  "PATCH /messages/{message_id:int}": join({
    message: [
      (id) => patch(`/messages/${id}`, { content: "new" }),
      (id) => patch(`/messages/${id}`, { topic: "new", propagate_mode: "change_all" }),
      (id) => patch(`/messages/${id}`, { stream_id: lobby }),
      (id) => patch(`/messages/${id}`, { topic: "new", content: "new", prev_content_sha256: "0" }),
      (id) => patch(`/messages/${id}`),
    ],
    channel: [
      (stream_id) => patch(`/messages/${own}`, { stream_id }),
      (stream_id) => patch(`/messages/${own}`, { stream_id, topic: "t", propagate_mode: "change_all" }),
      (stream_id) => patch(`/messages/${own}`, { stream_id, topic: "t", content: "new" }),
    ],
  }),
  "GET /messages/{message_id:int}/history": { message: [(id) => get(`/messages/${id}/history`)] },
  "GET /messages/{message_id:int}/read_receipts": { message: [(id) => get(`/messages/${id}/read_receipts`)] },
  "DELETE /messages/{message_id:int}": { message: [(id) => remove(`/messages/${id}`)] },
  "POST /streams/{stream_id:int}/delete_topic": {
    channel: [(id) => post(`/streams/${id}/delete_topic`, { topic_name: "t" })],
    topic: [(topic_name) => post(`/streams/${vault}/delete_topic`, { topic_name })],
  },
  "POST /messages/{message_id:int}/report": {
    message: [
      (id) => post(`/messages/${id}/report`, { report_type: "spam" }),
      (id) => post(`/messages/${id}/report`, { report_type: "other" }),
    ],
  },
  "POST /messages/{message_id:int}/reactions": {
    message: [
      (id) => post(`/messages/${id}/reactions`, { emoji_name: "octopus" }),
      (id) => post(`/messages/${id}/reactions`, { emoji_name: "no_such_emoji" }),
      (id) =>
        post(`/messages/${id}/reactions`, { emoji_name: "odd", emoji_code: "1f419", reaction_type: "unicode_emoji" }),
    ],
  },
  "DELETE /messages/{message_id:int}/reactions": {
    message: [
      (id) => remove(`/messages/${id}/reactions`, { emoji_name: "octopus" }),
      (id) => remove(`/messages/${id}/reactions`, { emoji_code: "1f419", reaction_type: "unicode_emoji" }),
      (id) => remove(`/messages/${id}/reactions`, { emoji_name: "eyes" }),
    ],
  },
  "POST /submessage": {
    message: [
      (message_id) => post("/submessage", { message_id, msg_type: "widget", content: "{}" }),
      (message_id) =>
        post("/submessage", { message_id, msg_type: "widget", content: '{"type":"vote","key":"1,1","vote":1}' }),
    ],
  },
  "POST /typing": {
    channel: [
      (stream_id) => post("/typing", { type: "channel", op: "start", stream_id, topic: "t" }),
      (stream_id) => post("/typing", { type: "stream", op: "stop", stream_id, topic: "t" }),
    ],
  },
  "POST /messages/{message_id:int}/typing": {
    message: [
      (id) => post(`/messages/${id}/typing`, { op: "start" }),
      (id) => post(`/messages/${id}/typing`, { op: "stop" }),
    ],
  },
  "POST /message_edit_typing": {
    message: [
      (message_id) => post("/message_edit_typing", { message_id, op: "start" }),
      (message_id) => post("/message_edit_typing", { message_id, op: "stop" }),
    ],
  },
})
