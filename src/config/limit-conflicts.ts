/** Limits that do not go together. Called by read-settings.ts, which has read each of them. */
import type { Limits } from "./config.ts"
import { limitSetting } from "./settings.ts"

const secondsPerDay = 24 * 3600

/** Limits that are each acceptable but not together. */
export const findConflict = (limits: Limits): string | undefined => {
  const atMost = (low: keyof Limits, high: keyof Limits) =>
    limits[low] <= limits[high]
      ? undefined
      : `${limitSetting(low).env} (${limits[low]}) must not be above ${limitSetting(high).env} (${limits[high]})`
  // A client reads on from the log after its queue's whole life, so the log lasts a day longer.
  const logDays = Math.ceil(limits.queueIdleMaxSeconds / secondsPerDay) + 1
  return (
    atMost("heartbeatMinSeconds", "heartbeatMaxSeconds") ??
    // A poll is looked at when its first heartbeat is due.
    atMost("heartbeatMinSeconds", "pollHoldSeconds") ??
    atMost("queueIdleSeconds", "queueIdleMaxSeconds") ??
    atMost("typingStartedWaitMilliseconds", "typingStartedExpiryMilliseconds") ??
    atMost("maxMessageLength", "maxRequestBytes") ??
    atMost("maxRequestBytes", "requestBytesPerSender") ??
    atMost("requestBytesPerSender", "requestBytesInAll") ??
    (limits.logRetentionDays >= logDays
      ? undefined
      : `${limitSetting("logRetentionDays").env} (${limits.logRetentionDays}) must be at least ${logDays}: a day more than ${limitSetting("queueIdleMaxSeconds").env} (${limits.queueIdleMaxSeconds})`)
  )
}
