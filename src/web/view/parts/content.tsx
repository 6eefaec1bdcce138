/**
 * What the server has rendered. It is read in a document of its own, where nothing is loaded or run, and put right for this
 * page: pictures come with the key, formulas as MathML, emoji as signs, times in the reader's zone, styles without attributes.
 */
import { useLayoutEffect, useRef } from "preact/hooks"
import type { ChatSession } from "../../live/chat.ts"
import { readHash } from "../../state/narrow.ts"
import { words } from "../../words/words.ts"
import { glyphOf } from "./emoji.ts"
import { useChat } from "./hooks.ts"
import { fullTime } from "./times.ts"

const each = (root: ParentNode, selector: string, change: (element: HTMLElement) => void): void => {
  for (const element of root.querySelectorAll(selector)) if (element instanceof HTMLElement) change(element)
}

const putPictures = (root: ParentNode): void =>
  each(root, "img", (picture) => {
    const address = picture.getAttribute("src") ?? ""
    if (address.startsWith("/user_uploads/")) {
      picture.removeAttribute("src")
      picture.dataset["held"] = address
    }
    picture.setAttribute("alt", picture.getAttribute("alt") || picture.getAttribute("title") || words.picture)
  })

const putEmoji = (root: ParentNode): void =>
  each(root, "span.emoji", (span) => {
    const code = [...span.classList].find((name) => name.startsWith("emoji-"))?.slice("emoji-".length)
    if (code === undefined) return
    span.setAttribute("aria-label", span.textContent)
    span.textContent = glyphOf(code)
  })

const putLinks = (root: ParentNode): void =>
  each(root, "a[href]", (link) => {
    const address = link.getAttribute("href") ?? ""
    const [base, hash = ""] = address.split("#")
    const isHere = base === "" || base === "/" || base === `${location.origin}/`
    if (isHere && readHash(hash) !== null) return link.setAttribute("href", `#${hash}`)
    link.setAttribute("target", "_blank")
    link.setAttribute("rel", "noopener noreferrer")
  })

/** The page's policy refuses styles as attributes, while they are read already. */
const withoutStyles = (html: string): string =>
  html.replaceAll(/<[a-z][^>]*>/gi, (tag) => tag.replaceAll(/ style="/gi, ' data-style="'))

const putRight = (html: string): ReadonlyArray<Node> => {
  const { body } = new DOMParser().parseFromString(withoutStyles(html), "text/html")
  each(body, "script, iframe, object, embed, form, link, meta, style", (element) => element.remove())
  each(body, ".katex-html", (element) => element.remove())
  each(body, "[data-style]", (element) => {
    element.style.cssText = element.dataset["style"] ?? ""
    element.removeAttribute("data-style")
  })
  putPictures(body)
  putEmoji(body)
  putLinks(body)
  each(body, "time[datetime]", (time) => {
    const date = Date.parse(time.getAttribute("datetime") ?? "")
    if (!Number.isNaN(date)) time.textContent = fullTime(date / 1000)
  })
  each(body, ".spoiler-block", (block) => block.classList.add("closed"))
  each(body, ".spoiler-header", (header) => {
    header.setAttribute("role", "button")
    header.setAttribute("aria-expanded", "false")
    // What is closed is not displayed, and what is open is to be heard.
    header.nextElementSibling?.removeAttribute("aria-hidden")
    if (header.textContent.trim() === "") header.textContent = words.spoiler
  })
  each(body, ".spoiler-header, .codehilite pre", (element) => element.setAttribute("tabindex", "0"))
  return [...body.childNodes]
}

const fetchPictures = (root: ParentNode, chat: ChatSession): void =>
  each(root, "img[data-held]", (picture) => {
    void chat.files.picture(picture.dataset["held"] ?? "").then((url) => {
      if (url === null) picture.classList.add("missing")
      else picture.setAttribute("src", url)
    })
  })

const uploadPath = /\/user_uploads\/(\d+)\/([^/]+)\/([^/]+)\/([^/?#]+)$/

const openFile = async (chat: ChatSession, address: string, isPicture: boolean): Promise<void> => {
  const [, realm_id_str, shard, token, filename] = uploadPath.exec(new URL(address, location.origin).pathname) ?? []
  if (realm_id_str === undefined || shard === undefined || token === undefined || filename === undefined) return
  const params = { realm_id_str, shard, token, filename: decodeURIComponent(filename) }
  const { url } = await chat.client.call("GET /user_uploads/{realm_id_str}/{shard}/{token}/{filename}", params)
  if (isPicture) chat.show({ dialog: { kind: "picture", url } })
  else window.open(url, "_blank", "noopener")
}

const toggle = (header: Element): void => {
  const isClosed = header.parentElement?.classList.toggle("closed") ?? false
  header.setAttribute("aria-expanded", String(!isClosed))
}

const onKey = (event: KeyboardEvent): void => {
  const { target, key } = event
  if (!(target instanceof Element) || !target.matches(".spoiler-header") || (key !== "Enter" && key !== " ")) return
  event.preventDefault()
  // With the keyboard at a message Enter answers it.
  event.stopPropagation()
  toggle(target)
}

/** What is wider than its message is scrolled by keys, too. */
const letScroll = (root: ParentNode): void =>
  each(root, "table", (table) => {
    if (table.scrollWidth > table.clientWidth) table.setAttribute("tabindex", "0")
  })

const onPress = (chat: ChatSession, event: Event): void => {
  const { target } = event
  if (!(target instanceof Element)) return
  const spoiler = target.closest(".spoiler-header")
  if (spoiler !== null && target.closest("a") === null) toggle(spoiler)
  const mention = target.closest("[data-user-id]")?.getAttribute("data-user-id")
  if (mention !== null && mention !== undefined && /^\d+$/.test(mention))
    chat.show({ dialog: { kind: "profile", user: Number(mention) } })
  const address = target.closest("a")?.getAttribute("href") ?? ""
  if (!uploadPath.test(address)) return
  event.preventDefault()
  void chat.try(
    openFile(chat, address, target.closest(".message_inline_image, .message-media-preview-image, img") !== null),
  )
}

interface Props {
  readonly html: string
  readonly id?: string
  /** Of a line, which says how it runs. */
  readonly isPart?: boolean
}

export const Content = ({ html, id, isPart = false }: Props) => {
  const chat = useChat()
  const place = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const root = place.current
    if (root === null) return
    root.replaceChildren(...putRight(html))
    fetchPictures(root, chat)
    letScroll(root)
    const press = (event: Event) => onPress(chat, event)
    root.addEventListener("click", press)
    root.addEventListener("keydown", onKey)
    return () => {
      root.removeEventListener("click", press)
      root.removeEventListener("keydown", onKey)
    }
  }, [html, chat])
  return <div class="content" id={id} dir={isPart ? undefined : "auto"} ref={place} />
}
