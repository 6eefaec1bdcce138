/**
 * The kinds of content of a message that searches ask for (has:link and the like): found in its HTML, so that what is
 * shown and what is found agree. Called wherever rendered content is stored: by sends, notices, edits and what renders
 * anew. Takes time in proportion to the number of tags.
 */

/** As the columns of the table of messages, and the fields of send_messages_v5, are called. */
export interface ContentKinds {
  readonly has_link: boolean
  readonly has_image: boolean
  /** It links a file that was uploaded here. */
  readonly has_attachment: boolean
}

/** The tags that matter. The renderer makes them in this form only, and everything else in the text is escaped. */
const tags = /<(a|img|video|audio|div)\b([^>]*)>/g
const addresses = /\s(?:href|src)="([^"]*)"/g
const imageAddress = /^[^?#]*\.(?:png|jpe?g|gif|webp|bmp|avif|heic|tiff?)(?:[?#]|$)/i
/** Names of channels, topics and messages: links in form, but their authors wrote none. */
const namesPlace = /\sclass="(?:stream|stream-topic|message-link)"/
const isEmoji = /\sclass="emoji"/
/** Previews of other things hold a picture too. */
const otherPreviews = /\sclass="(?:youtube-video|embed-video|message_embed)\b/
const uploads = "/user_uploads/"

/** Reads the HTML that a message was rendered to. */
export const contentKindsOf = (html: string): ContentKinds => {
  let has_link = false
  let has_image = false
  let has_attachment = false
  let inOtherPreview = false
  for (const [, tag, attributes = ""] of html.matchAll(tags)) {
    if (tag === "div") inOtherPreview = otherPreviews.test(attributes)
    else if (tag === "img" && isEmoji.test(attributes)) continue
    else if (tag === "a" && namesPlace.test(attributes)) continue
    else {
      has_link ||= tag === "a"
      has_image ||= tag === "img" && !inOtherPreview
      for (const [, address = ""] of attributes.matchAll(addresses)) {
        has_attachment ||= address.startsWith(uploads)
        has_image ||= tag === "a" && !inOtherPreview && imageAddress.test(address)
      }
    }
    if (has_link && has_image && has_attachment) break
  }
  return { has_link, has_image, has_attachment }
}
