/** Where one can go: feeds, channels with their topics, and conversations. */
import type { Channel, Conversation, Narrow } from "../state/model.ts"
import { conversationKey } from "../state/model.ts"
import { channelOf, narrowKey, topicNarrow } from "../state/narrow.ts"
import { countUnread, isMuted, unreadIn } from "../state/unread.ts"
import { words } from "../words/words.ts"
import { Directs } from "./directs.tsx"
import { Avatar } from "./parts/avatar.tsx"
import { useChat, useState, useStore } from "./parts/hooks.ts"
import { Icon, IconButton, type IconName } from "./parts/icons.tsx"
import { memo } from "./parts/memo.ts"
import { ChannelSign, topicName } from "./parts/place-names.tsx"
import { Count, PlaceLink } from "./place-link.tsx"

const feeds: ReadonlyArray<{ readonly narrow: Narrow; readonly icon: IconName; readonly name: string }> = [
  { narrow: { kind: "all" }, icon: "all", name: words.all },
  { narrow: { kind: "mentions" }, icon: "at", name: words.mentions },
  { narrow: { kind: "starred" }, icon: "star", name: words.starred },
]

/** Of a channel: so many of the newest, and so many in all with those where something is unread. */
const mostTopics = 8
const mostUnreadTopics = 30

const Topics = ({ channel, here }: { readonly channel: Channel; readonly here: string }) => {
  const state = useState((state) => state)
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

const byName = (a: Channel, b: Channel): number =>
  Number(b.isPinned) - Number(a.isPinned) || Number(a.isMuted) - Number(b.isMuted) || a.name.localeCompare(b.name)

interface ChannelProps {
  readonly channel: Channel
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

const Channels = ({ here, narrow }: { readonly here: string; readonly narrow: Narrow }) => {
  const chat = useChat()
  const state = useState((state) => state)
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
        {channels.sort(byName).map((channel) => (
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
  const self = useState((state) => state.people.get(state.self.id))
  const isAdmin = useState((state) => state.self.isAdmin)
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

export const Sidebar = () => {
  const chat = useChat()
  const narrow = useStore(chat.ui, (ui) => ui.place.narrow)
  const isOpen = useStore(chat.ui, (ui) => ui.isMenuOpen)
  const realmName = useState((state) => state.realmName)
  const state = useState((state) => state)
  const here = narrowKey(narrow)
  const counts = { all: countUnread(state).all, mentions: state.unreadMentions.size, starred: 0 }
  return (
    <nav class={`sidebar ${isOpen ? "open" : ""}`} aria-label={words.menu}>
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
