/** Faults in HTML of the renderer: other tags, attributes or addresses than it makes, or what is not closed. */

/** For each tag its attributes, with what they may hold. */
const classes = /^[a-z0-9 _+-]+$/
const word = /^[^<>]*$/
const number = /^\d+$/
const place = /^(?:https?:|mailto:|tel:|\/(?![/\\])|#|\?)/i
const allowed: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  a: {
    href: place,
    title: word,
    class: classes,
    "data-stream-id": number,
    "data-id": /^[\w-]+$/,
    style: /^background-image: url\("\/external_content\/[0-9a-f]{40}\/[0-9a-f]+"\)$/,
  },
  span: {
    class: classes,
    "data-user-id": /^(?:\d+|\*)$/,
    "data-user-group-id": number,
    "aria-label": word,
    role: /^img$/,
    title: word,
  },
  img: {
    alt: word,
    class: classes,
    src: /^\/(?:user_avatars|static|external_content|user_uploads\/thumbnail)\//,
    title: word,
    "data-animated": /^true$/,
    "data-original-content-type": /^image\/[a-z]+$/,
    "data-original-dimensions": /^\d+x\d+$/,
  },
  video: { preload: /^metadata$/, src: /^\/user_uploads\// },
  audio: { preload: /^metadata$/, src: /^\/user_uploads\//, title: word },
  div: { class: classes, "data-code-language": word, "aria-hidden": /^true$/ },
  time: { datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ },
  ol: { start: number },
  th: { style: /^text-align: (?:left|center|right);$/ },
  td: { style: /^text-align: (?:left|center|right);$/ },
  ...Object.fromEntries(
    "p br hr strong em del code pre blockquote ul li table thead tbody tr h1 h2 h3 h4 h5 h6"
      .split(" ")
      .map((tag) => [tag, {}]),
  ),
}
const empty: ReadonlySet<string> = new Set(["br", "hr", "img"])

const decode = (text: string): string =>
  text.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ({ "&lt;": "<", "&gt;": ">", "&quot;": '"' })[entity] ?? "&")

const attributesFault = (tag: string, rest: string): string | undefined => {
  const known = allowed[tag]
  if (known === undefined) return `the tag ${tag}`
  // The one attribute that has no value.
  let left = tag === "audio" ? rest.replace(/^ controls /, " ") : rest
  while (left !== "") {
    const [whole = "", name = "", value = ""] = /^ ([a-z-]+)="([^"]*)"/.exec(left) ?? []
    if (whole === "") return `malformed attributes: ${rest}`
    if (known[name]?.test(decode(value)) !== true && !(name === "title" || name === "data-code-language"))
      return `the attribute ${name}="${value}" of ${tag}`
    if (known[name] === undefined) return `the attribute ${name} of ${tag}`
    left = left.slice(whole.length)
  }
  return undefined
}

export const htmlFault = (html: string): string | undefined => {
  const open: Array<string> = []
  const part = /<(\/?)([a-z0-9]+)((?: [^<>]*)?)>|[^<>&"]+|&(?:lt|gt|quot|amp|#x27);/y
  for (part.lastIndex = 0; part.lastIndex < html.length; ) {
    const at = part.lastIndex
    const found = part.exec(html)
    if (found === null) return `something that is not escaped: ${html.slice(at, at + 40)}`
    const [, slash, tag, rest = ""] = found
    if (tag === undefined) continue
    if (slash === "/") {
      if (open.pop() !== tag) return `</${tag}> closes nothing`
      continue
    }
    const fault = attributesFault(tag, rest)
    if (fault !== undefined) return fault
    if (!empty.has(tag)) open.push(tag)
  }
  return open.length === 0 ? undefined : `<${open.join("> <")}> is not closed`
}
