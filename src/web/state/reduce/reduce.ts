/**
 * What an event makes of the state. Types that the page has no use for leave it as it is: a server may have more of them than
 * this page knows.
 */
import type { Event } from "../../../client/index.ts"
import type { PageState } from "../model.ts"
import { reduceChannels } from "./channels.ts"
import { reduceGroups } from "./groups.ts"
import { reduceMessages } from "./messages.ts"
import { reduceOwnData } from "./own-data.ts"
import { reducePeople } from "./people.ts"
import { reduceRealm } from "./realm.ts"

/** `now`: milliseconds, by which somebody who types counts as stopped. */
export const reduce = (state: PageState, event: Event, now: number): PageState =>
  reduceMessages(state, event) ??
  reduceChannels(state, event) ??
  reducePeople(state, event, now) ??
  reduceOwnData(state, event) ??
  reduceGroups(state, event) ??
  reduceRealm(state, event) ??
  state
