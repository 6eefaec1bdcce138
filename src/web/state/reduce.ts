/**
 * What an event makes of the state. Types that the page has no use for leave it as it is: a server may have more of them than
 * this page knows.
 */
import type { Event } from "../../client/index.ts"
import type { State } from "./model.ts"
import { reduceAccount } from "./reduce-account.ts"
import { reduceChannels } from "./reduce-channels.ts"
import { reduceMessages } from "./reduce-messages.ts"
import { reducePeople } from "./reduce-people.ts"

/** `now`: milliseconds, by which somebody who types counts as stopped. */
export const reduce = (state: State, event: Event, now: number): State =>
  reduceMessages(state, event) ??
  reduceChannels(state, event) ??
  reducePeople(state, event, now) ??
  reduceAccount(state, event) ??
  state
