/** Who somebody is. */
import type { PagePerson, PageProfileField, PageState } from "../../state/model.ts"
import { directWith } from "../../state/model.ts"
import { linkTo } from "../../state/narrow.ts"
import { choiceText, peopleIn } from "../../state/profile-values.ts"
import { words } from "../../words/words.ts"
import { Avatar, PresenceDot } from "../parts/avatar.tsx"
import { Content } from "../parts/content.tsx"
import { glyphOf } from "../parts/emoji.ts"
import { useChat, useFields } from "../parts/hooks.ts"
import { personName } from "../parts/place-names.tsx"
import { dateName, timeIn } from "../parts/times.ts"
import { Dialog } from "./dialog.tsx"

const roleName = (role: number): string =>
  Object.entries(words.roles).find(([number]) => Number(number) === role)?.[1] ?? ""

const [choice, date, link, users] = [3, 4, 5, 6] as const

/** What somebody has in a field, as it is read; "" where they have nothing. */
const shownValue = (state: Pick<PageState, "people">, person: PagePerson, { id, type, data }: PageProfileField) => {
  const value = person.fields[id] ?? ""
  const rendered = person.rendered?.[id]
  if (rendered !== undefined && rendered.text === value && value !== "") return <Content html={rendered.html} />
  if (type === choice) return choiceText(data, value)
  if (type === date) return dateName(value)
  if (type === users)
    return peopleIn(value)
      .map((user) => personName(state, user))
      .join(", ")
  if (type !== link || !/^https?:/.test(value)) return value
  return (
    <a href={value} target="_blank" rel="noopener noreferrer">
      {value}
    </a>
  )
}

export const Profile = ({ user }: { readonly user: number }) => {
  const chat = useChat()
  const state = useFields("people", "self", "statuses", "mutedPeople", "profileFields")
  const person = state.people.get(user)
  if (person === undefined) return <Dialog title={words.unknownPerson}>{null}</Dialog>
  const status = state.statuses.get(user)
  const isMuted = state.mutedPeople.has(user)
  const zone = timeIn(person.timezone)
  const facts: ReadonlyArray<readonly [string, preact.ComponentChild]> = [
    [words.email, person.email],
    [words.role, person.isBot ? words.bot : roleName(person.role)],
    [words.localTime, zone],
    ...state.profileFields.map((field) => [field.name, shownValue(state, person, field)] as const),
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
