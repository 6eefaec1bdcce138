/** Before there is an account: a password, or in development one click. */
import { useEffect, useRef, useState } from "preact/hooks"
import { type Account, Client, Refused } from "../../client/index.ts"
import { faultText } from "../live/fault-texts.ts"
import { whyLeft } from "../live/session.ts"
import { words } from "../words/words.ts"

interface KnownServer {
  readonly realm: string | null
  readonly description: string
  /** Whether anybody signs in by a name and a password, and whether the server keeps the password and can be asked for another. */
  readonly hasPasswords: boolean
  readonly keepsPasswords: boolean
  /** A directory may know people by names that are no addresses. */
  readonly isAddress: boolean
  readonly demo: ReadonlyArray<string>
  readonly mayMakeOrganization: boolean
}

const signUpPage = "/new/"
const passwordPage = "/accounts/password/reset/"

/** No setting says it: the page is there or not. */
const isSignUpOpen = async (): Promise<boolean> => {
  const answer = await fetch(signUpPage, { method: "HEAD", credentials: "omit" })
  return answer.ok
}

const ask = async (client: Client): Promise<KnownServer> => {
  const [settings, demo, mayMakeOrganization] = await Promise.all([
    client.call("GET /server_settings"),
    client.call("GET /dev_list_users", {}, { retries: false }).then(
      ({ direct_admins, direct_users }) => [...direct_admins, ...direct_users].map(({ email }) => email),
      () => [],
    ),
    isSignUpOpen().catch(() => false),
  ])
  return {
    realm: "realm_name" in settings ? settings.realm_name : null,
    description: "realm_description" in settings ? settings.realm_description : "",
    hasPasswords: settings.authentication_methods.password,
    keepsPasswords: settings.email_auth_enabled,
    isAddress: settings.require_email_format_usernames,
    demo,
    mayMakeOrganization,
  }
}

const nameOf = (email: string): string => email.split("@")[0] ?? email

/** Rendered text without its marks. */
const plain = (html: string): string => new DOMParser().parseFromString(html, "text/html").body.textContent.trim()

interface FieldProps {
  readonly type: "email" | "text" | "password"
  readonly value: string
  readonly isWrong: boolean
  readonly onChange: (value: string) => void
}

const labels = { email: words.email, text: words.username, password: words.password }

const Field = ({ type, value, isWrong, onChange }: FieldProps) => (
  <label>
    <span>{labels[type]}</span>
    <input
      type={type}
      autocomplete={type === "password" ? "current-password" : "username"}
      autocapitalize="none"
      spellcheck={false}
      required
      aria-invalid={isWrong}
      aria-describedby={isWrong ? "sign-in-fault" : undefined}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </label>
)

const SignUpLink = () => (
  <p>
    <a href={signUpPage}>{words.makeOrganization}</a>
  </p>
)

export const SignIn = ({ onAccount }: { readonly onAccount: (account: Account) => void }) => {
  const [client] = useState(() => new Client({ server: location.origin }))
  const [known, setKnown] = useState<KnownServer | null>(null)
  const [why] = useState(whyLeft)
  const [fault, setFault] = useState("")
  const [isBusy, setBusy] = useState(false)
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")
  const form = useRef<HTMLFormElement>(null)
  const isUnderWay = useRef(false)

  useEffect(() => {
    ask(client).then(setKnown, () => setFault(words.cannotReach))
  }, [client])

  /** One at a time: state is drawn later than a second press may come. */
  const enter = async (
    call: () => Promise<{ readonly api_key: string; readonly email: string }>,
    after?: () => void,
  ): Promise<void> => {
    if (isUnderWay.current) return
    isUnderWay.current = true
    setFault("")
    setBusy(true)
    try {
      const { api_key: apiKey, email } = await call()
      onAccount({ apiKey, email })
    } catch (error) {
      setFault(error instanceof Refused ? faultText(error) : words.cannotReach)
      setBusy(false)
      after?.()
    }
    isUnderWay.current = false
  }
  const submit = (event: Event) => {
    event.preventDefault()
    const toPassword = () => form.current?.querySelector<HTMLInputElement>("[type=password]")?.select()
    void enter(() => client.call("POST /fetch_api_key", { username: email.trim(), password }), toPassword)
  }

  if (known !== null && known.realm === null)
    return (
      <main class="sign-in">
        <h1>Parley</h1>
        <p>{words.noOrganization}</p>
        <p>
          {words.noOrganizationHint} <code>parley org create</code>
        </p>
        {known.mayMakeOrganization && <SignUpLink />}
      </main>
    )
  const isWrong = fault !== ""
  return (
    <main class="sign-in" aria-busy={known === null || isBusy}>
      <div class="mark" aria-hidden="true" />
      <h1>{known === null ? words.signIn : words.signInTo(known.realm ?? "")}</h1>
      {why !== null && (
        <p class="why" role="status">
          {words.signedOutWhy[why]}
        </p>
      )}
      {known !== null && <p class="quiet">{plain(known.description)}</p>}
      {known?.hasPasswords === false ? (
        <p>{words.faults.PASSWORD_AUTH_DISABLED}</p>
      ) : (
        <form ref={form} onSubmit={submit}>
          <Field
            type={known?.isAddress === false ? "text" : "email"}
            value={email}
            isWrong={isWrong}
            onChange={setEmail}
          />
          <Field type="password" value={password} isWrong={isWrong} onChange={setPassword} />
          <p class="fault" role="alert" id="sign-in-fault">
            {fault}
          </p>
          <button type="submit" class="primary wide" disabled={isBusy}>
            {isBusy ? words.signingIn : words.signIn}
          </button>
          {known?.keepsPasswords === true && (
            <p>
              <a href={passwordPage}>{words.forgotPassword}</a>
            </p>
          )}
        </form>
      )}
      {known?.mayMakeOrganization === true && <SignUpLink />}
      {known !== null && known.demo.length > 0 && (
        <section aria-labelledby="demo">
          <h2 id="demo">{words.demoAccounts}</h2>
          <p class="quiet">{words.demoHint}</p>
          <ul class="demo">
            {known.demo.map((username) => (
              <li key={username}>
                <button
                  type="button"
                  disabled={isBusy}
                  onClick={() => void enter(() => client.call("POST /dev_fetch_api_key", { username }))}
                >
                  {nameOf(username)}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  )
}
