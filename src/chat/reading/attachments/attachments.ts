/** A user's own files: the list of them, and taking one away. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { dataReply, noFields, requesterName, userEndpoint } from "../../../api/endpoint.ts"
import { badRequest } from "../../../api/errors.ts"
import { id } from "../../../api/params.ts"
import { UserReads } from "../../../db/reads.ts"
import { LargeAnswers } from "../../../fairness/large-answers.ts"
import { listInPieces } from "../../../json-pieces.ts"
import { Files } from "../../ground/files/files.ts"
import { Thumbnails } from "../../ground/files/thumbnails.ts"
import { stillFormat } from "../../ground/images/thumbnail-formats.ts"
import { removedFileRow } from "../../ground/kinds/attachment-row.ts"
import { requireAccount } from "../../ground/requester/requester.ts"
import { submitAs } from "../../ground/requester/submit.ts"
import { Count } from "../../ground/wire/wire-values.ts"
import { changeFiles } from "./attachment-changes.ts"
import { WireAttachment } from "./attachment-event.ts"
import { countOwn, findById, findOwn, findSpace } from "./attachments-store.ts"
import { withReadable } from "./file-access.ts"
import { pictureOf, storedNames } from "./file-names.ts"

/** Files that one statement reads, each with up to a hundred messages. */
const filesAtOnce = 20
/** About how many bytes a file has in the list, with a few messages. */
const fileBytes = 400

const getAttachments = userEndpoint({
  method: "GET",
  path: "/attachments",
  summary: "The requester's uploaded files, oldest first, and how much space all files of the organization take.",
  params: {},
  reply: Schema.Struct({ attachments: Schema.Array(WireAttachment), upload_space_used: Count }),
  errors: [],
  run: Effect.fnUntraced(function* (caller) {
    const { realm, user } = yield* requireAccount(caller)
    const owner = requesterName(caller)
    const reading = (yield* UserReads).begin(owner)
    const count = yield* countOwn(reading, realm.id, caller.user)
    const list = Effect.gen(function* () {
      const found: Array<typeof WireAttachment.Type> = []
      for (let after = 0; ; ) {
        const page = yield* findOwn(reading, realm.id, caller.user, after, filesAtOnce)
        found.push(...(yield* withReadable(reading, realm, user, page)))
        const last = page.at(-1)
        if (last === undefined || page.length < filesAtOnce) break
        after = last.id
      }
      const space = yield* findSpace(reading, realm.id)
      const pieces = yield* listInPieces("attachments", found, (file) => JSON.stringify(file))
      return [pieces, `"upload_space_used":${space}`]
    })
    return yield* (yield* LargeAnswers).answer(owner, count * fileBytes, list)
  }),
})

/** The same whether there is no such file or it is somebody else's. */
const gone = badRequest("Invalid attachment")

const attachmentId = id("attachment_id", Number)

const deleteAttachment = userEndpoint({
  method: "DELETE",
  path: "/attachments/{attachment_id:int}",
  fresh: "onRefusal",
  summary: "Deletes one of the requester's uploaded files. Messages that link it stay.",
  params: { attachmentId },
  reply: noFields,
  errors: [],
  run: Effect.fnUntraced(function* (caller, { params: { attachmentId } }) {
    const { realm } = yield* requireAccount(caller)
    const file = yield* findById((yield* UserReads).begin(requesterName(caller)), realm.id, attachmentId)
    // A message that still shows a placeholder for the picture would show it for ever. So its thumbnails are made
    // first, as far as they can be: then the message links a file that is gone, as others do.
    const picture = file === undefined || file.owner_id !== caller.user ? null : pictureOf(file)
    if (file !== undefined && picture !== null)
      yield* Effect.ignore(
        (yield* Thumbnails).find(realm.id, { id: file.id, path: file.path_id, picture }, stillFormat),
      )
    yield* submitAs(caller, () => changeFiles(removedFileRow(caller.user, attachmentId, false), { gone }))
    if (file === undefined) return dataReply()
    const files = yield* Files
    // Nobody reaches them any more. What cannot be removed now, the periodic job removes.
    for (const name of storedNames(realm.id, file)) yield* Effect.ignore(files.remove(name))
    return dataReply()
  }),
})

export const attachmentEndpoints = [getAttachments, deleteAttachment]
