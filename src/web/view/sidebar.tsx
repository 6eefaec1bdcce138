/** Where one can go: feeds, channels with their topics, and conversations. */
import { useLayoutEffect, useRef } from "preact/hooks"
import { Observable } from "../live/observable.ts"
import type { PendingSend } from "../live/pending-sends.ts"
import type { Conversation, PageChannel, PageNarrow } from "../state/model.ts"
import { conversationKey } from "../state/model.ts"
import { channelOf, narrowKey, topicNarrow } from "../state/narrow.ts"
import { countUnread, inBarOrder, isMuted, unreadIn } from "../state/unread.ts"
import { words } from "../words/words.ts"
import { Directs } from "./directs.tsx"
import { Avatar } from "./parts/avatar.tsx"
import { useChat, useChatState, useFields, useStore } from "./parts/hooks.ts"
import { Icon, IconButton, type IconName } from "./parts/icons.tsx"
import { memo } from "./parts/memoized-view.ts"
import { ChannelSign, topicName } from "./parts/place-names.tsx"
import { Count, PlaceLink } from "./place-link.tsx"

/** While the state is not there. */
const noPending = new Observable<ReadonlyArray<PendingSend>>([])

const feeds: ReadonlyArray<{ readonly narrow: PageNarrow; readonly icon: IconName; readonly name: string }> = [
  { narrow: { kind: "all" }, icon: "all", name: words.all },
  { narrow: { kind: "mentions" }, icon: "at", name: words.mentions },
  { narrow: { kind: "starred" }, icon: "star", name: words.starred },
]

/** Of a channel: so many of the newest, and so many in all with those where something is unread. */
const mostTopics = 8
const mostUnreadTopics = 30

const Topics = ({ channel, here }: { readonly channel: PageChannel; readonly here: string }) => {
  const state = useFields("topics", "unread", "channels", "topicPolicies")
  const all = (state.topics.get(channel.id) ?? []).map(({ name }) => {
    const conversation: Conversation = { kind: "topic", channel: channel.id, topic: name }
    return { name, conversation, unread: unreadIn(state, conversation) }
  })
  const topics = all.filter(({ unread }, n) => n < mostTopics || unread > 0).slice(0, mostUnreadTopics)
  return (
    <ul class="topics">
      {topics.map(({ name, conversation, unread }) => {
        const quiet = isMuted(state, conversation)
        return (
          <li key={name}>
            <PlaceLink
              narrow={topicNarrow(channel.id, name)}
              isHere={here === conversationKey(conversation)}
              class={quiet ? "topic muted" : "topic"}
            >
              <span class="name" dir="auto">
                {topicName(name)}
              </span>
              <Count n={unread} isQuiet={quiet} />
            </PlaceLink>
          </li>
        )
      })}
    </ul>
  )
}

interface ChannelProps {
  readonly channel: PageChannel
  readonly unread: number
  readonly isHere: boolean
}

const ChannelLink = memo(({ channel, unread, isHere }: ChannelProps) => (
  <PlaceLink narrow={{ kind: "channel", channel: channel.id }} isHere={isHere} class={channel.isMuted ? "muted" : ""}>
    <ChannelSign color={channel.color} isPrivate={channel.isPrivate} />
    <span class="name" dir="auto">
      {channel.name}
    </span>
    <Count n={unread} isQuiet={channel.isMuted} />
  </PlaceLink>
))

const Channels = ({ here, narrow }: { readonly here: string; readonly narrow: PageNarrow }) => {
  const chat = useChat()
  const state = useFields("channels", "unread", "topicPolicies")
  const counts = countUnread(state)
  const open = channelOf(narrow)
  const channels = [...state.channels.values()].filter(({ isSubscribed, isArchived }) => isSubscribed && !isArchived)
  return (
    <section aria-labelledby="channels">
      <header>
        <h2 id="channels">{words.channels}</h2>
        <IconButton icon="plus" label={words.allChannels} onClick={() => chat.show({ dialog: { kind: "channels" } })} />
      </header>
      <ul>
        {channels.sort(inBarOrder).map((channel) => (
          <li key={channel.id}>
            <ChannelLink
              channel={channel}
              unread={counts.channels.get(channel.id) ?? 0}
              isHere={here === narrowKey({ kind: "channel", channel: channel.id })}
            />
            {open === channel.id && <Topics channel={channel} here={here} />}
          </li>
        ))}
      </ul>
    </section>
  )
}

const Self = () => {
  const chat = useChat()
  const self = useChatState((state) => state.people.get(state.self.id))
  const isAdmin = useChatState((state) => state.self.isAdmin)
  return (
    <footer>
      <button
        type="button"
        class="place"
        onClick={() => self !== undefined && chat.show({ dialog: { kind: "profile", user: self.id } })}
      >
        <Avatar url={self?.avatarUrl ?? null} name={self?.name ?? "?"} id={self?.id ?? 0} size="small" />
        <span class="name" dir="auto">
          {self?.name}
        </span>
      </button>
      {isAdmin && (
        <IconButton
          icon="people"
          label={words.organization}
          onClick={() => chat.show({ dialog: { kind: "organization" } })}
        />
      )}
      <IconButton icon="gear" label={words.settings} onClick={() => chat.show({ dialog: { kind: "settings" } })} />
    </footer>
  )
}

/** Messages that the server did not take: seen from everywhere, because what one has sent is looked at no more. */
const Refused = () => {
  const chat = useChat()
  const pending = useStore(chat.outbox?.pending ?? noPending, (pending) => pending)
  const refused = pending.filter(({ fault }) => fault !== null)
  const [first] = refused
  if (first === undefined) return null
  return (
    <li>
      <PlaceLink narrow={{ kind: "conversation", conversation: first.conversation }} isHere={false} class="fault">
        <Icon name="close" />
        <span class="name">{words.notSent}</span>
        <span class="count">{refused.length}</span>
      </PlaceLink>
    </li>
  )
}

/**
 * Above the page, where there is no room beside it: the focus goes into it, and back to its opener. Where there is room again it
 * stands beside the page as ever.
 */
const useMenu = (isOpen: boolean) => {
  const chat = useChat()
  const place = useRef<HTMLElement>(null)
  useLayoutEffect(() => {
    const menu = place.current
    if (!isOpen || menu === null) return
    menu.querySelector<HTMLElement>(".scroll .place")?.focus()
    const phone = matchMedia("(max-width: 720px)")
    const close = () => chat.show({ isMenuOpen: false })
    phone.addEventListener("change", close)
    return () => {
      phone.removeEventListener("change", close)
      if (menu.contains(document.activeElement) || document.activeElement === document.body)
        document.querySelector<HTMLElement>(".place-header > .phone")?.focus()
    }
  }, [isOpen])
  return place
}

export const Sidebar = () => {
  const chat = useChat()
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const isOpen = useStore(chat.ui, (ui) => ui.isMenuOpen)
  const realmName = useChatState((state) => state.realmName)
  const state = useFields("channels", "unread", "topicPolicies", "unreadMentions", "drafts")
  const place = useMenu(isOpen)
  const here = narrowKey(narrow)
  const counts = { all: countUnread(state).all, mentions: state.unreadMentions.size, starred: 0 }
  return (
    <nav class={`sidebar ${isOpen ? "open" : ""}`} ref={place} aria-label={words.menu}>
      <header class="realm">
        <span class="mark" aria-hidden="true" />
        <strong>{realmName}</strong>
        <IconButton icon="clock" label={words.scheduled} onClick={() => chat.show({ dialog: { kind: "scheduled" } })} />
        <IconButton class="phone" icon="close" label={words.close} onClick={() => chat.show({ isMenuOpen: false })} />
      </header>
      <div class="scroll">
        <ul>
          {feeds.map(({ narrow, icon, name }) => (
            <li key={name}>
              <PlaceLink narrow={narrow} isHere={narrowKey(narrow) === here}>
                <Icon name={icon} />
                <span class="name">{name}</span>
                <Count n={narrow.kind === "all" ? counts.all : narrow.kind === "mentions" ? counts.mentions : 0} />
              </PlaceLink>
            </li>
          ))}
          <Refused />
          {state.drafts.size > 0 && (
            <li>
              <button
                type="button"
                class="place bare"
                onClick={() => chat.show({ dialog: { kind: "drafts" }, isMenuOpen: false })}
              >
                <Icon name="edit" />
                <span class="name">{words.drafts}</span>
                <span class="count muted">{state.drafts.size}</span>
              </button>
            </li>
          )}
        </ul>
        <Channels here={here} narrow={narrow} />
        <Directs here={here} />
      </div>
      <Self />
    </nav>
  )
}
