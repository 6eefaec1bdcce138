/**
 * A room is a folder of src/chat that holds one capability, or something that capabilities stand on. Its door, `room.ts`,
 * is one value that says all that the room brings to the server; chat/rooms.ts lists the doors. Only doors import this
 * file, and only rooms.ts imports doors, so no circle can come of either.
 */
import type * as Layer from "effect/Layer"
import type { DownloadSource } from "../api/downloads.ts"
import type { Route } from "../api/endpoint.ts"
import type { LivePages, PictureSource, PlainPages } from "../api/pages.ts"
import type { WebPage } from "../api/web-page.ts"
import type { Job } from "../jobs/job.ts"
import type { StoredKind } from "./ground/bulk/bulk-kind.ts"
import type { NamedFiles } from "./ground/files/sweep.ts"
import type { EventKind } from "./ground/kinds/event-kind.ts"
import type { Section } from "./ground/kinds/section.ts"
import type { Part } from "./ground/realm/part.ts"

/** Groups of rooms, in the order in which they stand on each other. */
export const wings = [
  "ground",
  "text",
  "sending",
  "reading",
  "changing",
  "personal",
  "channels",
  "people",
  "organization",
  "server",
] as const
type Wing = (typeof wings)[number]

interface RoomDefinition {
  /** The names of its folder and of the folder above. */
  readonly wing: Wing
  readonly name: string
  /** What is in it, in a few words; docs/rooms.md has them all in a table. */
  readonly about: string
  /** A function where they need what all rooms bring: only `sync` does. */
  readonly endpoints?: ReadonlyArray<Route<unknown>> | ((all: Brought) => ReadonlyArray<Route<unknown>>)
  readonly kinds?: ReadonlyArray<EventKind>
  /** Sections of register. */
  readonly sections?: ReadonlyArray<Section>
  /** Sections of features that do not exist yet; each is left out once a room brings one of its name. */
  readonly placeholders?: ReadonlyArray<Section>
  /** Kinds of commands that are done in chunks and finished after a crash. */
  readonly bulk?: ReadonlyArray<StoredKind>
  /** Files that rows name, for the sweep of those that no row names. */
  readonly files?: ReadonlyArray<NamedFiles>
  /** Work that the server does by itself. */
  readonly jobs?: ReadonlyArray<Job<unknown>>
  /**
   * The services of its own. It cannot fail, and what it needs of other rooms it provides itself: a layer is made once,
   * whoever provides it.
   */
  readonly layer?: Layer.Layer<never, never, unknown>
  /** Pages and pictures outside of the API. */
  readonly pages?: PlainPages
  readonly livePages?: LivePages<unknown>
  readonly webPages?: ReadonlyArray<WebPage<unknown>>
  readonly pictures?: ReadonlyArray<PictureSource<unknown>>
  /** What is sent outside of the API to whoever signs the request. */
  readonly downloads?: ReadonlyArray<DownloadSource<unknown>>
  /** Values that are kept in memory of each organization. */
  readonly parts?: ReadonlyArray<Part<unknown>>
}

/** What all rooms bring, for the one that answers with it. */
export interface Brought {
  readonly sections: ReadonlyArray<Section>
}

/** Its type says which services each part of it needs: app.ts must provide them all. */
export const room = <D extends RoomDefinition>(
  definition: D & Readonly<Record<Exclude<keyof D, keyof RoomDefinition>, never>>,
): D => definition
