/** Sends what was written at a later time. */
import { useState } from "preact/hooks"
import { type Conversation, recipientOf } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useChat } from "../parts/hooks.ts"
import { IconButton } from "../parts/icons.tsx"
import { Popup } from "../parts/popup.tsx"
import { fullTime } from "../parts/times.ts"

/** As a field for local times has it. */
const localTime = (date: Date): string => {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

const inAnHour = (): string => localTime(new Date(Date.now() + 3_600_000))

interface Props {
  readonly target: Conversation
  readonly text: string
  readonly onDone: () => void
}

export const SendLater = ({ target, text, onDone }: Props) => {
  const chat = useChat()
  const [isOpen, setOpen] = useState(false)
  const [when, setWhen] = useState(inAnHour)
  const close = () => setOpen(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    const scheduled_delivery_timestamp = Math.floor(new Date(when).getTime() / 1000)
    const params = { ...recipientOf(target), content: text, scheduled_delivery_timestamp }
    const asked = chat.client.call("POST /scheduled_messages", params)
    if (!(await chat.try(asked))) return
    close()
    onDone()
    chat.say(words.scheduledFor(fullTime(scheduled_delivery_timestamp)))
  }
  return (
    <div class="send-later">
      <IconButton icon="clock" label={words.sendLater} isOpen={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <Popup class="later" label={words.sendLater} role="dialog" isTouch={false} first="input" onClose={close}>
          <form onSubmit={submit}>
            <label>
              <span>{words.sendLater}</span>
              <input
                type="datetime-local"
                required
                min={localTime(new Date())}
                value={when}
                onInput={(event) => setWhen(event.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary" disabled={text.trim() === ""}>
              {words.sendLater}
            </button>
          </form>
        </Popup>
      )}
    </div>
  )
}
