/** Who somebody is. */

import { directWith } from "../../state/model.ts"
import { linkTo } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"
import { Avatar, PresenceDot } from "../parts/avatar.tsx"
import { glyphOf } from "../parts/emoji.ts"
import { useChat, useState } from "../parts/hooks.ts"
import { timeIn } from "../parts/times.ts"
import { Dialog } from "./dialog.tsx"

const roleName = (role: number): string =>
  Object.entries(words.roles).find(([number]) => Number(number) === role)?.[1] ?? ""

export const Profile = ({ user }: { readonly user: number }) => {
  const chat = useChat()
  const state = useState((state) => state)
  const person = state.people.get(user)
  if (person === undefined) return <Dialog title={words.unknownPerson}>{null}</Dialog>
  const status = state.statuses.get(user)
  const isMuted = state.mutedPeople.has(user)
  const zone = timeIn(person.timezone)
  const facts: ReadonlyArray<readonly [string, string]> = [
    [words.email, person.email],
    [words.role, person.isBot ? words.bot : roleName(person.role)],
    [words.localTime, zone],
    ...state.profileFields.map(({ id, name }) => [name, person.fields[id] ?? ""] as const),
  ]
  const write = () => {
    location.hash = linkTo({ kind: "conversation", conversation: directWith(state.self.id, [user]) })
    chat.show({ dialog: null })
  }
  const mute = () => {
    const params = { muted_user_id: user }
    void chat.try(
      isMuted
        ? chat.client.call("DELETE /users/me/muted_users/{muted_user_id}", params)
        : chat.client.call("POST /users/me/muted_users/{muted_user_id}", params),
    )
  }
  return (
    <Dialog title={person.name} class="narrow">
      <div class="profile">
        <Avatar url={person.avatarUrl} name={person.name} id={user} size="large" />
        <p>
          <PresenceDot user={user} />{" "}
          {status !== undefined && status.emojiCode !== "" && <span>{glyphOf(status.emojiCode)} </span>}
          {status?.text}
          {!person.isActive && words.deactivated}
        </p>
      </div>
      <dl class="facts">
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ))}
      </dl>
      <p class="row">
        <button type="button" class="primary" onClick={write}>
          {words.sendDirect}
        </button>
        {user !== state.self.id && (
          <button type="button" onClick={mute}>
            {isMuted ? words.unmuteUser : words.muteUser}
          </button>
        )}
      </p>
    </Dialog>
  )
}
