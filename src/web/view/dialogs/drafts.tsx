/** What was begun and not sent, on whatever device. */
import type { Api } from "../../../client/index.ts"
import { draftKey } from "../../live/drafts.ts"
import { linkTo } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"
import { useFilteredList } from "../parts/filtered-list.tsx"
import { useHandOn } from "../parts/hand-on-focus.ts"
import { useChat, useFields } from "../parts/hooks.ts"
import { conversationName } from "../parts/place-names.tsx"
import { fullTime } from "../parts/times.ts"
import { Dialog } from "./dialog.tsx"

const DraftRow = ({ draft }: { readonly draft: Api.Draft }) => {
  const chat = useChat()
  const state = useFields("people", "self", "channels")
  const place = draftKey(state.self.id, draft)
  const row = useHandOn<HTMLLIElement>()
  const open = () => {
    if (place !== null) location.hash = linkTo({ kind: "conversation", conversation: place })
    chat.show({ dialog: null })
  }
  return (
    <li ref={row}>
      <div class="grow">
        <p class="quiet">
          {place !== null && <b>{conversationName(state, place)}</b>} {fullTime(draft.timestamp)}
        </p>
        <p class="excerpt" dir="auto">
          {draft.content}
        </p>
      </div>
      {place !== null && (
        <button type="button" class="primary" onClick={open}>
          {words.goOn}
        </button>
      )}
      <button type="button" onClick={() => void chat.try(chat.drafts?.drop(draft) ?? Promise.resolve())}>
        {words.remove}
      </button>
    </li>
  )
}

export const DraftList = () => {
  const state = useFields("drafts", "people", "self", "channels")
  const newestFirst = [...state.drafts.values()].sort((a, b) => b.timestamp - a.timestamp)
  const textOf = (draft: Api.Draft): string => {
    const place = draftKey(state.self.id, draft)
    return `${place === null ? "" : conversationName(state, place)} ${draft.content}`
  }
  const { found, filterIfLong, rest } = useFilteredList(newestFirst, textOf)
  return (
    <Dialog title={words.drafts}>
      {newestFirst.length === 0 && <p class="quiet">{words.noDrafts}</p>}
      {filterIfLong}
      <ul class="rows">
        {found.map((draft) => (
          <DraftRow key={draft.id} draft={draft} />
        ))}
      </ul>
      {rest}
    </Dialog>
  )
}
