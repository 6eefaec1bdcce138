/**
 * The messages of a place. The list holds a window of them (state/feed.ts), whatever is scrolled through: what comes in at one
 * end lets go at the other, and what one looks at stays where it is.
 */
import { useEffect, useLayoutEffect, useMemo, useState as useOwn, useRef } from "preact/hooks"
import type { Pending } from "../../live/outbox.ts"
import { Store } from "../../live/store.ts"
import type { Conversation, Feed, State } from "../../state/model.ts"
import { conversationKey } from "../../state/model.ts"
import { linkTo, narrowKey } from "../../state/narrow.ts"
import { type Row, rowsOf } from "../../state/rows.ts"
import { words } from "../../words/words.ts"
import { useChat, useState, useStore } from "../parts/hooks.ts"
import { Icon } from "../parts/icons.tsx"
import { ChannelSign, channelName, directName, topicName } from "../parts/place-names.tsx"
import { dayName, dayOf } from "../parts/times.ts"
import { Message } from "./message.tsx"
import { PendingMessage } from "./pending-message.tsx"
import { Scroll } from "./scroll.ts"

const PlaceBar = ({ conversation }: { readonly conversation: Conversation }) => {
  const state = useState((state) => state)
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
const pendingIn = (feed: Feed, pending: ReadonlyArray<Pending>): ReadonlyArray<Pending> => {
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
const noPending = new Store<ReadonlyArray<Pending>>([])

const Empty = ({ isSearch }: { readonly isSearch: boolean }) => (
  <div class="empty">
    <p>{isSearch ? words.nothingFound : words.nothingHere}</p>
    <p class="quiet">{isSearch ? words.nothingFoundHint : words.nothingHereHint}</p>
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

const RowView = ({ row, state }: { readonly row: Row; readonly state: State }) => {
  const chat = useChat()
  const ui = useStore(chat.ui, (ui) => ui)
  if (row.kind === "day") return <p class="day">{dayName(row.time)}</p>
  if (row.kind === "unread")
    return (
      <p class="unread-line">
        <span>{words.newMessages}</span>
      </p>
    )
  if (row.kind === "place") return <PlaceBar conversation={row.conversation} />
  const { id } = row.post
  return (
    <Message
      post={row.post}
      isFollowing={row.isFollowing}
      isSelected={ui.selected === id}
      isEditing={ui.editing === id}
      isReacting={ui.reactingTo === id}
      is24={state.settings?.twenty_four_hour_time ?? false}
    />
  )
}

const firstUnreadOf = (feed: Feed): number | null => feed.posts.find(({ flags }) => !flags.has("read"))?.id ?? null

const List = ({ feed }: { readonly feed: Feed }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const pending = useStore(chat.outbox?.pending ?? noPending, (pending) => pending)
  const near = useStore(chat.ui, (ui) => ui.place.near)
  const fault = useStore(chat.ui, (ui) => ui.fault)
  const [isFar, setFar] = useOwn(false)
  // The line stays where it was as one came in, though what is below it is read by now.
  const [firstUnread] = useOwn(() => firstUnreadOf(feed))
  const place = useRef<HTMLElement>(null)
  const scroll = useRef<Scroll | null>(null)
  const rows = useMemo(() => rowsOf(feed.narrow, feed.posts, dayOf, firstUnread), [feed, firstUnread])
  const waiting = pendingIn(feed, pending)

  useEffect(() => {
    if (place.current === null) return
    const made = new Scroll(place.current, {
      onEdge: (where) => void chat.reading.more(where),
      onSeen: (id) => {
        const post = chat.state.value?.feed?.posts.find((each) => each.id === id)
        if (post !== undefined && !post.flags.has("read")) chat.marks.see(id)
      },
      onFar: setFar,
    })
    scroll.current = made
    made.begin(near ?? firstUnread, near !== null)
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
            <RowView key={row.key} row={row} state={state} />
          ))}
          {waiting.map((each) => (
            <PendingMessage key={each.localId} pending={each} />
          ))}
          {rows.length === 0 && waiting.length === 0 && fault === null && (
            <Empty isSearch={feed.narrow.kind === "search"} />
          )}
        </div>
      </section>
      {(isFar || !feed.hasNewest) && (
        <button type="button" class="to-newest" onClick={toNewest}>
          <Icon name="down" />
          {words.toNewest}
        </button>
      )}
    </>
  )
}

export const MessageList = () => {
  const chat = useChat()
  const feed = useState((state) => state.feed)
  const place = useStore(chat.ui, (ui) => ui.place)
  if (feed === null || narrowKey(feed.narrow) !== narrowKey(place.narrow))
    return (
      <div class="messages" aria-busy="true">
        <p class="loading quiet" role="status">
          {words.loading}
        </p>
      </div>
    )
  return <List key={`${narrowKey(feed.narrow)} ${place.near}`} feed={feed} />
}
