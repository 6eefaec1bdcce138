/** Before there is an account: a password, or in development one click. */
import { useEffect, useState } from "preact/hooks"
import { type Account, Client, Refused } from "../../client/index.ts"
import { words } from "../words/words.ts"

interface Known {
  readonly realm: string | null
  readonly description: string
  readonly demo: ReadonlyArray<string>
}

const ask = async (client: Client): Promise<Known> => {
  const settings = await client.call("GET /server_settings")
  const demo = await client.call("GET /dev_list_users", {}, { retries: false }).then(
    ({ direct_admins, direct_users }) => [...direct_admins, ...direct_users].map(({ email }) => email),
    () => [],
  )
  return {
    realm: "realm_name" in settings ? settings.realm_name : null,
    description: "realm_description" in settings ? settings.realm_description : "",
    demo,
  }
}

const nameOf = (email: string): string => email.split("@")[0] ?? email

/** Rendered text without its marks. */
const plain = (html: string): string => new DOMParser().parseFromString(html, "text/html").body.textContent.trim()

interface FieldProps {
  readonly type: "email" | "password"
  readonly autocomplete: "username" | "current-password"
  readonly value: string
  readonly onChange: (value: string) => void
}

const Field = ({ type, autocomplete, value, onChange }: FieldProps) => (
  <label>
    <span>{words[type]}</span>
    <input
      type={type}
      autocomplete={autocomplete}
      required
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
    />
  </label>
)

export const SignIn = ({ onAccount }: { readonly onAccount: (account: Account) => void }) => {
  const [client] = useState(() => new Client({ server: location.origin }))
  const [known, setKnown] = useState<Known | null>(null)
  const [fault, setFault] = useState("")
  const [email, setEmail] = useState("")
  const [password, setPassword] = useState("")

  useEffect(() => {
    ask(client).then(setKnown, () => setFault(words.cannotReach))
  }, [client])

  const enter = (asked: Promise<{ readonly api_key: string; readonly email: string }>) => {
    setFault("")
    asked.then(
      ({ api_key: apiKey, email }) => onAccount({ apiKey, email }),
      (error: unknown) =>
        setFault(
          error instanceof Refused
            ? error.code === "AUTHENTICATION_FAILED"
              ? words.wrongPassword
              : error.body.msg
            : words.cannotReach,
        ),
    )
  }
  const submit = (event: Event) => {
    event.preventDefault()
    enter(client.call("POST /fetch_api_key", { username: email, password }))
  }

  if (known !== null && known.realm === null)
    return (
      <main class="sign-in">
        <h1>Parley</h1>
        <p>{words.noOrganization}</p>
        <p>
          {words.noOrganizationHint} <code>parley org create</code>
        </p>
      </main>
    )
  return (
    <main class="sign-in" aria-busy={known === null}>
      <div class="mark" aria-hidden="true" />
      <h1>{known === null ? words.signIn : words.signInTo(known.realm ?? "")}</h1>
      {known !== null && <p class="quiet">{plain(known.description)}</p>}
      <form onSubmit={submit}>
        <Field type="email" autocomplete="username" value={email} onChange={setEmail} />
        <Field type="password" autocomplete="current-password" value={password} onChange={setPassword} />
        <p class="fault" role="alert">
          {fault}
        </p>
        <button type="submit" class="primary wide">
          {words.signIn}
        </button>
      </form>
      {known !== null && known.demo.length > 0 && (
        <section aria-labelledby="demo">
          <h2 id="demo">{words.demoAccounts}</h2>
          <p class="quiet">{words.demoHint}</p>
          <ul class="demo">
            {known.demo.map((username) => (
              <li key={username}>
                <button type="button" onClick={() => enter(client.call("POST /dev_fetch_api_key", { username }))}>
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
