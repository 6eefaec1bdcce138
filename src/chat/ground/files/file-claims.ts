/**
 * Which uploaded files a message links: who may read the message may read them. Asked by whatever renders and stores the
 * content of messages, before its command; fulfilled by chat/reading/attachments, which knows who may read a file.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Caller } from "../../../api/endpoint.ts"
import type { RequestFailure } from "../../../api/errors.ts"
import type { UserId } from "../../../ids.ts"

/** A file that a message links and its author may read. */
export interface ClaimedFile {
  readonly id: number
  readonly owner: UserId
}

interface FileClaimsShape {
  /** The files that the HTML of a message links, of those that the caller may read. */
  readonly find: (caller: Caller, html: string) => Effect.Effect<ReadonlyArray<ClaimedFile>, RequestFailure>
  /** Those of the paths, each what follows `/user_uploads/` in an address, at which there is a file that the caller may read. */
  readonly readable: (caller: Caller, paths: ReadonlySet<string>) => Effect.Effect<ReadonlySet<string>, RequestFailure>
}

export class FileClaims extends Context.Service<FileClaims, FileClaimsShape>()("parley/chat/FileClaims") {}
