/** What can be done with a message: the first few beside it for the mouse, the others in a menu; for a finger all in a sheet. */
import type { PagePost } from "../../state/model.ts"
import type { MessageAct } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { glyphOf, oftenUsed } from "../parts/emoji.ts"
import { useChat, useChatState } from "../parts/hooks.ts"
import { IconButton, type IconName } from "../parts/icons.tsx"
import { Menu } from "../parts/menu.tsx"
import { Popup } from "../parts/popup.tsx"
import { rove } from "../parts/roving-focus.ts"
import { nameOf, run, useActs } from "./message-acts.ts"

/** These stand beside the message. */
const besides: ReadonlyMap<MessageAct, IconName> = new Map([
  ["react", "smile"],
  ["reply", "reply"],
  ["edit", "edit"],
])

interface QuickProps {
  readonly post: PagePost
  readonly count: number
  readonly tabIndex?: number
  readonly onDone?: () => void
}

/** Emoji that are one press away, called as they are spoken. */
const Quick = ({ post, count, tabIndex, onDone }: QuickProps) => {
  const chat = useChat()
  const self = useChatState((state) => state.self.id)
  const isOwn = (code: string) => post.reactions.some((each) => each.code === code && each.users.includes(self))
  return (
    <>
      {oftenUsed.slice(0, count).map(({ name, code }, at) => (
        <button
          type="button"
          class="icon-button quick"
          key={name}
          tabIndex={tabIndex}
          title={words.reactWith(words.oftenUsed[at] ?? name)}
          aria-label={words.reactWith(words.oftenUsed[at] ?? name)}
          onClick={() => {
            onDone?.()
            chat.react(post.id, name, !isOwn(code))
          }}
        >
          {glyphOf(code)}
        </button>
      ))}
    </>
  )
}

interface MenuProps {
  readonly post: PagePost
  /** Opened by a finger: then it has all, and stands below. */
  readonly isTouch: boolean
  readonly onClose: () => void
}

export const MessageMenu = ({ post, isTouch, onClose }: MenuProps) => {
  const chat = useChat()
  const acts = useActs(post)
  const shown = acts.filter((act) => (isTouch ? act !== "react" : !besides.has(act)))
  const choose = (act: MessageAct) => {
    onClose()
    // What is behind a sheet takes no focus before it is gone.
    queueMicrotask(() => run(chat, act, post))
  }
  return (
    <Popup class="menu" label={words.actions} isTouch={isTouch} first="[role=menuitem]" onClose={onClose}>
      {isTouch && (
        <div class="quicks">
          <Quick post={post} count={6} onDone={onClose} />
          <IconButton icon="smile" label={words.react} onClick={() => choose("react")} />
        </div>
      )}
      <Menu label={words.actions} onClose={onClose}>
        {shown.map((act) => (
          <button type="button" role="menuitem" tabIndex={-1} class={act} key={act} onClick={() => choose(act)}>
            {nameOf(act, post)}
          </button>
        ))}
      </Menu>
    </Popup>
  )
}

interface BarProps {
  readonly post: PagePost
  readonly isOpen: boolean
  readonly isReacting: boolean
  readonly onOpen: (isOpen: boolean) => void
}

/** One stop of the Tab key, which is there at every width: the arrow keys go on in it. */
export const MessageBar = ({ post, isOpen, isReacting, onOpen }: BarProps) => {
  const chat = useChat()
  const acts = useActs(post)
  return (
    <div
      class={`message-actions ${isOpen || isReacting ? "open" : ""}`}
      role="toolbar"
      aria-label={words.actions}
      onKeyDown={(event) => rove(event, event.currentTarget, "button", "row")}
    >
      <Quick post={post} count={3} tabIndex={-1} />
      {acts.map((act) => {
        const icon = besides.get(act)
        if (icon === undefined) return null
        const isShown = act === "react" ? isReacting : undefined
        const press = () => (isShown ? chat.show({ reactingTo: null }) : run(chat, act, post))
        return (
          <IconButton
            key={act}
            icon={icon}
            label={nameOf(act, post)}
            tabIndex={act === "react" ? 0 : -1}
            isOpen={isShown}
            onClick={press}
          />
        )
      })}
      <IconButton icon="more" label={words.more} tabIndex={-1} isOpen={isOpen} onClick={() => onOpen(!isOpen)} />
    </div>
  )
}
