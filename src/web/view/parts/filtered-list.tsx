/** Long lists: a part of them is drawn, all of them are searched, and what is left out is said. */
import { useState } from "preact/hooks"
import { words } from "../../words/words.ts"

interface FilterProps {
  readonly text: string
  readonly onChange: (text: string) => void
  readonly label?: string
  readonly onKeyDown?: (event: KeyboardEvent) => void
}

export const ListFilter = ({ text, onChange, label = words.filter, onKeyDown }: FilterProps) => (
  <input
    class="grow"
    type="search"
    placeholder={label}
    aria-label={label}
    value={text}
    onInput={(event) => onChange(event.currentTarget.value)}
    onKeyDown={onKeyDown}
  />
)

/** `n`: how many are not drawn; none or fewer: nothing is said. */
export const HiddenRest = ({ n }: { readonly n: number }) => (
  <p class="quiet" role="status">
    {n > 0 && words.moreToFilter(n)}
  </p>
)

/** Lists as short as this are seen whole, and need no filter. */
const fewest = 12

/** Of things in their order, those that have the words in their text, at most so many. */
export const useFilteredList = <Thing,>(things: ReadonlyArray<Thing>, textOf: (thing: Thing) => string, most = 100) => {
  const [text, setText] = useState("")
  const wanted = text.trim().toLowerCase()
  const found = wanted === "" ? things : things.filter((thing) => textOf(thing).toLowerCase().includes(wanted))
  return {
    wanted,
    text,
    setText,
    found: found.slice(0, most),
    filter: <ListFilter text={text} onChange={setText} />,
    filterIfLong: things.length > fewest && <ListFilter text={text} onChange={setText} />,
    rest: <HiddenRest n={found.length - most} />,
  }
}
