/** The settings of a directory (LDAP). Part of settings.ts; read-directory.ts says how they belong together. */
import { oneOfWords, setting } from "./setting.ts"

/** `ldap://directory.example.org:389`, with or without the slash at its end. */
const findDirectory = (text: string): string | undefined => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = url !== undefined && /^ldaps?:$/.test(url.protocol) && /^\/?$/.test(url.pathname)
  return isPlain && url.hostname !== "" && !/[@?#]/.test(text) ? text.replace(/\/$/, "") : undefined
}

/** What stands for the name that somebody signs in with. */
const nameMark = "{name}"

/** The directory judges names and filters; what cannot be one is refused at the start. */
const isName = (text: string): boolean => /^[a-z][a-z\d.-]*=[^\0]+$/i.test(text)

const isFilter = (text: string): boolean => {
  const ends = [...text.matchAll(/[()]/g)].map(([end]) => end)
  let depth = 0
  const isOpenThroughout = ends.every((end, at) => {
    depth += end === "(" ? 1 : -1
    return depth > 0 || at === ends.length - 1
  })
  return isOpenThroughout && depth === 0 && /^\([^\0]*=[^\0]*\)$/.test(text) && text.includes(nameMark)
}

const distinguishedName = {
  placeholder: "dn",
  defaultText: "none",
  expected: "a distinguished name like ou=people,dc=example,dc=org",
  read: (text: string): string | undefined => (isName(text) ? text : undefined),
}

export const directorySettings = {
  ldapUrl: setting<string>("PARLEY_LDAP_URL", "ldap-url", {
    placeholder: "url",
    help: "A directory (LDAP) whose people sign in with its passwords, besides those kept here. It makes no accounts.",
    defaultText: "none",
    expected: "a URL like ldaps://directory.example.org",
    read: findDirectory,
  }),
  ldapTls: setting<"on" | "off">("PARLEY_LDAP_TLS", "ldap-tls", {
    ...oneOfWords(["on", "off"]),
    help: "Whether a connection to ldap:// turns to TLS (StartTLS) before anything is sent. Off sends passwords readable.",
    defaultText: "on",
  }),
  ldapBindDn: setting<string>("PARLEY_LDAP_BIND_DN", "ldap-bind-dn", {
    ...distinguishedName,
    help: "The account of the directory by which the server looks for people.",
  }),
  ldapBindPassword: setting<string>("PARLEY_LDAP_BIND_PASSWORD", "ldap-bind-password", {
    placeholder: "text",
    help: "The password of that account. As a flag it shows in the process list: prefer the variable.",
    defaultText: "none",
    expected: "a text",
    isSecret: true,
    read: (text) => text,
  }),
  ldapBase: setting<string>("PARLEY_LDAP_BASE", "ldap-base", {
    ...distinguishedName,
    help: "The entry below which people are looked for.",
  }),
  ldapFilter: setting<string>("PARLEY_LDAP_FILTER", "ldap-filter", {
    placeholder: "filter",
    help: "Which entry is meant by the name that somebody signs in with, which stands for {name}.",
    defaultText: "(uid={name})",
    expected: "a filter in parentheses with {name} in it, like (uid={name})",
    read: (text) => (isFilter(text) ? text : undefined),
  }),
  ldapDnTemplate: setting<string>("PARLEY_LDAP_DN_TEMPLATE", "ldap-dn-template", {
    placeholder: "dn",
    help: "The entry of who signs in, with their name for {name}: then nobody is looked for, and no account of the server's is needed.",
    defaultText: "none",
    expected: "a distinguished name with {name} in it, like uid={name},ou=people,dc=example,dc=org",
    read: (text) => (isName(text) && text.includes(nameMark) ? text : undefined),
  }),
  ldapEmailAttribute: setting<string>("PARLEY_LDAP_EMAIL_ATTRIBUTE", "ldap-email-attribute", {
    placeholder: "name",
    help: "Which attribute of an entry has the address of the account here. People must not be able to change their own.",
    defaultText: "mail",
    expected: "the name of an attribute, like mail",
    read: (text) => (/^[a-z][a-z\d-]*$/i.test(text) ? text : undefined),
  }),
} as const
