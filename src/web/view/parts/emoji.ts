/** The names of emoji, as the server has them; read when somebody needs them first. */
import { useEffect, useState } from "preact/hooks"
import { hasFields } from "../../live/browser-storage.ts"
import type { EmojiName } from "../../state/completion.ts"
import type { PageState } from "../../state/model.ts"

/** `1f1e9-1f1ea` as the signs that it stands for. */
export const glyphOf = (code: string): string => {
  const points = code.split("-").map((part) => Number.parseInt(part, 16))
  if (!points.every((point) => point > 0 && point <= 0x10ffff)) return "▫"
  // Old signs are drawn as text unless it is said that they are pictures.
  const isOld = points.length === 1 && points.every((point) => point < 0x10000)
  return String.fromCodePoint(...points, ...(isOld ? [0xfe0f] : []))
}

const zulipPicture = "/static/generated/emoji/images/emoji/unicode/zulip.png"

/** The address of an emoji that is a picture; null where there is none. */
export const pictureOf = (own: PageState["emoji"], type: string, code: string): string | null =>
  type === "zulip_extra_emoji" ? zulipPicture : (own.get(code)?.source_url ?? null)

export const oftenUsed: ReadonlyArray<EmojiName> = [
  { name: "+1", code: "1f44d" },
  { name: "heart", code: "2764" },
  { name: "tada", code: "1f389" },
  { name: "joy", code: "1f602" },
  { name: "eyes", code: "1f440" },
  { name: "pray", code: "1f64f" },
]

const read = async (): Promise<ReadonlyArray<EmojiName>> => {
  const response = await fetch("/static/emoji.json")
  const given: unknown = await response.json()
  if (!hasFields(given, "code_to_names")) return []
  return Object.entries(given.code_to_names ?? {}).flatMap(([code, names]) =>
    Array.isArray(names) ? names.map((name: unknown) => ({ code, name: String(name) })) : [],
  )
}

let asked: Promise<ReadonlyArray<EmojiName>> | undefined

/** Empty until they are there. */
export const useEmoji = (isWanted: boolean): ReadonlyArray<EmojiName> => {
  const [names, setNames] = useState<ReadonlyArray<EmojiName>>([])
  useEffect(() => {
    if (!isWanted) return
    asked ??= read()
    asked.then(setNames, () => {
      asked = undefined
    })
  }, [isWanted])
  return names
}
