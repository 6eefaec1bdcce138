/** The page of somebody who is signed in. */
import { useEffect } from "preact/hooks"
import type { Dialog } from "../live/ui.ts"
import { countUnread } from "../state/unread.ts"
import { words } from "../words/words.ts"
import { ChannelSettings } from "./dialogs/channel-settings.tsx"
import { AddPeople, Channels, NewChannel } from "./dialogs/channels.tsx"
import { DraftList } from "./dialogs/drafts.tsx"
import { Group, Groups, NewGroup } from "./dialogs/groups.tsx"
import { Keys } from "./dialogs/keys.tsx"
import { Delete, History, Move, Picture, Scheduled } from "./dialogs/message-dialogs.tsx"
import { NewDirect } from "./dialogs/new-direct.tsx"
import { Organization } from "./dialogs/organization.tsx"
import { Profile } from "./dialogs/profile.tsx"
import { Readers } from "./dialogs/readers.tsx"
import { Server } from "./dialogs/server.tsx"
import { Settings } from "./dialogs/settings.tsx"
import { listenToKeys } from "./keyboard.ts"
import { MessageList } from "./list/message-list.tsx"
import { useChat, useState, useStore } from "./parts/hooks.ts"
import { PeoplePanel } from "./people-panel.tsx"
import { PlaceHeader } from "./place-header.tsx"
import { Sidebar } from "./sidebar.tsx"
import { Compose } from "./write/compose.tsx"

const Opened = ({ dialog }: { readonly dialog: Dialog }) => {
  if (dialog.kind === "keys") return <Keys />
  if (dialog.kind === "profile") return <Profile user={dialog.user} />
  if (dialog.kind === "settings") return <Settings />
  if (dialog.kind === "organization") return <Organization />
  if (dialog.kind === "channels") return <Channels />
  if (dialog.kind === "new-channel") return <NewChannel />
  if (dialog.kind === "add-people") return <AddPeople channel={dialog.channel} />
  if (dialog.kind === "channel-settings") return <ChannelSettings key={dialog.channel} channel={dialog.channel} />
  if (dialog.kind === "groups") return <Groups />
  if (dialog.kind === "group") return <Group key={dialog.group} group={dialog.group} />
  if (dialog.kind === "new-group") return <NewGroup />
  if (dialog.kind === "drafts") return <DraftList />
  if (dialog.kind === "readers") return <Readers message={dialog.message} />
  if (dialog.kind === "server") return <Server />
  if (dialog.kind === "new-direct") return <NewDirect />
  if (dialog.kind === "scheduled") return <Scheduled />
  if (dialog.kind === "history") return <History message={dialog.message} />
  if (dialog.kind === "move") return <Move post={dialog.post} />
  if (dialog.kind === "delete") return <Delete post={dialog.post} />
  return <Picture url={dialog.url} />
}

const useTitle = (): void => {
  const title = useState((state) => {
    const { all } = countUnread(state)
    return `${all > 0 ? `(${all}) ` : ""}${state.realmName}`
  })
  useEffect(() => {
    document.title = title
  }, [title])
}

export const Shell = () => {
  const chat = useChat()
  const dialog = useStore(chat.ui, (ui) => ui.dialog)
  const notice = useStore(chat.ui, (ui) => ui.notice)
  const heard = useStore(chat.ui, (ui) => ui.heard)
  const isMenuOpen = useStore(chat.ui, (ui) => ui.isMenuOpen)
  const isAway = useStore(chat.line.isAway, (isAway) => isAway)
  const ended = useStore(chat.ended, (ended) => ended)
  useTitle()
  useEffect(() => listenToKeys(chat), [chat])
  return (
    <div class="shell">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("#messages")?.focus()}>
        {words.skip}
      </button>
      <Sidebar />
      {isMenuOpen && <div class="shade" aria-hidden="true" onPointerDown={() => chat.show({ isMenuOpen: false })} />}
      <main>
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
      <div class="notice" role="status" aria-live="polite">
        {notice !== null && <p>{notice}</p>}
      </div>
      {dialog !== null && <Opened key={dialog.kind} dialog={dialog} />}
    </div>
  )
}
