/** Who is typing. */
import { useEffect, useReducer } from "preact/hooks"
import { type Conversation, conversationKey } from "../../state/model.ts"
import { words } from "../../words/words.ts"
import { useFields } from "../parts/hooks.ts"
import { personName } from "../parts/place-names.tsx"

export const TypingLine = ({ conversation }: { readonly conversation: Conversation }) => {
  const state = useFields("typing", "people")
  const [, draw] = useReducer((turn: number, _: null) => turn + 1, 0)
  const now = Date.now()
  const typists = (state.typing.get(conversationKey(conversation)) ?? []).filter(({ until }) => until > now)
  const next = Math.min(...typists.map(({ until }) => until))
  useEffect(() => {
    if (!Number.isFinite(next)) return
    const timer = setTimeout(() => draw(null), next - Date.now() + 50)
    return () => clearTimeout(timer)
  }, [next])
  const [one, other] = typists.map(({ user }) => personName(state, user))
  const said =
    one === undefined
      ? ""
      : other === undefined
        ? words.typingOne(one)
        : typists.length === 2
          ? words.typingTwo(one, other)
          : words.typingMany
  return (
    <p class="typing" role="status">
      {said}
    </p>
  )
}
