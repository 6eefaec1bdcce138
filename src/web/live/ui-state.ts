/** What is open in the page, beside what the server knows. */
import type { Conversation, Post } from "../state/model.ts"
import type { Place } from "../state/narrow.ts"

export type Dialog =
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
  | { readonly kind: "move"; readonly post: Post }
  | { readonly kind: "delete"; readonly post: Post }
  | { readonly kind: "picture"; readonly url: string }

export interface Ui {
  readonly place: Place
  readonly dialog: Dialog | null
  /** The channels and conversations, where there is no room for them beside the messages. */
  readonly isMenuOpen: boolean
  readonly editing: number | null
  readonly reactingTo: number | null
  /** The message that the keyboard is at. */
  readonly selected: number | null
  /** Where one writes to, in a feed of many conversations. */
  readonly replyTo: Conversation | null
  /** Said once, by a live region and a line that goes away. */
  readonly notice: string | null
  /** The newest message of another, for who hears the page. */
  readonly heard: string
  /** Why messages could not be read. */
  readonly fault: string | null
}

export const firstUi = (place: Place): Ui => ({
  place,
  dialog: null,
  isMenuOpen: false,
  editing: null,
  reactingTo: null,
  selected: null,
  replyTo: null,
  notice: null,
  heard: "",
  fault: null,
})
