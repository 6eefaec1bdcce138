/**
 * The numbers of places, by which read state and the index of words keep what they know of messages: in SQL place_v1 makes
 * them. They have nothing to do with the ids of recipients that clients see (messages/wire-message.ts).
 */

export const placeNumber = (kind: "channel" | "conversation", of: number): number =>
  kind === "conversation" ? 2 * of + 1 : 2 * of
