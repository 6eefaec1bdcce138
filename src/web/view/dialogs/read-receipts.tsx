/** Who has read a message, of those who let others know. */
import { useEffect, useState } from "preact/hooks"
import { byName, personText } from "../../state/people.ts"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { useFilteredList } from "../parts/filtered-list.tsx"
import { useChat, useChatState } from "../parts/hooks.ts"
import { Dialog } from "./dialog.tsx"

export const ReadReceipts = ({ message }: { readonly message: number }) => {
  const chat = useChat()
  const people = useChatState((state) => state.people)
  const [readers, setReaders] = useState<ReadonlyArray<number> | null>(null)
  useEffect(() => {
    const asked = chat.client.call("GET /messages/{message_id}/read_receipts", { message_id: message })
    void chat.try(asked.then(({ user_ids }) => setReaders(user_ids.map(Number))))
  }, [message])
  const known = (readers ?? []).flatMap((id) => people.get(id) ?? []).sort(byName)
  const { found, filterIfLong, rest } = useFilteredList(known, personText)
  return (
    <Dialog title={words.readBy} class="narrow">
      {readers !== null && (
        <p class="quiet" role="status">
          {words.readers(readers.length)}
        </p>
      )}
      {filterIfLong}
      <ul class="rows">
        {found.map(({ id, name, avatarUrl }) => (
          <li key={id}>
            <Avatar url={avatarUrl} name={name} id={id} size="small" />
            <button type="button" class="bare" onClick={() => chat.show({ dialog: { kind: "profile", user: id } })}>
              {name}
            </button>
          </li>
        ))}
      </ul>
      {rest}
    </Dialog>
  )
}
