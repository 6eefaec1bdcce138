/** Texts and addresses within parts of Slack's messages that are of no known kind, found by what their keys are called. */
import * as Predicate from "effect/Predicate"
import { gather, link } from "../markup.ts"
import { textAt } from "../payload.ts"

const ofText =
  /(?:^|_)(?:text|title|subtitle|label|name|description|message|content|body|caption|header|summary|fallback)$/
const ofAddress = /(?:^|_)(?:url|link)$/

/** `show`: for what has parts itself; `read`: for a text. */
export const textsWithin = (part: object, show: (inner: unknown) => string, read: (text: string) => string): string =>
  gather(Object.entries(part), ([key, value]) => {
    if (Array.isArray(value)) return gather(value, show).join("\n")
    if (Predicate.isObject(value)) return show(value)
    const text = textAt({ value }, "value")
    if (ofText.test(key)) return read(text)
    return ofAddress.test(key) && text !== "" ? link(text, text) : ""
  }).join("\n")
