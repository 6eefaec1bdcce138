/**
 * The messages of a place. The list holds a window of them (state/feed.ts), whatever is scrolled through: what comes in at one
 * end lets go at the other, and what one looks at stays where it is.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { Observable } from "../../live/observable.ts"
import type { PendingSend } from "../../live/pending-sends.ts"
import { type MessageRow, rowsOf } from "../../state/message-rows.ts"
import type { Conversation, PageFeed, PageNarrow } from "../../state/model.ts"
import { conversationKey } from "../../state/model.ts"
import { channelOf, linkTo, narrowKey } from "../../state/narrow.ts"
import { mayPost } from "../../state/rights.ts"
import { words } from "../../words/words.ts"
import { useChat, useChatState, useFields, useStore } from "../parts/hooks.ts"
import { Icon } from "../parts/icons.tsx"
import { ChannelSign, channelName, directName, topicName } from "../parts/place-names.tsx"
import { dayName, dayOf } from "../parts/times.ts"
import { useIsEdited } from "../write/edit-box.tsx"
import { Message } from "./message.tsx"
import { PendingMessage } from "./pending-message.tsx"
import { ScrollKeeper } from "./scroll-keeper.ts"

const PlaceBar = ({ conversation }: { readonly conversation: Conversation }) => {
  const state = useFields("people", "self", "channels")
  const href = linkTo({ kind: "conversation", conversation })
  if (conversation.kind === "direct")
    return (
      <h2 class="place-bar">
        <a href={href}>{directName(state, conversation.users)}</a>
      </h2>
    )
  const channel = state.channels.get(conversation.channel)
  return (
    <h2 class="place-bar">
      <ChannelSign color={channel?.color ?? "#7a8699"} isPrivate={channel?.isPrivate ?? false} />
      <a href={linkTo({ kind: "channel", channel: conversation.channel })}>
        {channelName(state, conversation.channel)}
      </a>
      <span class="step" aria-hidden="true">
        ›
      </span>
      <a href={href}>{topicName(conversation.topic)}</a>
    </h2>
  )
}

/** What is being sent here: in a feed of many conversations all of it. */
const pendingIn = (feed: PageFeed, pending: ReadonlyArray<PendingSend>): ReadonlyArray<PendingSend> => {
  const known = new Set(feed.posts.slice(-50).map(({ id }) => id))
  const { narrow } = feed
  return pending.filter(({ id, conversation }) => {
    if (id !== null && known.has(id)) return false
    if (narrow.kind === "all") return true
    if (narrow.kind === "channel") return conversation.kind === "topic" && conversation.channel === narrow.channel
    return narrow.kind === "conversation" && conversationKey(conversation) === conversationKey(narrow.conversation)
  })
}

/** While the state is not there. */
const noPending = new Observable<ReadonlyArray<PendingSend>>([])

const Note = ({ title, children }: { readonly title: string; readonly children: preact.ComponentChildren }) => (
  <div class="empty">
    <p>{title}</p>
    <p class="quiet">{children}</p>
  </div>
)

/** Nothing is there: what could be. */
export const EmptyPlace = ({
  narrow,
  isEmptied = false,
}: {
  readonly narrow: PageNarrow
  readonly isEmptied?: boolean
}) => {
  const state = useFields("people", "self", "groups", "permissions", "channels")
  if (isEmptied && narrow.kind === "conversation") return <Note title={words.emptied}>{words.emptiedHint}</Note>
  if (narrow.kind === "conversation" && narrow.conversation.kind === "direct")
    return <Note title={words.empty.place[0]}>{words.emptyDirect(directName(state, narrow.conversation.users))}</Note>
  const channel = state.channels.get(channelOf(narrow) ?? 0)
  const place = channel === undefined || channel.isArchived || !mayPost(state, channel) ? "closed" : "place"
  const kind = narrow.kind === "channel" || narrow.kind === "conversation" ? place : narrow.kind
  const [title, hint] = words.empty[kind]
  return <Note title={title ?? ""}>{hint}</Note>
}

/** A channel that one may not see, any more or at all. */
export const LostPlace = () => (
  <div class="messages" id="messages" tabIndex={-1}>
    <div class="column">
      <Note title={words.channelLost}>
        <a href={linkTo({ kind: "all" })}>{words.toAll}</a>
      </Note>
    </div>
  </div>
)

/** Messages could not be read. */
const Fault = ({ fault }: { readonly fault: string }) => {
  const chat = useChat()
  return (
    <p class="row" role="alert">
      <span class="fault">{fault}</span>
      <button type="button" onClick={() => void chat.reading.open(chat.ui.value.place)}>
        {words.tryAgain}
      </button>
    </p>
  )
}

const RowView = ({ row }: { readonly row: MessageRow<PendingSend> }) => {
  const chat = useChat()
  const is24 = useChatState(({ settings }) => settings?.twenty_four_hour_time ?? false)
  const id = row.kind === "post" ? row.post.id : 0
  const isSelected = useStore(chat.ui, (ui) => ui.selected === id)
  const isReacting = useStore(chat.ui, (ui) => ui.reactingTo === id)
  const isEditing = useIsEdited(id)
  if (row.kind === "day") return <p class="day">{dayName(row.time)}</p>
  if (row.kind === "unread")
    return (
      <p class="unread-line">
        <span>{words.newMessages}</span>
      </p>
    )
  if (row.kind === "place") return <PlaceBar conversation={row.conversation} />
  if (row.kind === "waiting") return <PendingMessage pending={row.waiting} isFollowing={row.isFollowing} />
  return (
    <Message
      post={row.post}
      isFollowing={row.isFollowing}
      isSelected={isSelected}
      isEditing={isEditing}
      isReacting={isReacting}
      is24={is24}
    />
  )
}

const firstUnreadOf = (feed: PageFeed): number | null => feed.posts.find(({ flags }) => !flags.has("read"))?.id ?? null

const List = ({ feed }: { readonly feed: PageFeed }) => {
  const chat = useChat()
  const pending = useStore(chat.outbox?.pending ?? noPending, (pending) => pending)
  const { near } = chat.ui.value.place
  const fault = useStore(chat.ui, (ui) => ui.fault)
  const [isFar, setFar] = useState(false)
  // The line stays where it was as one came in, though what is below it is read by now.
  const [firstUnread] = useState(() => firstUnreadOf(feed))
  const place = useRef<HTMLElement>(null)
  const scroll = useRef<ScrollKeeper | null>(null)
  const self = useChatState((state) => state.self.id)
  const waiting = useMemo(() => pendingIn(feed, pending), [feed, pending])
  const rows = useMemo(
    () => rowsOf(feed.narrow, feed.posts, dayOf, firstUnread, waiting, self),
    [feed, firstUnread, waiting, self],
  )

  useEffect(() => {
    if (place.current === null) return
    const made = new ScrollKeeper(place.current, {
      onEdge: (where) => void chat.reading.more(where),
      onSeen: (id) => {
        const post = chat.state.value?.feed?.posts.find((each) => each.id === id)
        if (post !== undefined && !post.flags.has("read")) chat.marks.see(id)
      },
      onFar: setFar,
      onAnchor: (anchor) => {
        chat.anchors.now = anchor
      },
    })
    scroll.current = made
    const { at } = chat.ui.value
    if (at === null) made.begin(near ?? firstUnread, near !== null)
    else made.comeBack(at)
    return () => made.end()
  }, [])
  const sent = useRef(waiting.length)
  useLayoutEffect(() => {
    // Whoever sends wants to see it, wherever they had scrolled to.
    if (waiting.length > sent.current) scroll.current?.stick()
    sent.current = waiting.length
    scroll.current?.settle(feed.hasNewest)
  }, [rows, waiting.length])

  const toNewest = () => {
    scroll.current?.stick()
    if (feed.hasNewest) scroll.current?.settle(true)
    else void chat.reading.newest()
  }
  return (
    <>
      <section class="messages" id="messages" ref={place} tabIndex={-1} aria-label={words.messages}>
        <div class="column">
          {fault !== null && <Fault fault={fault} />}
          {feed.hasOldest && rows.length > 0 && <p class="beginning">{words.beginning}</p>}
          {rows.map((row) => (
            <RowView key={row.key} row={row} />
          ))}
          {rows.length === 0 && fault === null && (
            <EmptyPlace narrow={feed.narrow} isEmptied={feed.isEmptied ?? false} />
          )}
        </div>
      </section>
      {(isFar || !feed.hasNewest) && (
        <div class="newest">
          <button type="button" class="to-newest" onClick={toNewest}>
            <Icon name="down" />
            {words.toNewest}
          </button>
        </div>
      )}
    </>
  )
}

export const MessageList = () => {
  const chat = useChat()
  const feed = useChatState((state) => state.feed)
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const beginning = useStore(chat.ui, (ui) => `${ui.visit} ${ui.turn}`)
  const isRead = useStore(chat.ui, (ui) => ui.readVisit === ui.visit)
  const channel = channelOf(narrow)
  const isLost = useChatState(({ channels }) => channel !== null && !channels.has(channel))
  if (isLost) return <LostPlace />
  if (feed === null || !isRead || narrowKey(feed.narrow) !== narrowKey(narrow))
    return (
      <div class="messages" aria-busy="true">
        <p class="loading quiet" role="status">
          {words.loading}
        </p>
      </div>
    )
  return <List key={beginning} feed={feed} />
}
