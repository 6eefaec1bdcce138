/** Where one writes. What is typed is kept at every key, for each conversation by itself. */
import { useEffect, useLayoutEffect, useState as useOwn, useRef } from "preact/hooks"
import { Store } from "../../live/store.ts"
import { complete, type Offer, offersFor, questionAt } from "../../state/completion.ts"
import { type Conversation, conversationKey, type Narrow, type Post } from "../../state/model.ts"
import { mayPost } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { Content } from "../parts/content.tsx"
import { glyphOf, useEmoji } from "../parts/emoji.ts"
import { EmojiPicker } from "../parts/emoji-picker.tsx"
import { useChat, useState, useStore } from "../parts/hooks.ts"
import { Icon, IconButton } from "../parts/icons.tsx"
import { conversationName } from "../parts/place-names.tsx"
import { Offers } from "./offers.tsx"
import { SendLater } from "./send-later.tsx"
import { Target, TopicField } from "./target.tsx"
import { TypingLine } from "./typing-line.tsx"
import { UploadList } from "./upload-list.tsx"
import { attach, filesOf, insertText } from "./writing.ts"

/** Where a message goes: what is open, or what one replies to, or where the last message is. */
const targetOf = (narrow: Narrow, replyTo: Conversation | null, last: Post | undefined): Conversation | null => {
  if (narrow.kind === "conversation") return narrow.conversation
  if (replyTo !== null) return replyTo
  if (narrow.kind === "channel") return { kind: "topic", channel: narrow.channel, topic: "" }
  return last?.conversation ?? null
}

/** While the state is not there. */
const noGiven = new Store<ReadonlyMap<string, number>>(new Map())

export const Compose = () => {
  const chat = useChat()
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const replyTo = useStore(chat.ui, (ui) => ui.replyTo)
  const last = useState((state) => state.feed?.posts.at(-1))
  const target = targetOf(narrow, replyTo, last)
  const key = target === null ? "" : conversationKey(target)
  const given = useStore(chat.drafts?.given ?? noGiven, (given) => given.get(key) ?? 0)
  const channel = target?.kind === "topic" ? target.channel : null
  const isLet = useState((state) => {
    const found = channel === null ? undefined : state.channels.get(channel)
    return found === undefined || mayPost(state, found)
  })
  if (target === null) return null
  if (!isLet) return <p class="compose closed quiet">{words.mayNotPost}</p>
  return <Box key={`${key} ${given}`} target={target} narrow={narrow.kind} />
}

const Box = ({ target, narrow }: { readonly target: Conversation; readonly narrow: Narrow["kind"] }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const [text, setText] = useOwn(() => chat.drafts?.read(target) ?? "")
  const [caret, setCaret] = useOwn(0)
  const [picked, setPicked] = useOwn(0)
  const [isQuiet, setQuiet] = useOwn(false)
  const [preview, setPreview] = useOwn<string | null>(null)
  const [isPicking, setPicking] = useOwn(false)
  const [isOver, setOver] = useOwn(false)
  const field = useRef<HTMLTextAreaElement>(null)

  const question = isQuiet ? null : questionAt(text, caret)
  const emoji = useEmoji(question?.sign === ":")
  const offers = question === null ? [] : offersFor(state, question, emoji, glyphOf)

  useLayoutEffect(() => {
    const element = field.current
    if (element === null) return
    element.style.height = "auto"
    element.style.height = `${Math.min(element.scrollHeight, innerHeight * 0.4)}px`
  }, [text, preview])
  useEffect(() => {
    // Results of a search come when one may be reading by keys already.
    if (narrow !== "search" && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true })
  }, [])

  const write = (next: string, at: number) => {
    // In a feed of many conversations the box goes along with the last message, but not from under what is being typed.
    if (field.current !== null && chat.ui.value.replyTo === null) chat.show({ replyTo: target })
    setText(next)
    setCaret(at)
    setPicked(0)
    setQuiet(false)
    chat.drafts?.write(target, next)
    if (next !== "") chat.typing.type(target)
  }
  const choose = (offer: Offer) => {
    if (question === null) return
    const done = complete(text, caret, question, offer)
    write(done.text, done.caret)
    queueMicrotask(() => {
      field.current?.focus()
      field.current?.setSelectionRange(done.caret, done.caret)
    })
  }
  const surplus = [...text].length - state.limits.message
  const clear = () => {
    setText("")
    setPreview(null)
    chat.drafts?.write(target, "")
  }
  const send = () => {
    if (text.trim() === "" || surplus > 0) return
    chat.send(target, text)
    clear()
    field.current?.focus()
  }
  const entersSends = state.settings?.enter_sends ?? true
  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing) return
    if (offers.length > 0) {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0
      const offer = offers[picked]
      if (step !== 0) setPicked((picked + step + offers.length) % offers.length)
      else if ((event.key === "Enter" || event.key === "Tab") && offer !== undefined) choose(offer)
      else if (event.key === "Escape") setQuiet(true)
      else return
      event.preventDefault()
      event.stopPropagation()
      return
    }
    if (event.key === "Escape") field.current?.blur()
    if (event.key === "ArrowUp" && text === "") {
      const own = state.feed?.posts.findLast(({ senderId }) => senderId === state.self.id)
      if (own !== undefined) chat.show({ editing: own.id })
    }
    if (event.key !== "Enter" || event.shiftKey) return
    if (!entersSends && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    send()
  }
  const take = (event: Event, data: DataTransfer | null) => {
    const files = filesOf(data)
    if (files.length === 0) return
    event.preventDefault()
    attach(chat, target, files)
  }
  const showPreview = () => {
    if (preview !== null) return setPreview(null)
    void chat.try(
      chat.client.call("POST /messages/render", { content: text }).then(({ rendered }) => setPreview(rendered)),
    )
  }
  const name = conversationName(state, target)
  return (
    <section
      class={`compose ${isOver ? "over" : ""}`}
      aria-label={words.write}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event, event.dataTransfer)
      }}
    >
      <TypingLine conversation={target} />
      <div class="box">
        <Target target={target}>{narrow === "channel" && <TopicField target={target} text={text} />}</Target>
        {preview === null ? (
          <textarea
            id="write"
            ref={field}
            data-conversation={conversationKey(target)}
            rows={1}
            dir={text === "" ? undefined : "auto"}
            value={text}
            placeholder={words.writeHere}
            aria-label={words.writeTo(name)}
            aria-autocomplete="list"
            aria-controls={offers.length > 0 ? "offers" : undefined}
            aria-activedescendant={offers.length > 0 ? `offer-${picked}` : undefined}
            onInput={(event) => write(event.currentTarget.value, event.currentTarget.selectionStart)}
            onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
            onKeyDown={onKey}
            onPaste={(event) => take(event, event.clipboardData)}
            onBlur={() => chat.typing.stop()}
          />
        ) : (
          <div class="preview">
            <Content html={preview} />
          </div>
        )}
        <UploadList conversation={target} />
        {offers.length > 0 && <Offers offers={offers} picked={picked} onPick={choose} />}
        <div class="compose-tools">
          <label class="icon-button" title={words.attach}>
            <span class="unseen">{words.attach}</span>
            <input
              type="file"
              multiple
              class="unseen"
              onChange={(event) => {
                attach(chat, target, event.currentTarget.files ?? [])
                event.currentTarget.value = ""
              }}
            />
            <Icon name="clip" />
          </label>
          <IconButton icon="smile" label={words.emoji} onClick={() => setPicking(!isPicking)} />
          <IconButton
            icon="eye"
            label={preview === null ? words.preview : words.write}
            isOn={preview !== null}
            onClick={showPreview}
          />
          <SendLater target={target} text={text} onDone={clear} />
          <span class="quiet grow">
            {surplus > 0 ? <b class="fault">{words.tooLong(surplus)}</b> : text !== "" && entersSends && words.sendHint}
          </span>
          <button type="button" class="primary send" disabled={text.trim() === "" || surplus > 0} onClick={send}>
            {words.send}
          </button>
        </div>
        {isPicking && (
          <EmojiPicker
            onClose={() => setPicking(false)}
            onPick={({ name }) => {
              setPicking(false)
              if (field.current !== null) insertText(field.current, `:${name}: `)
              field.current?.focus()
            }}
          />
        )}
      </div>
      {isOver && <p class="drop">{words.dropHere}</p>}
    </section>
  )
}
