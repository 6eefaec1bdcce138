/** Who has read a message, of those who let others know. */
import { useEffect, useState as useOwn } from "preact/hooks"
import { words } from "../../words/words.ts"
import { Avatar } from "../parts/avatar.tsx"
import { useChat, useState } from "../parts/hooks.ts"
import { Dialog } from "./dialog.tsx"

const mostShown = 200

export const Readers = ({ message }: { readonly message: number }) => {
  const chat = useChat()
  const people = useState((state) => state.people)
  const [readers, setReaders] = useOwn<ReadonlyArray<number> | null>(null)
  useEffect(() => {
    const asked = chat.client.call("GET /messages/{message_id}/read_receipts", { message_id: message })
    void chat.try(asked.then(({ user_ids }) => setReaders(user_ids.map(Number))))
  }, [message])
  const shown = (readers ?? [])
    .flatMap((id) => people.get(id) ?? [])
    .sort((a, b) => a.name.localeCompare(b.name))
    .slice(0, mostShown)
  return (
    <Dialog title={words.readBy} class="narrow">
      {readers !== null && (
        <p class="quiet" role="status">
          {words.readers(readers.length)}
        </p>
      )}
      <ul class="rows">
        {shown.map(({ id, name, avatarUrl }) => (
          <li key={id}>
            <Avatar url={avatarUrl} name={name} id={id} size="small" />
            <button type="button" class="bare" onClick={() => chat.show({ dialog: { kind: "profile", user: id } })}>
              {name}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
