/**
 * Capabilities of clients: what they can read, as they say in `client_capabilities` when they register. Each is one
 * line here: register reads it, the description of the queue keeps it, and an event's wire form asks for it by its key in
 * its Rendering, a section of register in its SectionView. It is false for clients that do not name it, and for queues
 * stored before it had its line.
 */
import * as Record from "effect/Record"

/** Their names in the API, by their keys in the program and in the descriptions of stored queues: a key never changes. */
const clientCapabilities = {
  /** Reads the empty topic as it is; else it is shown by a name. */
  emptyTopicName: "empty_topic_name",
  /** Reads one event about all messages that were deleted at once; else one event for each. */
  bulkDeletion: "bulk_message_deletion",
  /** Reads that a channel is archived; else it is gone. */
  archivedChannels: "archived_channels",
  /** Reads that a group is deactivated; else it is gone. */
  deactivatedGroups: "include_deactivated_groups",
  /** Reads null where a subscription follows the user's own settings; else what these say. */
  notificationNull: "notification_settings_null",
  /** Reads who is typing in channels. */
  channelTyping: "stream_typing_notifications",
  /** Reads linkifiers, which are templates of URLs. */
  linkifierTemplates: "linkifier_url_template",
  /** Reads `user_settings` instead of the older copies at the top level, and of their events. */
  userSettingsObject: "user_settings_object",
  /** Reads events about presence in the form of its newer lists. */
  simplifiedPresence: "simplified_presence_events",
  /** Reads a list of people without those of whom its user does not know; else these have records without names. */
  incompleteUsers: "user_list_incomplete",
} as const

/** Names that the API has and nothing depends on: as all names that are unknown, they are accepted and not kept. */
const unusedCapabilities = ["user_avatar_url_field_optional", "individual_emoji_changes"] as const

/** Every name that the API has. */
export const capabilityNames = [...Object.values(clientCapabilities), ...unusedCapabilities] as const

/** A record with a value for each capability on which something depends, made from its name. */
export const forEachCapability = <A>(make: (name: string) => A) => Record.map(clientCapabilities, make)

/** The capabilities of one client: whether it can read each thing. */
export type Capabilities = { readonly [Key in keyof typeof clientCapabilities]: boolean }

/** The capabilities of a client that names these. */
export const capabilitiesOf = (names: ReadonlySet<string>): Capabilities => forEachCapability((name) => names.has(name))

export const noCapabilities = capabilitiesOf(new Set())
