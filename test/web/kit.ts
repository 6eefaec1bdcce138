/** A state of the page and messages in it, made by hand. */
import type { Api } from "../../src/client/index.ts"
import { startState } from "../../src/web/state/initial-state.ts"
import type { PagePost, PageState } from "../../src/web/state/model.ts"

export const selfId = 10

/** What a register would give; the further sections count as empty. */
export const madeState = (change: Partial<PageState> = {}): PageState => ({
  ...startState({
    zulip_version: "",
    zulip_merge_base: "",
    zulip_feature_level: 417,
    queue_id: "q",
    last_event_id: -1,
    idle_queue_timeout_secs: 600,
    user_id: selfId,
  }),
  ...change,
})

export const post = (id: number, change: Partial<PagePost> = {}): PagePost => ({
  id,
  conversation: { kind: "topic", channel: 1, topic: "castle" },
  senderId: 11,
  senderName: "Iago",
  avatarUrl: null,
  time: 1_700_000_000 + id,
  html: `<p>${id}</p>`,
  isMe: false,
  flags: new Set(["read"]),
  reactions: [],
  acts: [],
  isEdited: false,
  isMoved: false,
  ...change,
})

export const messageEvent = (id: number, topic: string, flags: Api.MessageEvent["flags"] = []): Api.MessageEvent => ({
  id,
  type: "message",
  flags,
  message: {
    id,
    content: `<p>${id}</p>`,
    content_type: "text/html",
    timestamp: 1_700_000_000 + id,
    client: "website",
    sender_id: 11,
    sender_email: "iago@example.com",
    sender_full_name: "Iago",
    sender_realm_str: "",
    avatar_url: null,
    is_me_message: false,
    recipient_id: 1,
    topic_links: [],
    submessages: [],
    type: "stream",
    stream_id: 1,
    display_recipient: "general",
    subject: topic,
    reactions: [],
  },
})
