/** What is typed into a conversation, kept at every key; it changes by itself where another tab, or a message that was not sent, changes it. */
import { useLayoutEffect, useState } from "preact/hooks"
import { Observable } from "../../live/observable.ts"
import { type Conversation, conversationKey } from "../../state/model.ts"
import { useChat, useStore } from "../parts/hooks.ts"

/** While the state is not there. */
const noGiven = new Observable<ReadonlyMap<string, number>>(new Map())

export const useDraft = (target: Conversation): readonly [text: string, write: (text: string) => void] => {
  const chat = useChat()
  const read = () => chat.drafts?.read(target) ?? ""
  const key = conversationKey(target)
  const given = useStore(chat.drafts?.given ?? noGiven, (given) => given.get(key) ?? 0)
  const [text, setText] = useState(read)
  useLayoutEffect(() => setText(read()), [key, given])
  const write = (next: string) => {
    setText(next)
    chat.drafts?.write(target, next)
    if (next !== "") chat.typing.type(target)
  }
  return [text, write]
}
