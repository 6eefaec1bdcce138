/** All emoji by name. */
import { useMemo, useState } from "preact/hooks"
import { type EmojiName, ownEmoji } from "../../state/completion.ts"
import { words } from "../../words/words.ts"
import { glyphOf, oftenUsed, useEmoji } from "./emoji.ts"
import { useChatState } from "./hooks.ts"
import { Popup } from "./popup.tsx"

interface Props {
  /** A finger has opened it. */
  readonly isTouch?: boolean
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

export const EmojiPicker = ({ isTouch = false, onPick, onClose }: Props) => {
  const [text, setText] = useState("")
  const known = useEmoji(true)
  const own = useChatState((state) => state.emoji)
  const all = useMemo(() => [...ownEmoji({ emoji: own }), ...known], [own, known])
  // The keyboard of a phone would stand in the way before anybody has asked for it.
  const first = matchMedia("(pointer: fine)").matches && !isTouch ? "input" : ".glyphs button"
  const shown = found(all, text)
  const submit = (event: Event) => {
    event.preventDefault()
    const [first] = shown
    if (first !== undefined) onPick(first)
  }
  return (
    <Popup class="picker" label={words.emoji} role="dialog" isTouch={isTouch} first={first} onClose={onClose}>
      <form onSubmit={submit}>
        <input
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
            aria-label={emoji.name.replaceAll("_", " ")}
            onClick={() => onPick(emoji)}
          >
            {emoji.url === undefined ? glyphOf(emoji.code) : <img class="emoji" src={emoji.url} alt="" />}
          </button>
        ))}
      </div>
    </Popup>
  )
}
