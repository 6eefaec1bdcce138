/** The page of somebody who is signed in. */
import { useEffect, useState } from "preact/hooks"
import { countUnread } from "../state/unread.ts"
import { words } from "../words/words.ts"
import { listenToKeys } from "./keyboard.ts"
import { MessageList } from "./list/message-list.tsx"
import { useChat, useChatState, useStore } from "./parts/hooks.ts"
import { Notice, useTop } from "./parts/notice.tsx"
import { narrowName } from "./parts/place-names.tsx"
import { useOpener } from "./parts/restore-focus.ts"
import { PeoplePanel } from "./people-panel.tsx"
import { PlaceHeader } from "./place-header.tsx"
import { Sidebar } from "./sidebar.tsx"
import { Compose } from "./write/compose.tsx"

/** Dialogs are half of the script, and nobody needs them to read: they come when the rest is there. */
const useDialogs = () => {
  const chat = useChat()
  const [dialogs, setDialogs] = useState<typeof import("./dialogs/open-dialog.tsx") | null>(null)
  useEffect(() => {
    import("./dialogs/open-dialog.tsx").then(setDialogs, () => chat.say(words.loadAgainHint))
  }, [])
  return dialogs
}

const useTitle = (): void => {
  const narrow = useStore(useChat().ui, (ui) => ui.place.narrow)
  const title = useChatState((state) => {
    const { all } = countUnread(state)
    return `${all > 0 ? `(${all}) ` : ""}${narrowName(state, narrow)} · ${state.realmName}`
  })
  useEffect(() => {
    document.title = title
  }, [title])
}

export const Shell = () => {
  const chat = useChat()
  const dialog = useStore(chat.ui, (ui) => ui.dialog)
  const top = useTop()
  const dialogs = useDialogs()
  const heard = useStore(chat.ui, (ui) => ui.heard)
  const isMenuOpen = useStore(chat.ui, (ui) => ui.isMenuOpen)
  const isAway = useStore(chat.line.isAway, (isAway) => isAway)
  const ended = useStore(chat.ended, (ended) => ended)
  useTitle()
  useOpener(dialog !== null)
  useEffect(() => listenToKeys(chat), [chat])
  return (
    <div class="shell">
      <button
        type="button"
        class="skip"
        inert={isMenuOpen}
        onClick={() => document.querySelector<HTMLElement>("#messages")?.focus()}
      >
        {words.skip}
      </button>
      <Sidebar />
      {isMenuOpen && <div class="shade" aria-hidden="true" onPointerDown={() => chat.show({ isMenuOpen: false })} />}
      <main inert={isMenuOpen}>
        <div class="banner" role="status">
          {ended !== null ? (
            <p>
              {words.endedBecause(ended)}{" "}
              <button type="button" onClick={() => location.reload()}>
                {words.loadAgain}
              </button>
            </p>
          ) : (
            isAway && <p>{words.away}</p>
          )}
        </div>
        <PlaceHeader />
        <MessageList />
        <Compose />
      </main>
      <PeoplePanel />
      <p class="unseen" role="log" aria-live="polite">
        {heard}
      </p>
      <Notice isTop={top === "page"} />
      {dialog !== null && dialogs !== null && <dialogs.OpenDialog key={dialog.kind} dialog={dialog} />}
    </div>
  )
}
