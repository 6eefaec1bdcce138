/**
 * The one typed place for everything an operator may set. `Config` is what the program sees; how environment and
 * flags become one stands in config-source.ts. Durations are in seconds unless the name says milliseconds.
 */
import * as Context from "effect/Context"

export type DatabaseConfig =
  | { readonly kind: "pglite"; readonly folder: string }
  | { readonly kind: "postgres"; readonly url: string }

/** Limits of the protocol. Each default says why it is what it is. */
export interface Limits {
  readonly maxMessageLength: number
  readonly maxTopicLength: number
  readonly maxChannelNameLength: number
  readonly maxChannelDescriptionLength: number
  /** Bytes of a request body that are read at most. */
  readonly maxRequestBytes: number
  /** A queue nobody asks for lives this long, and at most this long if the client asks for more. */
  readonly queueIdleSeconds: number
  readonly queueIdleMaxSeconds: number
  /** Below a home router's 60 s; jittered so that queues do not beat together. */
  readonly heartbeatMinSeconds: number
  readonly heartbeatMaxSeconds: number
  /** A poll is answered by then whatever happens. */
  readonly pollHoldSeconds: number
  /** What a live queue keeps in memory before it falls behind, and what one frame or response carries. */
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** The newest part of each realm's log kept in memory. */
  readonly ringBytes: number
  /** Bytes a socket may owe before it gets no more, and how long it may owe them before it is closed. */
  readonly socketBackpressureBytes: number
  readonly socketStalledSeconds: number
  /** A socket that acknowledges nothing for so long is closed. */
  readonly socketUnackedSeconds: number
  readonly socketAuthSeconds: number
  readonly socketFrameBytes: number
  readonly unauthenticatedSocketsPerAddress: number
  readonly typingStartedExpiryMilliseconds: number
  readonly typingStartedWaitMilliseconds: number
  readonly typingStoppedWaitMilliseconds: number
  /** Channel typing is not announced above so many subscribers. */
  readonly typingChannelSubscribers: number
  /** The log keeps rows so long, and at most about so many bytes, but never less than the longest queue and a day. */
  readonly logRetentionDays: number
  readonly logRetentionBytes: number
  /** Retried sends are recognised so long; outcomes of commits are kept so long. */
  readonly sendMemoryHours: number
  readonly commitMemoryMinutes: number
  /** What a signed-in user may ask in a minute; polls are counted apart. */
  readonly userRequestsPerMinute: number
  readonly pollsPerMinute: number
  /** What one address may ask in a minute without an account, and how often with a wrong key. */
  readonly addressRequestsPerMinute: number
  /** Wrong passwords for one name, whoever gives them, and from one address for any names, within these minutes. */
  readonly signInFailures: number
  readonly signInFailuresPerAddress: number
  readonly signInFailureMinutes: number
}

export interface ConfigShape {
  readonly mode: "development" | "production"
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly dataFolder: string
  readonly database: DatabaseConfig
  /** What API keys are derived from. */
  readonly secret: string
  /** How clients reach the server, without a trailing slash; null: the Host they used. */
  readonly externalUrl: string | null
  /** Further origins that browsers may come from. */
  readonly origins: ReadonlyArray<string>
  /** Addresses and nets of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: ReadonlyArray<string>
  readonly rateLimit: boolean
  /** Whether organizations may have channels that visitors without an account read. */
  readonly webPublicChannels: boolean
  /** What a password's hash costs, as N of scrypt. No setting of an operator: absent but in tests, which hash many. */
  readonly passwordCost?: number
  readonly limits: Limits
}

export class Config extends Context.Service<Config, ConfigShape>()("parley/Config") {}

export const defaultLimits: Limits = {
  maxMessageLength: 10_000,
  maxTopicLength: 60,
  maxChannelNameLength: 60,
  maxChannelDescriptionLength: 1024,
  maxRequestBytes: 1024 * 1024,
  queueIdleSeconds: 600,
  queueIdleMaxSeconds: 7 * 24 * 3600,
  heartbeatMinSeconds: 45,
  heartbeatMaxSeconds: 55,
  pollHoldSeconds: 57,
  pendingEvents: 1000,
  pendingBytes: 1024 * 1024,
  ringBytes: 32 * 1024 * 1024,
  socketBackpressureBytes: 256 * 1024,
  socketStalledSeconds: 120,
  socketUnackedSeconds: 3600,
  socketAuthSeconds: 10,
  socketFrameBytes: 4096,
  unauthenticatedSocketsPerAddress: 20,
  typingStartedExpiryMilliseconds: 45_000,
  typingStartedWaitMilliseconds: 30_000,
  typingStoppedWaitMilliseconds: 12_000,
  typingChannelSubscribers: 100,
  logRetentionDays: 14,
  logRetentionBytes: 4 * 1024 * 1024 * 1024,
  sendMemoryHours: 24,
  commitMemoryMinutes: 60,
  userRequestsPerMinute: 200,
  // A client that gets each event by itself asks again for each: 33 a second.
  pollsPerMinute: 2000,
  addressRequestsPerMinute: 100,
  signInFailures: 5,
  // An office shares one address.
  signInFailuresPerAddress: 50,
  signInFailureMinutes: 30,
}

/** Development mode is generous: whoever writes a client repeats themselves, and tests of it more so. */
const generosity = 50

/** What applies where an operator has set nothing. */
export const limitsOf = (mode: ConfigShape["mode"]): Limits =>
  mode === "production"
    ? defaultLimits
    : {
        ...defaultLimits,
        userRequestsPerMinute: generosity * defaultLimits.userRequestsPerMinute,
        pollsPerMinute: generosity * defaultLimits.pollsPerMinute,
        addressRequestsPerMinute: generosity * defaultLimits.addressRequestsPerMinute,
        signInFailures: generosity * defaultLimits.signInFailures,
        signInFailuresPerAddress: generosity * defaultLimits.signInFailuresPerAddress,
      }
