/** What comes of something that another service has sent. */

/** `event`: its kind, by which requests choose and leave out (`only_events`); empty where the service has no kinds. */
export interface WebhookMessage {
  readonly event: string
  /** Empty where the service does not say what it is about. */
  readonly topic: string
  readonly content: string
}

export type WebhookResult =
  | WebhookMessage
  /** Nothing is to be told of an event of this kind, as of most things that happen there; why, where that is known. */
  | { readonly ignoredEvent: string; readonly reason?: string }
  /** It cannot come from this service, in words for who has set it up. */
  | { readonly refused: string }

/** How things are told, as the address of the web hook says. */
export interface WebhookChoices {
  /** Whether descriptions are shown, such as that of a pull request. */
  readonly isDescribed: boolean
  /** Of alerts: the annotation or label that is the text, and that which is the topic; empty: the usual ones. */
  readonly textLabel: string
  readonly topicLabel: string
}

export const usualChoices: WebhookChoices = { isDescribed: true, textLabel: "", topicLabel: "" }

/**
 * One service's way to tell. Pure, and never fails, whatever the payload is: see payload.ts. `event`: as the service's
 * header calls it, or empty.
 */
export type WebhookFormat = (payload: unknown, event: string, choices?: WebhookChoices) => WebhookResult

/** A message, or nothing where all of it would be empty. */
export const messageOrIgnored = (event: string, topic: string, content: string): WebhookResult =>
  content.trim() === "" ? { ignoredEvent: event } : { event, topic, content }
