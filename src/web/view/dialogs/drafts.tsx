/** What was begun and not sent, on whatever device. */
import type { Api } from "../../../client/index.ts"
import { placeOf } from "../../live/drafts.ts"
import { linkTo } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"
import { useChat, useState } from "../parts/hooks.ts"
import { conversationName } from "../parts/place-names.tsx"
import { fullTime } from "../parts/times.ts"
import { Dialog } from "./dialog.tsx"

const mostShown = 200

const DraftRow = ({ draft }: { readonly draft: Api.Draft }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const place = placeOf(state.self.id, draft)
  const open = () => {
    if (place !== null) location.hash = linkTo({ kind: "conversation", conversation: place })
    chat.show({ dialog: null })
  }
  return (
    <li>
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
  const drafts = useState((state) => state.drafts)
  const shown = [...drafts.values()].sort((a, b) => b.timestamp - a.timestamp).slice(0, mostShown)
  return (
    <Dialog title={words.drafts}>
      {shown.length === 0 && <p class="quiet">{words.noDrafts}</p>}
      <ul class="rows">
        {shown.map((draft) => (
          <DraftRow key={draft.id} draft={draft} />
        ))}
      </ul>
    </Dialog>
  )
}
