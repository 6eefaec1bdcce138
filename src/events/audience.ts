/**
 * Audiences of events: the one type of them, and the functions that make them. Who is in one is judged at the position
 * of its row (event.ts), so an audience names a group of people, not its members of the moment.
 */
import type { ChannelId, UserId } from "../ids.ts"

/** The privacy of a channel when a row about it was written: the audience of the row is found by it later. */
export interface PrivacyAtRow {
  readonly isPrivate: boolean
  readonly isWebPublic: boolean
  readonly historyShared: boolean
}

/**
 * A channel that messages have left, for one that people may read without being in it: those who held them there, or read
 * them as subscribers when they left, still hear of them. They came there at a position from `since` to `through`, and left
 * at one from `from` to `until`.
 */
export interface FormerChannel {
  readonly channel: ChannelId
  readonly since: number
  readonly through: number
  readonly from: number
  readonly until: number
  readonly isPrivate: boolean
  readonly historyShared: boolean
  /** Guests kept them, too. */
  readonly forGuests: boolean
}

/**
 * Holders of a message that came into a channel at the position `since`: its subscribers then, who was given it
 * with a new account, and, where its history is shared, its subscribers at the row; of a private channel only such as are
 * subscribed at the row; and those who held it where it was before (`kept`). Others who hold it, and may read it, are named in `also`. For a row about several messages, which came between `since` and
 * `through`: everybody who may hold one of them; each is told only of what they hold.
 */
export interface HolderAudience {
  readonly kind: "holders"
  readonly channel: ChannelId
  readonly since: number
  readonly through?: number
  readonly kept?: ReadonlyArray<FormerChannel>
  readonly was: PrivacyAtRow
}

/** People named one by one when the row was written. */
interface NamedUsers<Users> {
  /** In the audience, whatever its kind says. */
  readonly also?: Users
  /** Not in the audience, whatever its kind and `also` say. */
  readonly except?: Users
}

/** The audience of an event, with its lists of users as `Users`: a list where it is written, a set where it is read. */
export type AudienceOf<Users> = NamedUsers<Users> &
  (
    | { readonly kind: "users"; readonly users: Users }
    /** A channel's subscribers. */
    | { readonly kind: "subscribers"; readonly channel: ChannelId; readonly was: PrivacyAtRow }
    | HolderAudience
    /**
     * Of messages that went from one channel to another: those who held them and may still read them there, and the
     * subscribers of the other channel; or (`lost`) those who held them and may not read them any more.
     */
    | {
        readonly kind: "moved"
        readonly from: HolderAudience
        readonly to: { readonly channel: ChannelId; readonly was: PrivacyAtRow }
        readonly lost?: true
      }
    /**
     * Those who may know of a channel: private, its subscribers and administrators; public, all but guests, and its
     * guest subscribers; web-public, everybody.
     */
    | { readonly kind: "channel"; readonly channel: ChannelId; readonly was: PrivacyAtRow }
    | { readonly kind: "realm" }
    | { readonly kind: "members" }
    /** Nobody: only projections read such a row. */
    | { readonly kind: "servers" }
  )

/** An audience as rows are written with it. */
export type Audience = AudienceOf<ReadonlyArray<UserId>>

/** Everybody in the organization. */
export const toRealm: Audience = { kind: "realm" }
/** Everybody but guests. */
export const toMembers: Audience = { kind: "members" }
/** No client: the row is for the projections of the servers. */
export const toServers: Audience = { kind: "servers" }
export const toUsers = (users: Iterable<UserId>): Audience => ({ kind: "users", users: [...users] })
export const toSubscribers = (channel: ChannelId, was: PrivacyAtRow): Audience => ({
  kind: "subscribers",
  channel,
  was,
})

/** Those who hold a message that came into the channel at `since`. */
export const toHolders = (channel: ChannelId, since: number, was: PrivacyAtRow): Audience => ({
  kind: "holders",
  channel,
  since,
  was,
})

/** Those who may know of a channel. */
export const toChannel = (
  channel: ChannelId,
  was: PrivacyAtRow,
  { also = [], except = [] }: Pick<Audience, "also" | "except"> = {},
): Audience => ({
  kind: "channel",
  channel,
  was,
  ...(also.length === 0 ? {} : { also }),
  ...(except.length === 0 ? {} : { except }),
})
