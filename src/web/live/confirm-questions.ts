/** Questions before what is not easily undone, asked by the page itself: view/parts/question.tsx shows the one that is open. */
import { Observable } from "./observable.ts"

export interface ConfirmQuestion {
  readonly title: string
  /** What it does, in full. */
  readonly text: string
  /** What the button says that does it. */
  readonly action: string
  readonly isDanger?: boolean
}

interface OpenQuestion extends ConfirmQuestion {
  readonly answer: (isYes: boolean) => void
}

export class ConfirmQuestions {
  readonly open = new Observable<OpenQuestion | null>(null)

  /** Whoever is asked something else meanwhile has said no. */
  ask(question: ConfirmQuestion): Promise<boolean> {
    this.drop()
    return new Promise((resolve) => {
      const answer = (isYes: boolean) => {
        this.open.change((open) => (open?.answer === answer ? null : open))
        resolve(isYes)
      }
      this.open.change(() => ({ ...question, answer }))
    })
  }

  drop(): void {
    this.open.value?.answer(false)
  }
}
