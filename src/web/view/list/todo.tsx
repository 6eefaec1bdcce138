/** A to-do list: whoever reads it ticks what is done, and adds what is to be done. */
import { useState as useOwn } from "preact/hooks"
import type { Post } from "../../state/model.ts"
import { firstOf } from "../../state/poll.ts"
import { newTask, type Todo } from "../../state/todo.ts"
import { words } from "../../words/words.ts"
import { useChat, useState } from "../parts/hooks.ts"
import { AddForm, act } from "./acts.tsx"

const mostTasks = 100

export const TodoView = ({ post, todo }: { readonly post: Post; readonly todo: Todo }) => {
  const chat = useChat()
  const self = useState((state) => state.self.id)
  // To strike twice is to take it up again, so a tick that is not answered yet is not made again.
  const [busy, setBusy] = useOwn<ReadonlySet<string>>(new Set())
  const strike = async (event: Event, key: string) => {
    // It is ticked when everybody sees it.
    event.preventDefault()
    if (busy.has(key)) return
    setBusy((keys) => new Set([...keys, key]))
    await act(chat, post, { type: "strike", key })
    setBusy((keys) => new Set([...keys].filter((each) => each !== key)))
  }
  const [shown, hidden] = firstOf(todo.tasks, mostTasks)
  return (
    <section class="poll todo" aria-label={words.todo}>
      <p class="question">
        <b dir="auto">{todo.title === "" ? words.todo : todo.title}</b>
      </p>
      <ul>
        {shown.map(({ key, text, about, isDone }) => (
          <li key={key}>
            <label class={`check ${isDone ? "done" : ""}`} aria-busy={busy.has(key)}>
              <input type="checkbox" checked={isDone} onClick={(event) => void strike(event, key)} />
              <span dir="auto">{text}</span>
              {about !== "" && (
                <span class="quiet" dir="auto">
                  {about}
                </span>
              )}
            </label>
          </li>
        ))}
      </ul>
      {hidden > 0 && <p class="quiet">{words.andMore(hidden)}</p>}
      <AddForm label={words.newTask} onAdd={(text) => act(chat, post, newTask(todo, self, text))} />
    </section>
  )
}
