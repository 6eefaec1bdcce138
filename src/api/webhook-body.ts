/** A body in another service's own form, and what that service says of it in headers; texts are empty where it does not. */
export interface WebhookBody {
  /** The body. Of a form it is the field `payload`, which is how forms carry JSON. */
  readonly text: string
  /** The fields of a form without a `payload`. */
  readonly fields: ReadonlyMap<string, string> | null
  /** The kind of event, in the service's words. */
  readonly event: string
  /** The same for each attempt to deliver one event. */
  readonly delivery: string
}
