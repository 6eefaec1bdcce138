/** Providers of external accounts that every organization can have a field for without describing it. */

export interface ExternalAccount {
  /** The name of the field that is made for it. */
  readonly name: string
  readonly text: string
  readonly hint: string
  /** The address of somebody's page there. */
  readonly url_pattern: string
}

/** What stands for somebody's name there in a pattern; exactly once. */
export const userNameMark = "%(username)s"

/** By the words that `field_data` names them by. */
export const externalAccounts: Readonly<Record<string, ExternalAccount>> = {
  github: { name: "GitHub username", text: "GitHub", hint: "", url_pattern: `https://github.com/${userNameMark}` },
  linkedin: {
    name: "LinkedIn username",
    text: "LinkedIn",
    hint: "",
    url_pattern: `https://www.linkedin.com/in/${userNameMark}`,
  },
  twitter: { name: "Twitter username", text: "Twitter", hint: "", url_pattern: `https://twitter.com/${userNameMark}` },
}

/** The word of the providers that an organization describes itself. */
export const customAccount = "custom"
