/** The box that a message is written in. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { type Conversation, conversationKey, type PageNarrow } from "../../state/model.ts"
import { mayEdit, needsTopic } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { Content } from "../parts/content.tsx"
import { useChat, useFields } from "../parts/hooks.ts"
import { IconButton } from "../parts/icons.tsx"
import { conversationName } from "../parts/place-names.tsx"
import { BoxTools } from "./box-tools.tsx"
import { CompletionList } from "./completion-list.tsx"
import { MessageTarget, TopicField } from "./message-target.tsx"
import { focusNewMessage } from "./new-message.tsx"
import { attach, filesOf, isSend } from "./text-editing.ts"
import { TypingLine } from "./typing-line.tsx"
import { UploadList } from "./upload-list.tsx"
import { useCompletion } from "./use-completion.ts"
import { useDraft } from "./use-draft.ts"

interface Props {
  readonly target: Conversation
  readonly narrow: PageNarrow["kind"]
  /** Files are held above the page. */
  readonly isOver: boolean
}

/** What forbids to send this; empty where nothing does. */
const useFault = (target: Conversation, text: string): string => {
  const state = useFields("limits", "channels", "topicsPolicy")
  const surplus = [...text].length - state.limits.message
  if (surplus > 0) return words.tooLong(surplus)
  const channel = target.kind === "topic" && target.topic === "" ? state.channels.get(target.channel) : undefined
  return channel !== undefined && needsTopic(state, channel) ? words.topicNeeded : ""
}

export const MessageBox = ({ target, narrow, isOver }: Props) => {
  const chat = useChat()
  const state = useFields("people", "self", "channels", "settings")
  const [text, write] = useDraft(target)
  const [caret, setCaret] = useState(0)
  const [preview, setPreview] = useState<string | null>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const fault = useFault(target, text)
  const put = (next: string, at: number) => {
    setCaret(at)
    write(next)
  }
  const completion = useCompletion(text, caret, (next, at) => {
    put(next, at)
    queueMicrotask(() => {
      field.current?.focus()
      field.current?.setSelectionRange(at, at)
    })
  })

  useLayoutEffect(() => {
    const element = field.current
    if (element === null) return
    element.style.height = "auto"
    element.style.height = `${Math.min(element.scrollHeight, innerHeight * 0.4)}px`
  }, [text, preview])
  useEffect(() => {
    // Whoever has chosen a conversation writes next; results of a search come when one may be reading by keys already.
    const { isByKeys, replyTo } = chat.ui.value
    const isWanted = !isByKeys && narrow !== "search" && matchMedia("(pointer: fine)").matches
    if (replyTo !== null || isWanted) field.current?.focus({ preventScroll: true })
  }, [])

  const clear = () => {
    setPreview(null)
    write("")
  }
  const mayNotSend = text.trim() === "" || fault !== ""
  const send = () => {
    if (mayNotSend) return
    chat.send(target, text)
    clear()
    field.current?.focus()
  }
  const leave = () => {
    chat.show({ replyTo: null })
    focusNewMessage()
  }
  const entersSends = state.settings?.enter_sends ?? true
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || completion.onKey(event)) return
    if (event.key === "Escape") field.current?.blur()
    if (event.key === "ArrowUp" && text === "") {
      const now = chat.state.value
      const own = now?.feed?.posts.findLast(({ senderId }) => senderId === now.self.id)
      if (now !== null && own !== undefined && mayEdit(now, own, Date.now() / 1000)) chat.edit(own.id)
    }
    if (!isSend(event, entersSends)) return
    event.preventDefault()
    send()
  }
  const paste = (event: ClipboardEvent) => {
    const files = filesOf(event.clipboardData)
    if (files.length === 0) return
    event.preventDefault()
    attach(chat, target, files)
  }
  const isFeed = narrow !== "conversation" && narrow !== "channel"
  const { offers, picked } = completion
  return (
    <section class={`compose ${isOver ? "over" : ""}`} aria-label={words.write}>
      <TypingLine conversation={target} />
      <div class="box">
        <MessageTarget target={target}>
          {narrow === "channel" && <TopicField target={target} text={text} />}
        </MessageTarget>
        {isFeed && <IconButton class="leave" icon="close" label={words.close} onClick={leave} />}
        {preview === null ? (
          <textarea
            id="write"
            ref={field}
            data-conversation={conversationKey(target)}
            rows={1}
            dir={text === "" ? undefined : "auto"}
            value={text}
            placeholder={words.writeHere}
            aria-label={words.writeTo(conversationName(state, target))}
            aria-autocomplete="list"
            aria-controls={offers.length > 0 ? "offers" : undefined}
            aria-activedescendant={offers.length > 0 ? `offer-${picked}` : undefined}
            onInput={(event) => put(event.currentTarget.value, event.currentTarget.selectionStart)}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={onKey}
            onPaste={paste}
            onFocus={() => chat.ui.value.isByKeys && chat.show({ isByKeys: false })}
            onBlur={() => chat.typing.stop()}
          />
        ) : (
          <div class="preview">
            <Content html={preview} />
          </div>
        )}
        <UploadList conversation={target} />
        {offers.length > 0 && <CompletionList offers={offers} picked={picked} onPick={completion.choose} />}
        <BoxTools
          target={target}
          text={text}
          field={field}
          isPreviewed={preview !== null}
          onPreview={setPreview}
          onClear={clear}
          hint={fault === "" && text !== "" && entersSends ? words.sendHint : ""}
          fault={text === "" ? "" : fault}
          onSend={send}
          mayNotSend={mayNotSend}
        />
      </div>
      {isOver && <p class="drop">{words.dropHere}</p>}
    </section>
  )
}
