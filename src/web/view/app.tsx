/** The page: whoever is not signed in is asked to, and everybody else chats. */
import { useContext, useEffect, useMemo, useState as useOwn } from "preact/hooks"
import type { Account } from "../../client/index.ts"
import { Chat } from "../live/chat.ts"
import { forgetAll, forgetKeyOf, keepAccount, keptAccount, onSignedOut, settleIn } from "../live/session.ts"
import { words } from "../words/words.ts"
import { ChatContext, useStore } from "./parts/hooks.ts"
import { mayLeave, SignOut } from "./parts/sign-out.ts"
import { Shell } from "./shell.tsx"
import { SignIn } from "./sign-in.tsx"

/** The server does not let the page in: it says why, and one can go another way. */
const Ended = ({ why }: { readonly why: string }) => {
  const signOut = useContext(SignOut)
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
        <button type="button" onClick={() => mayLeave() && signOut()}>
          {words.signOut}
        </button>
      </p>
    </main>
  )
}

interface SignedInProps {
  readonly account: Account
  readonly onEnd: () => void
  readonly onState: (self: number) => void
}

const SignedIn = ({ account, onEnd, onState }: SignedInProps) => {
  const chat = useMemo(() => new Chat(account, onEnd, onState), [account])
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
    </ChatContext.Provider>
  )
}

export const App = () => {
  const [account, setAccount] = useOwn(keptAccount)
  const enter = (next: Account) => {
    keepAccount(next)
    setAccount(next)
  }
  /** All that runs for the account ends with the page. */
  const leave = () => {
    location.replace(location.pathname)
    setAccount(null)
  }
  const onEnd = () => {
    if (account !== null) forgetKeyOf(account)
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
