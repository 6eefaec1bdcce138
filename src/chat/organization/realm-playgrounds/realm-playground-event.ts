/** Playgrounds in memory, as rows and events, and as a section of register. A row has the whole list, and so does the event. */
import * as Schema from "effect/Schema"
import { toRealm } from "../../../events/audience.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { section } from "../../ground/kinds/section.ts"
import { projectionPart } from "../../ground/realm/projection-part.ts"
import { Id, plainEvent } from "../../ground/wire/wire-values.ts"

const type = "realm_playgrounds"

/** All playgrounds, oldest first. Ids up to `last_id` were given already. */
const PlaygroundList = Schema.Struct({
  last_id: Schema.Number,
  playgrounds: Schema.Array(
    Schema.Struct({
      id: Schema.Number,
      name: Schema.String,
      pygments_language: Schema.String,
      url_template: Schema.String,
    }),
  ),
})
export type PlaygroundList = typeof PlaygroundList.Type

class Playgrounds {
  list: PlaygroundList = { last_id: 0, playgrounds: [] }
}

export const playgrounds = projectionPart({
  name: "playgrounds",
  load: "load_realm_playgrounds_v1",
  stored: PlaygroundList,
  empty: () => new Playgrounds(),
  fill: (playgrounds, list) => {
    playgrounds.list = list
  },
  plain: ({ list }) => list,
})

/** As clients read them. */
const shown = {
  [type]: Schema.Array(
    Schema.Struct({
      id: Id,
      name: Schema.NonEmptyString,
      pygments_language: Schema.NonEmptyString,
      url_template: Schema.NonEmptyString,
    }),
  ),
}

/** Changes are judged on the list, which each of them states whole, so they change the rules of the next one. */
export const playgroundKind = eventKind({
  type,
  payload: PlaygroundList,
  changesRules: true,
  applyFunction: "apply_realm_playgrounds_v1",
  applyToProjection: (realm, list) => {
    realm.part(playgrounds).list = list
  },
  events: { "": plainEvent(type, shown) },
  sections: [type],
  wire: (list) => oneEvent({ type, realm_playgrounds: list.playgrounds }),
})

export const playgroundRow = (list: PlaygroundList) => playgroundKind.change(list, toRealm)

export const playgroundSection = section(type, shown, ({ realm }) => ({
  realm_playgrounds: realm.part(playgrounds).list.playgrounds,
}))
