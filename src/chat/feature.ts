/**
 * A feature is a folder of src/chat that holds one capability, or something that capabilities stand on. Its definition, `feature.ts`,
 * is one value that says all that the feature brings to the server; chat/features.ts lists the definitions. Only definitions import this
 * file, and only features.ts imports definitions, so no circle can come of either.
 */
import type * as Layer from "effect/Layer"
import type { DownloadSource } from "../api/downloads.ts"
import type { Route } from "../api/endpoint.ts"
import type { LivePages, PictureSource, PlainPages } from "../api/pages.ts"
import type { WebPage } from "../api/web-page.ts"
import type { ServerJob } from "../jobs/job.ts"
import type { StoredBulkKind } from "./ground/bulk/bulk-kind.ts"
import type { FilesInUse } from "./ground/files/sweep-files.ts"
import type { EventKind } from "./ground/kinds/event-kind.ts"
import type { Section } from "./ground/kinds/section.ts"
import type { ProjectionPart } from "./ground/realm/projection-part.ts"

/** Groups of features, in the order in which they stand on each other. */
export const areas = [
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
type Area = (typeof areas)[number]

interface FeatureDefinition {
  /** The names of its folder and of the folder above. */
  readonly area: Area
  readonly name: string
  /** What is in it, in a few words; docs/feature-list.md has them all in a table. */
  readonly about: string
  /** The chapter of the API's documentation (a tag of OpenAPI) in which its endpoints stand; each that has some says it. */
  readonly chapter?: string
  /** A function where they need what all features bring: only `sync` does. */
  readonly endpoints?: ReadonlyArray<Route<unknown>> | ((all: AllFeatures) => ReadonlyArray<Route<unknown>>)
  readonly kinds?: ReadonlyArray<EventKind>
  /** Sections of register. */
  readonly sections?: ReadonlyArray<Section>
  /** Sections of features that do not exist yet; each is left out once a feature brings one of its name. */
  readonly placeholders?: ReadonlyArray<Section>
  /** Kinds of commands that are done in chunks and finished after a crash. */
  readonly bulk?: ReadonlyArray<StoredBulkKind>
  /** Files that rows name, for the sweep of those that no row names. */
  readonly files?: ReadonlyArray<FilesInUse>
  /** Work that the server does by itself. */
  readonly jobs?: ReadonlyArray<ServerJob<unknown>>
  /**
   * The services of its own. It cannot fail, and what it needs of other features it provides itself: a layer is made once,
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
  readonly projectionParts?: ReadonlyArray<ProjectionPart<unknown>>
}

/** What all features bring, for the one that answers with it. */
export interface AllFeatures {
  readonly sections: ReadonlyArray<Section>
}

/** Its type says which services each part of it needs: app.ts must provide them all. */
export const defineFeature = <D extends FeatureDefinition>(
  definition: D & Readonly<Record<Exclude<keyof D, keyof FeatureDefinition>, never>>,
): D => definition
