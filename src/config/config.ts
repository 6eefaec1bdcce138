/**
 * Everything that an operator may set, typed. read-settings.ts reads it from environment and flags. Durations are in
 * seconds unless the name says milliseconds.
 */
import * as Context from "effect/Context"
import type { ProcessesConfig } from "./processes-config.ts"

export interface EmbeddedConfig {
  readonly kind: "pglite"
  readonly folder: string
  /** Whether every commit is on the disk before it is answered. */
  readonly sync: boolean
}

export type DatabaseConfig = EmbeddedConfig | { readonly kind: "postgres"; readonly url: string }

/** Where mails are handed over, and whom they are from. */
export interface MailServer {
  readonly host: string
  readonly port: number
  /** Null: without signing in. */
  readonly user: string | null
  readonly password: string | null
  /** `tls`: from the first byte; `starttls`: before anything is said; `none`: in the open, for a server on this machine. */
  readonly security: "tls" | "starttls" | "none"
  readonly from: { readonly name: string; readonly address: string }
}

/** What an operator has opened to outgoing webhooks. */
export interface AllowEntry {
  /** `subdomains`: the names below `host`, at any depth. */
  readonly kind: "name" | "subdomains" | "address" | "net"
  /** In lower case: a name, an address, or a net such as `10.0.0.0/8`. */
  readonly host: string
  /** First and last of each. */
  readonly ports: ReadonlyArray<readonly [number, number]>
}

/** The setting of these entries, which refusals name. */
export const outgoingAllowName = "PARLEY_OUTGOING_ALLOW"

/** Bounds of whatever clients can ask for: sizes, times, numbers, memory. */
export interface Limits {
  readonly maxMessageLength: number
  readonly maxTopicLength: number
  readonly maxChannelNameLength: number
  readonly maxChannelDescriptionLength: number
  /** Bytes of a request body that are read at most. */
  readonly maxRequestBytes: number
  /** The same for a request without an account. */
  readonly unauthenticatedRequestBytes: number
  /** Bytes of an uploaded image, such as a custom emoji; a request with one may be as large. */
  readonly imageFileBytes: number
  /** The size of an uploaded file, in MiB. */
  readonly maxFileUploadSizeMib: number
  /** All files of an organization together, in MiB. */
  readonly realmUploadQuotaMib: number
  /** Bytes at which a list that can be continued ends. */
  readonly answerBytes: number
  /** Bytes of large answers that wait until their clients read them, for the whole server. */
  readonly unreadBytes: number
  /** Large answers that one user has at a time; further ones wait. */
  readonly largeAnswersPerUser: number
  /** Seconds that a read of the database may take before it answers an error. */
  readonly readSeconds: number
  /** Bytes of memory for bodies that are being read: of one account or address, and of all. */
  readonly requestBytesPerSender: number
  readonly requestBytesInAll: number
  /** Seconds after which a body that has not come is cut. */
  readonly requestBodySeconds: number
  /** Seconds without a poll after which a queue expires; clients may ask for more, up to the maximum. */
  readonly queueIdleSeconds: number
  readonly queueIdleMaxSeconds: number
  /** Queues of one user; at more, the one that was idle longest ends. */
  readonly queuesPerUser: number
  /** Bytes of what a client asks for at register, as it is stored with its queue. */
  readonly queueDescriptionBytes: number
  /** Seconds between heartbeats: below a home router's 60, and jittered so that queues do not beat together. */
  readonly heartbeatMinSeconds: number
  readonly heartbeatMaxSeconds: number
  /** Seconds after which a poll without events is answered at the latest. */
  readonly pollHoldSeconds: number
  /** The most that a live queue keeps in memory before it falls behind, and that one frame or response carries. */
  readonly pendingEvents: number
  readonly pendingBytes: number
  /** Bytes of the newest part of each realm's log, kept in memory. */
  readonly ringBytes: number
  /** Bytes of older parts of each realm's log, kept in memory while clients that were away read them. */
  readonly pastBytes: number
  /** Unsent bytes of a socket before it gets no more, and how long they may stay unsent before it is closed. */
  readonly socketBackpressureBytes: number
  readonly socketStalledSeconds: number
  /** Seconds after which a socket that acknowledges nothing is closed. */
  readonly socketUnackedSeconds: number
  readonly socketAuthSeconds: number
  readonly socketFrameBytes: number
  readonly unauthenticatedSocketsPerAddress: number
  readonly typingStartedExpiryMilliseconds: number
  readonly typingStartedWaitMilliseconds: number
  readonly typingStoppedWaitMilliseconds: number
  /** Most subscribers of a channel in which people are told who is typing. */
  readonly typingChannelSubscribers: number
  /** Age and size at which log rows are deleted; never before the longest queue lifetime and a day have passed. */
  readonly logRetentionDays: number
  readonly logRetentionBytes: number
  /** Hours for which retried sends are recognised, and minutes for which outcomes of commits are kept. */
  readonly sendMemoryHours: number
  readonly commitMemoryMinutes: number
  /** Requests per minute of a signed-in user; polls are counted separately. */
  readonly userRequestsPerMinute: number
  readonly pollsPerMinute: number
  /** Requests per minute of one address, without an account or with a wrong key. */
  readonly addressRequestsPerMinute: number
  /** Requests per minute of one address for what is answered without work: /health, preflights, new sockets. */
  readonly pageRequestsPerMinute: number
  /** Connections at once; fewer where the system allows the process fewer open files. */
  readonly connectionsInAll: number
  /** Connections that one address may open within ten seconds. */
  readonly connectionsPerAddress: number
  /** Wrong passwords for one account from any address, and from one address for any accounts, per these minutes. */
  readonly signInFailures: number
  readonly signInFailuresPerAddress: number
  readonly signInFailureMinutes: number
  /** Invitations that an organization may mail in 24 hours. */
  readonly invitationsPerDay: number
  /** Accounts that may be made by one link for many in an hour. */
  readonly invitationLinkUsesPerHour: number
  /** How long an invitation can be accepted whose inviter does not say. */
  readonly invitationLinkValidityMinutes: number
  /** Organizations that may be asked for on the page at /new/ in 24 hours. */
  readonly organizationsPerDay: number
}

/** How the entry is found of whoever signs in with a name: it stands for `{name}`. */
export type DirectorySearch =
  | {
      readonly kind: "search"
      readonly bindDn: string
      readonly bindPassword: string
      readonly base: string
      readonly filter: string
    }
  | { readonly kind: "template"; readonly dn: string }

/** A directory (LDAP) whose people sign in with its passwords. */
export interface DirectoryConfig {
  readonly url: string
  /** Whether a connection to `ldap:` turns to TLS before anything is sent. One to `ldaps:` begins with it. */
  readonly startTls: boolean
  readonly search: DirectorySearch
  /** The attribute with the address of the account here. */
  readonly emailAttribute: string
  /** Whether only names that are addresses can be found. */
  readonly namesAreAddresses: boolean
  /** Certificates in PEM that are trusted instead of the usual ones. No setting of an operator: absent but in tests. */
  readonly authorities?: string
}

export interface ConfigShape {
  readonly mode: "development" | "production"
  readonly host: string
  /** 0 lets the system choose. */
  readonly port: number
  readonly dataFolder: string
  /** The folder of uploaded files; made when the first one comes. */
  readonly filesFolder: string
  readonly database: DatabaseConfig
  /** Null: this process serves its database alone. */
  readonly processes: ProcessesConfig | null
  /** For how long a server that is to end serves on, and says that it leaves. */
  readonly leaveSeconds: number
  /** The secret that API keys are derived from. */
  readonly secret: string
  /** The address by which clients reach the server, without a trailing slash; null: the Host they used. */
  readonly externalUrl: string | null
  /** Further origins that browsers may come from. */
  readonly origins: ReadonlyArray<string>
  /** Addresses and nets of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: ReadonlyArray<string>
  /** What outgoing webhooks may call beyond public addresses. */
  readonly outgoingAllow: ReadonlyArray<AllowEntry>
  /** Who has it may read the server's figures; null: programs on this machine may. */
  readonly metricsToken: string | null
  readonly rateLimit: boolean
  /** Development mode listens on any address and answers to any Host: whoever can reach it has the owner's key. */
  readonly developmentOpenToEverybody: boolean
  /** Whether organizations may have channels that visitors without an account read. */
  readonly webPublicChannels: boolean
  /** Whether organizations may show pictures that messages link. */
  readonly imagePreviews: boolean
  /** Whether they may show what linked pages say of themselves, for which the server fetches these. */
  readonly pagePreviews: boolean
  /** Whether people without a picture of their own have that of gravatar.com, a server of others, instead of a drawn one. */
  readonly gravatar: boolean
  /** The domain below which people may make organizations by themselves; null: only operators make them. */
  readonly signUpDomain: string | null
  /** Whether images can be uploaded. No setting of an operator: absent but in tests, it is so where sharp is installed. */
  readonly imageLibrary?: boolean
  /** Null: there is none, and people sign in with passwords that are kept here only. */
  readonly directory: DirectoryConfig | null
  /** Null: nothing is mailed; development mode keeps mails for a page. */
  readonly mail: MailServer | null
  /** Cost of a password's hash, as N of scrypt. No setting of an operator: absent but in tests, which hash many. */
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
  unauthenticatedRequestBytes: 64 * 1024,
  imageFileBytes: 5 * 1024 * 1024,
  maxFileUploadSizeMib: 25,
  realmUploadQuotaMib: 10 * 1024,
  answerBytes: 10 * 1024 * 1024,
  unreadBytes: 128 * 1024 * 1024,
  largeAnswersPerUser: 3,
  readSeconds: 15,
  requestBytesPerSender: 4 * 1024 * 1024,
  requestBytesInAll: 64 * 1024 * 1024,
  requestBodySeconds: 60,
  queueIdleSeconds: 600,
  queueIdleMaxSeconds: 7 * 24 * 3600,
  queuesPerUser: 100,
  queueDescriptionBytes: 8 * 1024,
  heartbeatMinSeconds: 45,
  heartbeatMaxSeconds: 55,
  pollHoldSeconds: 57,
  pendingEvents: 1000,
  pendingBytes: 1024 * 1024,
  ringBytes: 32 * 1024 * 1024,
  pastBytes: 64 * 1024 * 1024,
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
  // A monitor asks every second; the pages of a browser ask before each request.
  pageRequestsPerMinute: 1200,
  connectionsInAll: 50_000,
  // An office shares one address, and some programs connect for each request.
  connectionsPerAddress: 1000,
  signInFailures: 5,
  // An office shares one address.
  signInFailuresPerAddress: 50,
  signInFailureMinutes: 30,
  invitationsPerDay: 100,
  invitationLinkUsesPerHour: 200,
  invitationLinkValidityMinutes: 14_400,
  organizationsPerDay: 20,
}

/** Development mode multiplies the limits: whoever tries out a client repeats requests, and its tests even more. */
const generosity = 50

/** The limits that apply where an operator has set nothing. */
export const limitsOf = (mode: ConfigShape["mode"]): Limits =>
  mode === "production"
    ? defaultLimits
    : {
        ...defaultLimits,
        userRequestsPerMinute: generosity * defaultLimits.userRequestsPerMinute,
        pollsPerMinute: generosity * defaultLimits.pollsPerMinute,
        addressRequestsPerMinute: generosity * defaultLimits.addressRequestsPerMinute,
        pageRequestsPerMinute: generosity * defaultLimits.pageRequestsPerMinute,
        connectionsPerAddress: generosity * defaultLimits.connectionsPerAddress,
        signInFailures: generosity * defaultLimits.signInFailures,
        signInFailuresPerAddress: generosity * defaultLimits.signInFailuresPerAddress,
      }
