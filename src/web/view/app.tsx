/** The page: whoever is not signed in is asked to, and everybody else chats. */
import { useContext, useEffect, useMemo, useState } from "preact/hooks"
import type { Account } from "../../client/index.ts"
import { ChatSession } from "../live/chat.ts"
import {
  forgetAll,
  forgetKeyOf,
  keepAccount,
  keptAccount,
  onSignedOut,
  settleIn,
  type WhyLeft,
  whyLeft,
} from "../live/session.ts"
import { words } from "../words/words.ts"
import { ChatContext, useChat, useStore } from "./parts/hooks.ts"
import { AskedQuestion } from "./parts/question.tsx"
import { mayLeave, SignOut } from "./parts/sign-out.ts"
import { Shell } from "./shell.tsx"
import { SignIn } from "./sign-in.tsx"

/** The server does not let the page in: it says why, and one can go another way. */
const Ended = ({ why }: { readonly why: string }) => {
  const chat = useChat()
  const signOut = useContext(SignOut)
  const leave = async () => {
    if (await mayLeave(chat)) signOut()
  }
  return (
    <main class="waiting">
      <h1>{words.cannotOpen}</h1>
      <p class="fault" role="alert">
        {why}
      </p>
      <p class="row">
        <button type="button" class="primary" onClick={() => location.reload()}>
          {words.tryAgain}
        </button>
        <button type="button" onClick={() => void leave()}>
          {words.signOut}
        </button>
      </p>
    </main>
  )
}

interface SignedInProps {
  readonly account: Account
  readonly onEnd: (why: WhyLeft) => void
  readonly onState: (self: number) => void
}

const SignedIn = ({ account, onEnd, onState }: SignedInProps) => {
  const chat = useMemo(() => new ChatSession(account, onEnd, onState), [account])
  useEffect(() => chat.start(), [chat])
  const isThere = useStore(chat.state, (state) => state !== null)
  const ended = useStore(chat.ended, (ended) => ended)
  return (
    <ChatContext.Provider value={chat}>
      {isThere ? (
        <Shell />
      ) : ended !== null ? (
        <Ended why={ended} />
      ) : (
        <main class="waiting" role="status">
          <span class="mark" aria-hidden="true" />
          {/* As in the page before its script runs: a word is what is first seen. */}
          <span class="quiet" aria-hidden="true">
            Parley
          </span>
          <span class="unseen">{words.loading}</span>
        </main>
      )}
      <AskedQuestion />
    </ChatContext.Provider>
  )
}

export const App = () => {
  const [account, setAccount] = useState(keptAccount)
  const enter = (next: Account) => {
    keepAccount(next)
    setAccount(next)
  }
  /** All that runs for the account ends with the page. Whoever was sent away comes back to where they were. */
  const leave = () => {
    if (whyLeft() === null) location.replace(location.pathname)
    else location.reload()
    setAccount(null)
  }
  const onEnd = (why: WhyLeft) => {
    if (account !== null) forgetKeyOf(account, why)
    leave()
  }
  const signOut = () => {
    forgetAll()
    leave()
  }
  useEffect(() => (account === null ? undefined : onSignedOut(account, leave)), [account])
  if (account === null) return <SignIn onAccount={enter} />
  return (
    <SignOut.Provider value={signOut}>
      <SignedIn account={account} onEnd={onEnd} onState={settleIn} />
    </SignOut.Provider>
  )
}
