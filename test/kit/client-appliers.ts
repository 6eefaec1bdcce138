/** How a client applies events to what it holds, for types of events that client-state.ts does not know. */
import type { ReadEvent } from "./reader.ts"

/** Answers the key of the register as it is after the event. */
export type Applied = (known: unknown, event: ReadEvent) => unknown

/** By the type of the events. `key`: what they change of the register. */
export type Appliers = Readonly<Record<string, { readonly key: string; readonly apply: Applied }>>
