/** Pictures of people, and whether they are there. */
import { useState } from "preact/hooks"
import type { PersonPresence } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useChatState } from "./hooks.ts"

/** The server has no picture for some: these have the first letter of their name, on a ground of their own. */
export const Avatar = ({
  url,
  name,
  id,
  size = "",
}: {
  url: string | null
  name: string
  id: number
  size?: string
}) => {
  const [isBroken, setBroken] = useState(false)
  if (url !== null && !isBroken && (url.startsWith("/") || url.startsWith(location.origin)))
    return <img class={`avatar ${size}`} src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
  return (
    <span class={`avatar letter ground-${id % 8} ${size}`} aria-hidden="true">
      {[...name][0]?.toUpperCase() ?? "?"}
    </span>
  )
}

export type Availability = "active" | "idle" | "offline"
const activeSeconds = 140
const idleSeconds = 3600

export const availabilityOf = (presence: PersonPresence | undefined, now: number): Availability => {
  if (presence === undefined) return "offline"
  if (now - presence.active < activeSeconds) return "active"
  return now - Math.max(presence.idle, presence.active) < idleSeconds ? "idle" : "offline"
}

export const PresenceDot = ({ user }: { readonly user: number }) => {
  const presence = useChatState((state) => state.presence.get(user))
  const isSelf = useChatState((state) => state.self.id === user)
  // Nobody is told of their own presence.
  const being = isSelf ? "active" : availabilityOf(presence, Date.now() / 1000)
  return <span class={`presence ${being}`} role="img" aria-label={words[being]} title={words[being]} />
}
