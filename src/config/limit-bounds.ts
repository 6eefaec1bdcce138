/** Values that each limit of config.ts accepts, and its purpose, as `parley --help` says them. Used by settings.ts. */
import type { Limits } from "./config.ts"

interface Bounds {
  readonly min: number
  readonly max: number
  readonly help: string
}

const kilobyte = 1024
const megabyte = 1024 * kilobyte
const gigabyte = 1024 * megabyte
const day = 24 * 3600

/** Characters of up to four bytes each, in an entry of an index, which holds 2.7 KB. */
const longestIndexed = 600

export const limitBounds: { readonly [K in keyof Limits]: Bounds } = {
  maxMessageLength: { min: 1, max: 1_000_000, help: "Characters of a message." },
  maxTopicLength: {
    min: 1,
    max: longestIndexed,
    help: "Characters of a topic; clients lay out lists for the default.",
  },
  maxChannelNameLength: { min: 1, max: longestIndexed, help: "Characters of a channel's name." },
  maxChannelDescriptionLength: { min: 1, max: 100_000, help: "Characters of a channel's description." },
  maxRequestBytes: { min: 4 * kilobyte, max: 256 * megabyte, help: "Bytes of a request's body that are read." },
  unauthenticatedRequestBytes: { min: kilobyte, max: 16 * megabyte, help: "The same for one without an account." },
  imageFileBytes: { min: kilobyte, max: 256 * megabyte, help: "Bytes of an uploaded image, such as a custom emoji." },
  maxFileUploadSizeMib: { min: 1, max: 100 * kilobyte, help: "MiB of an uploaded file." },
  realmUploadQuotaMib: {
    min: 1,
    max: 1024 * megabyte,
    help: "MiB of all uploaded files of an organization. Further uploads are refused.",
  },
  requestBytesPerSender: {
    min: 64 * kilobyte,
    max: gigabyte,
    help: "Memory for bodies that one account sends at a time, or one address without an account.",
  },
  requestBytesInAll: {
    min: 64 * kilobyte,
    max: 16 * gigabyte,
    help: "Memory for all bodies that are being read; those without an account get a quarter of it.",
  },
  requestBodySeconds: { min: 1, max: 3600, help: "A body that has not come whole by then is cut." },
  answerBytes: {
    min: 64 * kilobyte,
    max: gigabyte,
    help: "A list of messages ends where it has so many bytes; clients ask on.",
  },
  unreadBytes: {
    min: megabyte,
    max: 64 * gigabyte,
    help: "Bytes of large answers that wait for their clients to read them; further ones wait their turn.",
  },
  largeAnswersPerUser: { min: 1, max: 1000, help: "Large answers that one user has at a time; further ones wait." },
  readSeconds: { min: 1, max: 600, help: "A search that takes longer is answered with an error." },
  queueIdleSeconds: { min: 1, max: 90 * day, help: "A queue that nobody asks for lives this long." },
  queueIdleMaxSeconds: { min: 1, max: 90 * day, help: "The longest life that a client may ask for its queue." },
  queuesPerUser: { min: 1, max: 100_000, help: "Event queues of a user; a further one ends the longest idle one." },
  queueDescriptionBytes: {
    min: 2 * kilobyte,
    max: megabyte,
    help: "Bytes of a queue's narrow and event types as stored.",
  },
  heartbeatMinSeconds: { min: 1, max: 59, help: "A quiet queue gets a heartbeat after a random time, at least this." },
  heartbeatMaxSeconds: {
    min: 1,
    max: 59,
    help: "Heartbeats come at the latest after this: home routers cut a connection that is silent for 60 s.",
  },
  pollHoldSeconds: { min: 1, max: 59, help: "A poll is answered by then, before routers cut it." },
  pendingEvents: { min: 1, max: 1_000_000, help: "Events that a queue holds in memory, or one frame carries." },
  pendingBytes: { min: kilobyte, max: gigabyte, help: "Bytes that a queue holds in memory, or one frame carries." },
  ringBytes: { min: 64 * kilobyte, max: 16 * gigabyte, help: "Newest part of an organization's log in memory." },
  pastBytes: {
    min: megabyte,
    max: 16 * gigabyte,
    help: "Older parts of the log in memory while clients that were away read them.",
  },
  socketBackpressureBytes: { min: kilobyte, max: gigabyte, help: "A socket that has not taken so much gets no more." },
  socketStalledSeconds: { min: 1, max: day, help: "A socket that takes nothing for so long is closed." },
  socketUnackedSeconds: { min: 1, max: 7 * day, help: "A socket that acknowledges nothing for so long is closed." },
  socketAuthSeconds: { min: 1, max: 600, help: "A new socket must say who it is within this time." },
  socketFrameBytes: { min: 512, max: megabyte, help: "Bytes of a frame that a client sends." },
  unauthenticatedSocketsPerAddress: { min: 1, max: 100_000, help: "Sockets of one address that have not signed in." },
  typingStartedExpiryMilliseconds: { min: 100, max: 3_600_000, help: "A typing indicator that nobody renews ends." },
  typingStartedWaitMilliseconds: { min: 100, max: 3_600_000, help: "Clients renew it this often." },
  typingStoppedWaitMilliseconds: { min: 100, max: 3_600_000, help: "Clients say that typing has stopped after this." },
  typingChannelSubscribers: { min: 1, max: 1_000_000, help: "Larger channels show no typing: it would flood them." },
  logRetentionDays: { min: 1, max: 3650, help: "The event log keeps its rows so long; messages stay." },
  logRetentionBytes: {
    min: megabyte,
    max: 1024 * 1024 * gigabyte,
    help: "The event log keeps about so many bytes, beyond the days that it must keep.",
  },
  sendMemoryHours: { min: 1, max: 720, help: "A retried send is recognised so long." },
  commitMemoryMinutes: { min: 1, max: 1440, help: "Outcomes of writes are kept so long." },
  userRequestsPerMinute: { min: 1, max: 1_000_000, help: "Requests of a signed-in user, polls apart." },
  pollsPerMinute: { min: 1, max: 1_000_000, help: "Polls of a signed-in user." },
  addressRequestsPerMinute: {
    min: 1,
    max: 1_000_000,
    help: "Requests of an address without an account, and its requests with a wrong key.",
  },
  pageRequestsPerMinute: {
    min: 1,
    max: 10_000_000,
    help: "Requests of an address for what is answered without work: /health, /ready, what browsers ask before a request, sockets that have yet to sign in.",
  },
  connectionsInAll: {
    min: 10,
    max: 1_000_000,
    help: "Connections at once. Fewer where the system allows the process fewer open files (ulimit -n).",
  },
  connectionsPerAddress: {
    min: 1,
    max: 1_000_000,
    help: "Connections that an address may open within ten seconds, trusted proxies apart.",
  },
  signInFailures: {
    min: 1,
    max: 1_000_000,
    help: "Wrong passwords for one name before nobody may try it for a while.",
  },
  signInFailuresPerAddress: { min: 1, max: 1_000_000, help: "Wrong passwords from one address." },
  signInFailureMinutes: { min: 1, max: 1440, help: "Wrong passwords are counted over this time." },
  invitationsPerDay: {
    min: 1,
    max: 1_000_000,
    help: "Invitations that an organization may mail in 24 hours, those sent again included. Over it nothing is sent.",
  },
  invitationLinkUsesPerHour: {
    min: 1,
    max: 1_000_000,
    help: "Accounts that may be made by one link for many in an hour.",
  },
  invitationLinkValidityMinutes: {
    min: 1,
    max: 52_560_000,
    help: "How long an invitation can be accepted where its inviter says nothing else.",
  },
  organizationsPerDay: {
    min: 1,
    max: 1_000_000,
    help: "Links by which people make organizations by themselves that may be mailed in 24 hours.",
  },
}
