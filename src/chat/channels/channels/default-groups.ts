/** The default channel groups of an organization: a part of the projection. */
import * as Schema from "effect/Schema"
import { idSchemas } from "../../../ids.ts"
import { projectionPart } from "../../ground/realm/projection-part.ts"

/** A default channel group: channels that a new user may be subscribed to together. */
export const DefaultGroupRecord = Schema.Struct({
  id: Schema.Number,
  name: Schema.String,
  description: Schema.String,
  channel_ids: Schema.Array(idSchemas.channel),
})
export type DefaultGroupRecord = typeof DefaultGroupRecord.Type

interface DefaultGroups {
  /** The list is replaced whenever one of them changes. */
  all: ReadonlyArray<DefaultGroupRecord>
}

export const defaultGroups = projectionPart({
  name: "default_groups",
  load: "load_default_channel_groups_v1",
  stored: Schema.Array(DefaultGroupRecord),
  empty: (): DefaultGroups => ({ all: [] }),
  fill: (groups, all) => {
    groups.all = all
  },
  plain: ({ all }) => all,
})
