/** The page: whoever is not signed in is asked to, and everybody else chats. */
import { useEffect, useMemo, useState as useOwn } from "preact/hooks"
import type { Account } from "../../client/index.ts"
import { Chat } from "../live/chat.ts"
import { keepAccount, keptAccount } from "../live/session.ts"
import { words } from "../words/words.ts"
import { ChatContext, useStore } from "./parts/hooks.ts"
import { SignOut } from "./parts/sign-out.ts"
import { Shell } from "./shell.tsx"
import { SignIn } from "./sign-in.tsx"

const SignedIn = ({ account, onEnd }: { readonly account: Account; readonly onEnd: () => void }) => {
  const chat = useMemo(() => new Chat(account, onEnd), [account])
  useEffect(() => chat.start(), [chat])
  const isThere = useStore(chat.state, (state) => state !== null)
  return (
    <ChatContext.Provider value={chat}>
      {isThere ? (
        <Shell />
      ) : (
        <main class="waiting" role="status">
          <span class="mark" aria-hidden="true" />
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
  const leave = () => {
    keepAccount(null)
    // All that runs for the account ends with the page.
    location.replace(location.pathname)
    setAccount(null)
  }
  if (account === null) return <SignIn onAccount={enter} />
  return (
    <SignOut.Provider value={leave}>
      <SignedIn account={account} onEnd={leave} />
    </SignOut.Provider>
  )
}
