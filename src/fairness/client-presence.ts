/** What work that is done for a request can ask of it: whether its client still waits, and what the log calls it. */
import * as Context from "effect/Context"

/** A request, as lines of the log name it: no path, because paths have links that are secret. */
export interface RequestAbout {
  readonly request: string
  readonly endpoint: string
  /** The number of the organization; absent where it is not known yet. */
  readonly organization?: number
}

/** Whether the client of a request still waits for its answer. */
export interface ClientWaiting {
  readonly isGone: () => boolean
  /** Calls `task` if the client goes away before it is answered. The last one registered counts. */
  readonly onGone: (task: () => void) => void
  /** Asked only when something is logged: the request gets its id then. Absent where no request is worked for. */
  readonly about?: () => RequestAbout
}

/** Given by http/api/handle-request.ts for each request; elsewhere nobody goes away. */
export const ClientPresence = Context.Reference<ClientWaiting>("parley/ClientPresence", {
  defaultValue: () => ({ isGone: () => false, onGone: () => {} }),
})
