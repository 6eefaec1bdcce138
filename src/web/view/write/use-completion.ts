/** Offers names while one types, and puts the chosen one in: for every field that messages are written in. */
import { useEffect, useState } from "preact/hooks"
import { type CompletionOffer, complete, offersFor, questionAt } from "../../state/completion.ts"
import { glyphOf, useEmoji } from "../parts/emoji.ts"
import { useFields } from "../parts/hooks.ts"

interface Completion {
  readonly offers: ReadonlyArray<CompletionOffer>
  readonly picked: number
  readonly choose: (offer: CompletionOffer) => void
  /** Whether the key was for the offers. */
  readonly onKey: (event: KeyboardEvent) => boolean
}

/** `put`: the text with the choice in it, and where the caret is then. */
export const useCompletion = (text: string, caret: number, put: (text: string, caret: number) => void): Completion => {
  const state = useFields("people", "groups", "channels", "emoji")
  const [picked, setPicked] = useState(0)
  const [isQuiet, setQuiet] = useState(false)
  useEffect(() => {
    setPicked(0)
    setQuiet(false)
  }, [text])
  const question = isQuiet ? null : questionAt(text, caret)
  const emoji = useEmoji(question?.sign === ":")
  const offers = question === null ? [] : offersFor(state, question, emoji, glyphOf)
  const choose = (offer: CompletionOffer) => {
    if (question === null) return
    const done = complete(text, caret, question, offer)
    put(done.text, done.caret)
  }
  const act = (key: string): boolean => {
    const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0
    const offer = offers[picked]
    if (step !== 0) setPicked((picked + step + offers.length) % offers.length)
    else if ((key === "Enter" || key === "Tab") && offer !== undefined) choose(offer)
    else if (key === "Escape") setQuiet(true)
    else return false
    return true
  }
  const onKey = (event: KeyboardEvent): boolean => {
    if (offers.length === 0 || !act(event.key)) return false
    event.preventDefault()
    event.stopPropagation()
    return true
  }
  return { offers, picked, choose, onKey }
}
