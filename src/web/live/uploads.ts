/**
 * Files on their way to the server. How much of a file has gone is shown, because on a slow network it takes minutes; it is given
 * up where nothing goes any more, and can be tried again. What has come is put into what is being written, by `onDone`.
 */
import type { Account } from "../../client/index.ts"
import { type Conversation, conversationKey } from "../state/model.ts"
import { hasFields } from "./browser-storage.ts"
import { authorization } from "./message-pictures.ts"
import { Observable } from "./observable.ts"
import type { ServerConnection } from "./server-connection.ts"

export interface PageUpload {
  readonly key: number
  readonly conversation: Conversation
  readonly file: File
  /** Of the whole, from 0 to 1. */
  readonly done: number
  /** Why it has ended: what the server says; empty where no answer came. Null while it goes on. */
  readonly fault: string | null
}

/** `text`: a link to the file, as it is written in a message. */
export type OnUploaded = (conversation: Conversation, text: string) => void

/** Nothing has gone for so long. */
const silenceMilliseconds = 30_000
/** Further files wait for these: a browser has few connections, and messages need some. */
const mostAtOnce = 2

const read = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

export class PageUploads {
  readonly all = new Observable<ReadonlyArray<PageUpload>>([])
  readonly #account: Account
  readonly #line: ServerConnection
  readonly #requests = new Map<number, XMLHttpRequest>()
  readonly #waiting: Array<() => void> = []
  #count = 0

  constructor(account: Account, line: ServerConnection) {
    this.#account = account
    this.#line = line
  }

  add(conversation: Conversation, file: File, onDone: OnUploaded): void {
    const key = this.#count++
    this.all.change((all) => [...all, { key, conversation, file, done: 0, fault: null }])
    this.#send(key, onDone)
  }

  again(key: number, onDone: OnUploaded): void {
    this.#set(key, { done: 0, fault: null })
    this.#send(key, onDone)
  }

  /** What is being written belongs to another conversation now, and its files with it. */
  move(from: Conversation, to: Conversation): void {
    const key = conversationKey(from)
    this.all.change((all) =>
      all.map((each) => (conversationKey(each.conversation) === key ? { ...each, conversation: to } : each)),
    )
  }

  drop(key: number): void {
    this.all.change((all) => all.filter((each) => each.key !== key))
    this.#requests.get(key)?.abort()
  }

  #find(key: number): PageUpload | undefined {
    return this.all.value.find((each) => each.key === key)
  }

  #set(key: number, change: Partial<PageUpload>): void {
    this.all.change((all) => all.map((each) => (each.key === key ? { ...each, ...change } : each)))
  }

  #send(key: number, onDone: OnUploaded): void {
    if (this.#requests.size < mostAtOnce) this.#begin(key, onDone)
    else this.#waiting.push(() => this.#begin(key, onDone))
  }

  #begin(key: number, onDone: OnUploaded): void {
    const upload = this.#find(key)
    // It was left out while it waited.
    if (upload === undefined) return this.#waiting.shift()?.()
    // fetch does not tell how much has gone.
    const request = new XMLHttpRequest()
    this.#requests.set(key, request)
    const answered = this.#line.expect()
    let timer: ReturnType<typeof setTimeout>
    const goesOn = () => {
      clearTimeout(timer)
      timer = setTimeout(() => request.abort(), silenceMilliseconds)
    }
    request.upload.onprogress = ({ loaded, total }) => {
      goesOn()
      this.#line.hear()
      this.#set(key, { done: total === 0 ? 0 : loaded / total })
    }
    request.onloadend = () => {
      clearTimeout(timer)
      answered()
      this.#requests.delete(key)
      if (request.status > 0) this.#line.hear()
      this.#waiting.shift()?.()
      this.#end(key, read(request.responseText), onDone)
    }
    const form = new FormData()
    form.append("file", upload.file)
    request.open("POST", "/api/v1/user_uploads")
    request.setRequestHeader("Authorization", authorization(this.#account))
    request.send(form)
    goesOn()
  }

  #end(key: number, answer: unknown, onDone: OnUploaded): void {
    const upload = this.#find(key)
    if (upload === undefined) return
    if (hasFields(answer, "url", "filename")) {
      this.drop(key)
      onDone(upload.conversation, `[${String(answer.filename)}](${String(answer.url)}) `)
    } else this.#set(key, { fault: hasFields(answer, "msg") ? String(answer.msg) : "" })
  }
}
