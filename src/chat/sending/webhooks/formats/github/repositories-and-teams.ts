/** What happens to repositories, teams and organizations at GitHub, and who belongs to them. */

import { bold, bullets, code, link, plain, topicOf, words } from "../markup.ts"
import { at, either, entryFor, isTrue, listAt, textAt } from "../payload.ts"
import { described, quote, withTheirEmoji } from "../quote.ts"
import { messageOrIgnored, type WebhookChoices, type WebhookResult } from "../webhook-result.ts"
import { personLink, place, repository, repositoryLink, who } from "./names.ts"
import { refName } from "./push.ts"

export const made =
  (event: "create" | "delete") =>
  (payload: unknown): WebhookResult => {
    const [kind, name] = [textAt(payload, "ref_type"), textAt(payload, "ref")]
    const done = event === "create" ? "created" : "deleted"
    const topic = topicOf(repository(payload), kind === "branch" ? refName(name) : "")
    return messageOrIgnored(event, topic, `${words(who(payload), done, plain(kind), code(name))}.`)
  }

export const release = (payload: unknown, choices: WebhookChoices): WebhookResult => {
  const [given, action] = [at(payload, "release"), textAt(payload, "action")]
  if (!["published", "unpublished", "deleted"].includes(action)) return { ignoredEvent: "release" }
  const by = bold(either(textAt(payload, "sender", "login"), textAt(given, "author", "login"), "someone"))
  const kind = isTrue(given, "prerelease") ? "pre-release" : "release"
  const name = withTheirEmoji(either(textAt(given, "name"), textAt(given, "tag_name")))
  const said = words(
    by,
    action,
    kind,
    link(name, textAt(given, "html_url")),
    "with tag",
    code(textAt(given, "tag_name")),
  )
  const body = action === "published" ? described(choices, textAt(given, "body")) : ""
  return messageOrIgnored("release", topicOf(repository(payload), "releases"), `${said}.${body}`)
}

export const wikiPages = (payload: unknown): WebhookResult => {
  const line = (page: unknown): string => {
    const summary = textAt(page, "summary")
    const name = link(either(textAt(page, "title"), textAt(page, "page_name"), "page"), textAt(page, "html_url"))
    return words(plain(textAt(page, "action")), summary === "" ? name : `${name}: ${plain(summary)}`)
  }
  const pages = listAt(payload, "pages")
  if (pages.length === 0) return { ignoredEvent: "gollum" }
  const topic = topicOf(repository(payload), "wiki")
  return messageOrIgnored("gollum", topic, `${who(payload)} changed the wiki:\n\n${bullets(pages, line)}`)
}

export const milestone = (payload: unknown): WebhookResult => {
  const [given, action] = [at(payload, "milestone"), textAt(payload, "action")]
  if (!["created", "closed", "opened", "deleted"].includes(action)) return { ignoredEvent: "milestone" }
  const done = action === "opened" ? "reopened" : action
  const said = words(who(payload), done, "milestone", link(textAt(given, "title"), textAt(given, "html_url")))
  return messageOrIgnored("milestone", topicOf(repository(payload), "milestones"), `${said}.`)
}

export const fork = (payload: unknown): WebhookResult => {
  const [from, to] = [repositoryLink(at(payload, "repository")), repositoryLink(at(payload, "forkee"))]
  return messageOrIgnored("fork", topicOf(repository(payload)), `${words(who(payload), "forked", from, "to", to)}.`)
}

export const starred =
  (event: "star" | "watch") =>
  (payload: unknown): WebhookResult => {
    const done = entryFor({ created: "starred", deleted: "unstarred", started: "starred" }, textAt(payload, "action"))
    if (done === undefined) return { ignoredEvent: event }
    return messageOrIgnored(
      event,
      topicOf(repository(payload)),
      `${words(who(payload), done, repositoryLink(at(payload, "repository")))}.`,
    )
  }

const changed = ["created", "deleted", "archived", "unarchived", "edited"]

export const repositoryEvent = (payload: unknown): WebhookResult => {
  const [given, action, changes] = [at(payload, "repository"), textAt(payload, "action"), at(payload, "changes")]
  const thing = words("the repository", repositoryLink(given))
  const owner = either(...["user", "organization"].map((kind) => textAt(changes, "owner", "from", kind, "login")))
  const branch = textAt(changes, "default_branch", "from")
  const done = entryFor(
    {
      renamed: words(
        "renamed the repository",
        bold(textAt(changes, "repository", "name", "from")),
        "to",
        repositoryLink(given),
      ),
      transferred: words("transferred", thing, owner === "" ? "" : `from ${bold(owner)}`),
      publicized: words("made", thing, "public"),
      privatized: words("made", thing, "private"),
    },
    action,
  )
  const edit = branch === "" ? "" : words("to the default branch", code(textAt(given, "default_branch")))
  const told = done ?? (changed.includes(action) ? words(action, thing, action === "edited" ? edit : "") : undefined)
  if (told === undefined) return { ignoredEvent: "repository" }
  const about =
    action === "edited" && at(changes, "description") !== undefined ? quote(textAt(given, "description")) : ""
  return messageOrIgnored("repository", topicOf(repository(payload)), `${words(who(payload), told)}.${about}`)
}

export const published = (payload: unknown): WebhookResult =>
  messageOrIgnored(
    "public",
    topicOf(repository(payload)),
    `${words(who(payload), "made the repository", repositoryLink(at(payload, "repository")), "public")}.`,
  )

const teamLink = (team: unknown): string => link(either(textAt(team, "name"), "team"), textAt(team, "html_url"))

export const team = (payload: unknown): WebhookResult => {
  const [given, action, changes] = [at(payload, "team"), textAt(payload, "action"), at(payload, "changes")]
  const thing = words("the team", teamLink(given))
  const former = textAt(changes, "name", "from")
  const told = ((): string | undefined => {
    if (action === "created" || action === "deleted") return words(action, thing)
    if (action === "removed_from_repository")
      return words("removed", thing, "from the repository", repositoryLink(at(payload, "repository")))
    if (action !== "edited") return undefined
    if (former !== "") return words("renamed the team", bold(former), "to", teamLink(given))
    if (at(changes, "privacy") !== undefined) return words("made", thing, plain(textAt(given, "privacy")))
    return words(at(changes, "description") === undefined ? "edited" : "changed the description of", thing)
  })()
  if (told === undefined) return { ignoredEvent: "team" }
  const about = at(changes, "description") === undefined ? "" : quote(textAt(given, "description"))
  return messageOrIgnored("team", topicOf("team", textAt(given, "name")), `${words(who(payload), told)}.${about}`)
}

export const teamAdded = (payload: unknown): WebhookResult => {
  const thing = words("the repository", repositoryLink(at(payload, "repository")))
  const said = words(who(payload), "added", thing, "to the team", teamLink(at(payload, "team")))
  return messageOrIgnored("team_add", topicOf(repository(payload)), `${said}.`)
}

const prepositions: Readonly<Record<string, string>> = { added: "to", removed: "from" }

/** Of a repository. */
export const member = (payload: unknown): WebhookResult => {
  const [person, action] = [personLink(at(payload, "member")), textAt(payload, "action")]
  const thing = words("the repository", repositoryLink(at(payload, "repository")))
  const preposition = entryFor(prepositions, action)
  if (preposition === undefined && action !== "edited") return { ignoredEvent: "member" }
  const told =
    preposition === undefined
      ? words("changed what", person, "may do in", thing)
      : words(action, person, preposition, thing)
  return messageOrIgnored("member", topicOf(repository(payload)), `${words(who(payload), told)}.`)
}

/** Of a team. */
export const membership = (payload: unknown): WebhookResult => {
  const action = textAt(payload, "action")
  const preposition = entryFor(prepositions, action)
  if (preposition === undefined) return { ignoredEvent: "membership" }
  const thing = words("the team", teamLink(at(payload, "team")))
  const said = words(who(payload), action, personLink(at(payload, "member")), preposition, thing)
  return messageOrIgnored("membership", topicOf(textAt(payload, "organization", "login"), "members"), `${said}.`)
}

export const organization = (payload: unknown): WebhookResult => {
  const name = textAt(payload, "organization", "login")
  const thing = words("the organization", bold(name))
  const person = personLink(at(payload, "membership", "user"))
  const asked = either(textAt(payload, "user", "login"), textAt(payload, "invitation", "login"), "someone")
  const told = entryFor(
    {
      member_added: words("added", person, "to", thing),
      member_removed: words("removed", person, "from", thing),
      member_invited: words("invited", bold(asked), "to", thing),
      renamed: words("renamed the organization", bold(textAt(payload, "changes", "login", "from")), "to", bold(name)),
      deleted: words("deleted", thing),
    },
    textAt(payload, "action"),
  )
  if (told === undefined) return { ignoredEvent: "organization" }
  return messageOrIgnored("organization", topicOf(name, "members"), `${words(who(payload), told)}.`)
}

/** `package` and its successor `registry_package`. */
export const packaged =
  (event: "package" | "registry_package") =>
  (payload: unknown): WebhookResult => {
    const given = at(payload, event)
    const version = textAt(given, "package_version", "version")
    const url = either(textAt(given, "package_version", "html_url"), textAt(given, "html_url"))
    if (textAt(payload, "action") !== "published") return { ignoredEvent: event }
    const name = link(words(either(textAt(given, "name"), "package"), version), url)
    const kind = plain(textAt(given, "package_type").toLowerCase())
    const said = words(who(payload), "published", kind, "package", name)
    return messageOrIgnored(event, topicOf(place(payload), "packages"), `${said}.`)
  }

const day = (time: string): string => {
  const [date] = /^\d{4}-\d\d-\d\d/.exec(time) ?? []
  return date === undefined ? "" : `on ${date}`
}

export const sponsorship = (payload: unknown): WebhookResult => {
  const [given, action, changes] = [at(payload, "sponsorship"), textAt(payload, "action"), at(payload, "changes")]
  const by = bold(either(textAt(given, "sponsor", "login"), textAt(payload, "sender", "login"), "someone"))
  const whom = bold(either(textAt(given, "sponsorable", "login"), "someone"))
  const tier = plain(textAt(given, "tier", "name"))
  const before = plain(textAt(changes, "tier", "from", "name"))
  const when = day(textAt(payload, "effective_date"))
  const told = entryFor(
    {
      created: words(by, "sponsors", whom, tier === "" ? "" : `with ${tier}`),
      cancelled: words(by, "sponsors", whom, "no longer"),
      edited: words(by, "changed who can see that they sponsor", whom),
      pending_cancellation: words(by, "will sponsor", whom, "no longer", when),
      pending_tier_change: words(by, "will sponsor", whom, "with another amount than", before, when),
      tier_changed: words(by, "sponsors", whom, "with", tier, before === "" ? "" : `instead of ${before}`),
    },
    action,
  )
  return told === undefined ? { ignoredEvent: "sponsorship" } : messageOrIgnored("sponsorship", "sponsors", `${told}.`)
}

export const ping = (payload: unknown): WebhookResult => {
  const name = either(textAt(payload, "repository", "full_name"), textAt(payload, "organization", "login"))
  const by = at(payload, "sender") === undefined ? "" : `by ${who(payload)}`
  const said = words("The webhook of", plain(either(name, "GitHub")), "was set up", by)
  return messageOrIgnored("ping", topicOf(place(payload)), `${said}.`)
}
