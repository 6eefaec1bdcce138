/** What is open in the page, beside what the server knows. */
import type { Conversation, PagePost } from "../state/model.ts"
import type { PagePlace } from "../state/narrow.ts"
import type { ScrollAnchor } from "./scroll-anchors.ts"

export type DialogState =
  | { readonly kind: "keys" }
  | { readonly kind: "profile"; readonly user: number }
  | { readonly kind: "settings" }
  | { readonly kind: "organization" }
  | { readonly kind: "channels" }
  | { readonly kind: "new-channel" }
  | { readonly kind: "add-people"; readonly channel: number }
  | { readonly kind: "channel-settings"; readonly channel: number }
  | { readonly kind: "groups" }
  | { readonly kind: "group"; readonly group: number }
  | { readonly kind: "new-group" }
  | { readonly kind: "drafts" }
  | { readonly kind: "readers"; readonly message: number }
  | { readonly kind: "server" }
  | { readonly kind: "new-direct" }
  | { readonly kind: "scheduled" }
  | { readonly kind: "history"; readonly message: number }
  | { readonly kind: "move"; readonly post: PagePost }
  | { readonly kind: "delete"; readonly post: PagePost }
  | { readonly kind: "picture"; readonly url: string }

export interface UiState {
  readonly place: PagePlace
  /** Counts places that one went to: each has a list and a box of its own. */
  readonly visit: number
  /** Counts how often the list has begun anew in the same place; the box, where one may be writing, goes on. */
  readonly turn: number
  /** The visit of which the messages are there. */
  readonly readVisit: number
  /** Where in the list one begins; null: at what is unread, or at the newest. */
  readonly at: ScrollAnchor | null
  readonly dialog: DialogState | null
  /** The channels and conversations, where there is no room for them beside the messages. */
  readonly isMenuOpen: boolean
  readonly reactingTo: number | null
  /** The message that the keyboard is at. */
  readonly selected: number | null
  /** Whom one writes to, where the place does not say: it was chosen. */
  readonly replyTo: Conversation | null
  /** One has chosen to write something new, and has not said to whom. */
  readonly isComposing: boolean
  /** One goes from place to place by keys, which would go on in a box that takes the focus. */
  readonly isByKeys: boolean
  /** Said once, by a live region and a line that goes away. */
  readonly notice: string | null
  readonly noticeLink: string | null
  /** The newest message of another, for who hears the page. */
  readonly heard: string
  /** Why messages could not be read. */
  readonly fault: string | null
}

export const firstUi = (place: PagePlace): UiState => ({
  place,
  visit: 0,
  turn: 0,
  readVisit: -1,
  at: null,
  dialog: null,
  isMenuOpen: false,
  reactingTo: null,
  selected: null,
  replyTo: null,
  isComposing: false,
  isByKeys: false,
  notice: null,
  noticeLink: null,
  heard: "",
  fault: null,
})
