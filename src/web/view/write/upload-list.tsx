/** Files that are on their way to what one writes here. */
import { type Conversation, conversationKey } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useChat, useStore } from "../parts/hooks.ts"
import { IconButton } from "../parts/icons.tsx"
import { putLink } from "./text-editing.ts"

export const UploadList = ({ conversation }: { readonly conversation: Conversation }) => {
  const chat = useChat()
  const all = useStore(chat.uploads.all, (all) => all)
  const key = conversationKey(conversation)
  const here = all.filter((each) => conversationKey(each.conversation) === key)
  if (here.length === 0) return null
  return (
    <ul class="uploads">
      {here.map(({ key, file, done, fault }) => (
        <li key={key}>
          <span class="name" dir="auto">
            {file.name}
          </span>
          {fault === null ? (
            <progress value={done} aria-label={words.uploading(file.name)} />
          ) : (
            <>
              <span class="fault" role="alert">
                {fault === "" ? words.uploadCut : fault}
              </span>
              <button type="button" onClick={() => chat.uploads.again(key, putLink(chat))}>
                {words.tryAgain}
              </button>
            </>
          )}
          <IconButton icon="close" label={words.leaveOut(file.name)} onClick={() => chat.uploads.drop(key)} />
        </li>
      ))}
    </ul>
  )
}
