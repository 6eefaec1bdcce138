/**
 * The smaller forms of uploaded pictures: made beside the uploads, and shown then by the messages that link them. Asked by
 * uploads, downloads, and whatever stores the content of messages; fulfilled by changing/thumbnails.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ApiError, Unavailable } from "../../../api/errors.ts"
import type { MessageId, RealmId } from "../../../ids.ts"
import type { PictureFacts } from "../images/thumbnail-formats.ts"
import type { StoredFile } from "./files.ts"

/** An uploaded picture. */
export interface PictureFile {
  readonly id: number
  /** The part of its address that follows `/user_uploads/`. */
  readonly path: string
  readonly picture: PictureFacts
}

interface ThumbnailsShape {
  /** Does what a fault of the database, or the end of a server, left undone. */
  readonly look: Effect.Effect<void, unknown>
  /** Makes what the organization's list of pictures without thumbnails says. Returns at once. */
  readonly begin: (realm: RealmId) => void
  /**
   * A message was committed with this HTML. If it shows a picture as one that is not there yet, and it is there by now, it
   * is shown anew. Returns at once.
   */
  readonly note: (realm: RealmId, message: MessageId, html: string) => void
  /**
   * A thumbnail of a picture, in one of its formats; null where it cannot be decoded. One that is not there yet is waited
   * for: 503 where that takes too long.
   */
  readonly find: (
    realm: RealmId,
    file: PictureFile,
    format: string,
  ) => Effect.Effect<StoredFile | null, Unavailable | ApiError>
}

export class Thumbnails extends Context.Service<Thumbnails, ThumbnailsShape>()("parley/chat/Thumbnails") {}
