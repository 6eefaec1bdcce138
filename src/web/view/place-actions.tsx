/** What can be done with a place: buttons beside its name, or where there is little room a menu. */
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import type { ChatSession } from "../live/chat.ts"
import { conversationKey, type PageChannel, type PageNarrow, type PageState } from "../state/model.ts"
import { channelOf } from "../state/narrow.ts"
import { mayAddSubscribers } from "../state/rights.ts"
import { words } from "../words/words.ts"
import { useChat, useFields } from "./parts/hooks.ts"
import { IconButton, type IconName } from "./parts/icons.tsx"
import { Menu } from "./parts/menu.tsx"
import { Popup } from "./parts/popup.tsx"

interface PlaceAction {
  /** None: a word stands there. */
  readonly icon?: IconName
  readonly label: string
  /** Of what is on or off. */
  readonly isOn?: boolean
  readonly run: () => unknown
}

type ActionSources = Pick<PageState, "channels" | "self" | "groups" | "permissions" | "topicPolicies">

/** For whoever reads what does not reach them. */
const subscribe = (chat: ChatSession, { name, isSubscribed, isArchived }: PageChannel): ReadonlyArray<PlaceAction> => {
  if (isSubscribed || isArchived) return []
  const params = { subscriptions: [{ name }] }
  const run = () => chat.try(chat.client.call("POST /users/me/subscriptions", params))
  return [{ label: words.subscribe, run }]
}

const onChannel = (chat: ChatSession, state: ActionSources, channel: PageChannel): ReadonlyArray<PlaceAction> => {
  const { id, isPinned, isMuted, isSubscribed, isArchived } = channel
  const set = (property: string, value: boolean) =>
    chat.try(
      chat.client.call("POST /users/me/subscriptions/properties", {
        subscription_data: [{ stream_id: id, property, value }],
      }),
    )
  const open = (kind: "channel-settings" | "add-people") => chat.show({ dialog: { kind, channel: id } })
  const settings: PlaceAction = { icon: "gear", label: words.channelSettings, run: () => open("channel-settings") }
  if (isArchived) return [settings]
  if (!isSubscribed) return [...subscribe(chat, channel), settings]
  const add: PlaceAction = { icon: "people", label: words.addPeople, run: () => open("add-people") }
  const markRead = () => chat.try(chat.client.call("POST /mark_stream_as_read", { stream_id: id }))
  return [
    ...(mayAddSubscribers(state, channel) ? [add] : []),
    { icon: "star", label: words.pin, isOn: isPinned, run: () => set("pin_to_top", !isPinned) },
    { icon: "bell", label: words.mute, isOn: isMuted, run: () => set("is_muted", !isMuted) },
    { icon: "check", label: words.markRead, run: markRead },
    settings,
  ]
}

const onTopic = (chat: ChatSession, state: ActionSources, id: number, topic: string): ReadonlyArray<PlaceAction> => {
  const channel = state.channels.get(id)
  if (channel === undefined) return []
  const policy = state.topicPolicies.get(conversationKey({ kind: "topic", channel: id, topic })) ?? 0
  const toggle = (visibility_policy: 1 | 3) =>
    chat.try(
      chat.client.call("POST /user_topics", {
        stream_id: id,
        topic,
        visibility_policy: policy === visibility_policy ? 0 : visibility_policy,
      }),
    )
  const markRead = () => chat.try(chat.client.call("POST /mark_topic_as_read", { stream_id: id, topic_name: topic }))
  return [
    ...subscribe(chat, channel),
    { icon: "eye", label: words.follow, isOn: policy === 3, run: () => toggle(3) },
    { icon: "bell", label: words.mute, isOn: policy === 1, run: () => toggle(1) },
    { icon: "check", label: words.markRead, run: markRead },
  ]
}

const actionsOf = (chat: ChatSession, state: ActionSources, narrow: PageNarrow): ReadonlyArray<PlaceAction> => {
  if (narrow.kind === "all") {
    const run = () => chat.try(chat.client.call("POST /mark_all_as_read"))
    return [{ icon: "check", label: words.markAllRead, run }]
  }
  const channel = state.channels.get(channelOf(narrow) ?? 0)
  if (narrow.kind === "channel") return channel === undefined ? [] : onChannel(chat, state, channel)
  if (narrow.kind !== "conversation") return []
  const { conversation } = narrow
  if (conversation.kind === "topic") return onTopic(chat, state, conversation.channel, conversation.topic)
  return [{ icon: "check", label: words.markRead, run: () => chat.try(chat.marks.readAll(narrow)) }]
}

const roleOf = ({ isOn }: PlaceAction) =>
  isOn === undefined ? ({ role: "menuitem" } as const) : ({ role: "menuitemcheckbox", "aria-checked": isOn } as const)

/** It goes away once it is done: the focus goes on to what then stands there. */
const WordButton = ({ label, run }: PlaceAction) => {
  const place = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const button = place.current
    const around = button?.parentElement
    return () => {
      if (button === document.activeElement) queueMicrotask(() => around?.querySelector<HTMLElement>("button")?.focus())
    }
  }, [])
  return (
    <button type="button" class="primary" ref={place} onClick={run}>
      {label}
    </button>
  )
}

export const PlaceActions = ({ narrow }: { readonly narrow: PageNarrow }) => {
  const chat = useChat()
  const state = useFields("channels", "self", "groups", "permissions", "topicPolicies")
  const [isOpen, setOpen] = useState(false)
  const actions = actionsOf(chat, state, narrow)
  const close = () => setOpen(false)
  const choose = ({ run }: PlaceAction) => {
    close()
    // What is behind the sheet takes no focus before it is gone.
    queueMicrotask(run)
  }
  if (actions.length === 0) return null
  return (
    <>
      {actions.map((action) =>
        action.icon === undefined ? (
          <WordButton key={action.label} {...action} />
        ) : (
          <IconButton
            key={action.label}
            icon={action.icon}
            label={action.label}
            {...(action.isOn === undefined ? {} : { isOn: action.isOn })}
            onClick={action.run}
          />
        ),
      )}
      <IconButton class="phone" icon="more" label={words.more} isOpen={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <Popup class="menu" label={words.more} isTouch first="button" onClose={close}>
          <Menu label={words.more} onClose={close}>
            {actions.map((action) => (
              <button type="button" key={action.label} {...roleOf(action)} tabIndex={-1} onClick={() => choose(action)}>
                {action.label}
              </button>
            ))}
          </Menu>
        </Popup>
      )}
    </>
  )
}
