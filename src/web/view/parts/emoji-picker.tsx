/** All emoji by name. */
import { useEffect, useMemo, useState as useOwn, useRef } from "preact/hooks"
import { type EmojiName, ownEmoji } from "../../state/completion.ts"
import { words } from "../../words/words.ts"
import { glyphOf, oftenUsed, useEmoji } from "./emoji.ts"
import { useDismiss, useRoom, useState } from "./hooks.ts"

interface Props {
  readonly onPick: (emoji: EmojiName) => void
  readonly onClose: () => void
}

const most = 96

const found = (all: ReadonlyArray<EmojiName>, text: string): ReadonlyArray<EmojiName> => {
  const wanted = text.trim().toLowerCase().replaceAll(" ", "_")
  const seen = new Set<string>()
  const shown = wanted === "" ? [...oftenUsed, ...all] : all.filter(({ name }) => name.includes(wanted))
  return shown.filter(({ code }) => !seen.has(code) && seen.add(code)).slice(0, most)
}

export const EmojiPicker = ({ onPick, onClose }: Props) => {
  const [text, setText] = useOwn("")
  const known = useEmoji(true)
  const own = useState((state) => state.emoji)
  const all = useMemo(() => [...ownEmoji({ emoji: own }), ...known], [own, known])
  const place = useDismiss(onClose)
  useRoom(place)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const shown = found(all, text)
  const submit = (event: Event) => {
    event.preventDefault()
    const [first] = shown
    if (first !== undefined) onPick(first)
  }
  return (
    <div class="popup picker" ref={place} role="dialog" aria-label={words.emoji}>
      <form onSubmit={submit}>
        <input
          ref={field}
          type="search"
          value={text}
          placeholder={words.moreEmoji}
          aria-label={words.moreEmoji}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <div class="glyphs">
        {shown.map((emoji) => (
          <button
            type="button"
            key={emoji.code}
            title={`:${emoji.name}:`}
            aria-label={emoji.name}
            onClick={() => onPick(emoji)}
          >
            {emoji.url === undefined ? glyphOf(emoji.code) : <img class="emoji" src={emoji.url} alt="" />}
          </button>
        ))}
      </div>
    </div>
  )
}
