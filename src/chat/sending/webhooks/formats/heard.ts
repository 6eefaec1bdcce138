/** What comes of something that another service has sent. */

/** `event`: its kind, by which requests choose and leave out (`only_events`); empty where the service has no kinds. */
export interface Said {
  readonly event: string
  /** Empty where the service does not say what it is about. */
  readonly topic: string
  readonly content: string
}

export type Heard =
  | Said
  /** Nothing is to be told of it, as of most things that happen there. */
  | { readonly ignored: string }
  /** It cannot come from this service, in words for who has set it up. */
  | { readonly refused: string }

/**
 * One service's way to tell. Pure, and never fails, whatever the payload is: see payload.ts. `event`: as the service's
 * header calls it, or empty.
 */
export type Format = (payload: unknown, event: string) => Heard

/** A message, or nothing where all of it would be empty. */
export const say = (event: string, topic: string, content: string): Heard =>
  content.trim() === "" ? { ignored: event } : { event, topic, content }
