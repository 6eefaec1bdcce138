/** The works of the decoder's process on a file, and what each answers: JSON, and the files that it made. */
import type { Json } from "../../../../json.ts"
import { makeEmoji } from "../emoji-forms.ts"
import { type FaceForm, makeFaces } from "../face-forms.ts"
import type { ImageLibrary } from "../image-library.ts"
import { describePicture, shrinkPicture } from "../shrink-picture.ts"

interface DecoderTaskResult {
  readonly value: Json
  readonly files: ReadonlyArray<Uint8Array>
}

interface DecoderTask {
  /** Fails where the file cannot be decoded. */
  readonly run: (library: ImageLibrary, bytes: Uint8Array) => Promise<DecoderTaskResult>
  /** Most seconds of a processor. A picture of the size that is allowed takes a fifth of it. */
  readonly mostSeconds: number
}

const describe: DecoderTask["run"] = async (library, bytes) => {
  const picture = await describePicture(library, bytes)
  return { value: picture === null ? null : { ...picture }, files: [] }
}

const shrink: DecoderTask["run"] = async (library, bytes) => {
  const made = await shrinkPicture(library, bytes)
  return {
    value: made === null ? null : made.map(({ format }) => format),
    files: (made ?? []).map((each) => each.bytes),
  }
}

const emoji: DecoderTask["run"] = async (library, bytes) => {
  const made = await makeEmoji(library, bytes)
  return made === "too large"
    ? { value: made, files: [] }
    : { value: made.ending, files: made.still === null ? [made.bytes] : [made.bytes, made.still] }
}

const facesOf =
  (form: FaceForm): DecoderTask["run"] =>
  async (library, bytes) => {
    const made = await makeFaces(library, form, bytes)
    if (made === null) return { value: null, files: [] }
    return made === "too large" ? { value: made, files: [] } : { value: "png", files: made }
  }

export const decoderTasks = {
  /** Answers a `Picture`, or null. */
  describe: { run: describe, mostSeconds: 2 },
  /** Answers the formats of the files, or null. */
  shrink: { run: shrink, mostSeconds: 10 },
  /** Answers the ending of the first file, with the still picture behind it, or "too large". */
  emoji: { run: emoji, mostSeconds: 5 },
  /** These answer "png" with the files, "too large", or null. */
  face: { run: facesOf("face"), mostSeconds: 5 },
  icon: { run: facesOf("icon"), mostSeconds: 5 },
  logo: { run: facesOf("logo"), mostSeconds: 5 },
} as const satisfies Readonly<Record<string, DecoderTask>>

export type DecoderTaskName = keyof typeof decoderTasks
export const isDecoderTaskName = (name: string): name is DecoderTaskName => Object.hasOwn(decoderTasks, name)
