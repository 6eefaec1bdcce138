/** Pictures of people, and whether they are there. */
import { useState as useOwn } from "preact/hooks"
import type { Presence } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useState } from "./hooks.ts"

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
  const [isBroken, setBroken] = useOwn(false)
  if (url !== null && !isBroken && (url.startsWith("/") || url.startsWith(location.origin)))
    return <img class={`avatar ${size}`} src={url} alt="" loading="lazy" onError={() => setBroken(true)} />
  return (
    <span class={`avatar letter ground-${id % 8} ${size}`} aria-hidden="true">
      {[...name][0]?.toUpperCase() ?? "?"}
    </span>
  )
}

export type Being = "active" | "idle" | "offline"
const activeSeconds = 140
const idleSeconds = 3600

export const beingOf = (presence: Presence | undefined, now: number): Being => {
  if (presence === undefined) return "offline"
  if (now - presence.active < activeSeconds) return "active"
  return now - Math.max(presence.idle, presence.active) < idleSeconds ? "idle" : "offline"
}

export const PresenceDot = ({ user }: { readonly user: number }) => {
  const presence = useState((state) => state.presence.get(user))
  const isSelf = useState((state) => state.self.id === user)
  // Nobody is told of their own presence.
  const being = isSelf ? "active" : beingOf(presence, Date.now() / 1000)
  return <span class={`presence ${being}`} role="img" aria-label={words[being]} title={words[being]} />
}
