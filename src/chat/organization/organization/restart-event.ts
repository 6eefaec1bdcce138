/**
 * The event `restart-event`: another program serves the organization than before, so that a client whose queue outlives an upgrade
 * hears of it, and can load what it shows anew. It is a row of the log, written when the organization is first loaded, of several
 * processes when all are of this program.
 */
import * as Schema from "effect/Schema"
import { packageVersion } from "../../../db/package-root.ts"
import { toRealm } from "../../../events/audience.ts"
import { type Command, change, done } from "../../../events/command.ts"
import type { JsonObject } from "../../../json.ts"
import { eventKind } from "../../ground/kinds/event-kind.ts"
import { oneEvent } from "../../ground/kinds/event-kind-helpers.ts"
import { unixSeconds } from "../../ground/realm/domain-values.ts"
import type { Realm } from "../../ground/realm/realm.ts"
import { Count, plainEvent } from "../../ground/wire/wire-values.ts"
import { serverVersion } from "./server-settings.ts"

const shown = {
  zulip_version: Schema.String,
  zulip_merge_base: Schema.String,
  zulip_feature_level: Count,
  /** When this program came to serve the organization, in Unix seconds; more after each, also where the clock was set back. */
  server_generation: Count,
}

export const restartKind = eventKind({
  type: "restart",
  payload: Schema.Struct({ ...shown, program: Schema.String }),
  // Two processes that tell it at once: the second one is judged again, and finds that it is told.
  changesRules: true,
  applyFunction: "apply_restart_v1",
  applyToProjection: (realm, { program, server_generation }) =>
    realm.setSettings({ ...realm.settings, program, server_generation }),
  events: { "": plainEvent("restart", shown) },
  sections: ["realm"],
  wire: ({ program: _, ...event }) => oneEvent({ type: "restart", ...event }),
})

/** This program, by all that clients could tell it from another by. */
const thisProgram = (): string => [...Object.values(serverVersion), packageVersion()].join(" ")

/** The settings of a new organization which say that this program serves it. */
export const servedByThis = (): JsonObject => ({ program: thisProgram() })

export const isServedByThis = ({ settings }: Realm): boolean => settings.program === thisProgram()

/** That of the newest row; before the first one that of the organization's creation. Older programs counted from 0. */
export const generationOf = ({ settings, createdAt }: Realm): number =>
  Math.max(settings.server_generation, unixSeconds(createdAt))

/** Tells everybody that this program serves the organization, unless it did before. `now`: in milliseconds. */
export const announceProgram = (now: number): Command<Realm, void> => ({
  judge: (realm) => {
    if (isServedByThis(realm)) return done(undefined)
    const server_generation = Math.max(generationOf(realm) + 1, unixSeconds(now))
    return change([restartKind.change({ ...serverVersion, server_generation, program: thisProgram() }, toRealm)])
  },
})
