/** A to-do list: whoever reads it ticks what is done, and adds what is to be done. */
import { useEffect, useRef, useState } from "preact/hooks"
import { firstOf } from "../../state/first-items.ts"
import type { PagePost } from "../../state/model.ts"
import { newTask, type TodoList } from "../../state/todo.ts"
import { words } from "../../words/words.ts"
import { useChat, useChatState } from "../parts/hooks.ts"
import { AddForm, act } from "./widget-acts.tsx"

const mostTasks = 100

interface Props {
  readonly post: PagePost
  readonly todo: TodoList
  readonly id?: string
}

export const TodoView = ({ post, todo, id }: Props) => {
  const chat = useChat()
  const self = useChatState((state) => state.self.id)
  const sent = useRef(0)
  // To strike twice is to take it up again: a tick is not made again before it is seen. Each with how it was.
  const [busy, setBusy] = useState<ReadonlyMap<string, boolean>>(new Map())
  useEffect(() => {
    const now = new Map(todo.tasks.map(({ key, isDone }) => [key, isDone]))
    setBusy((all) => new Map([...all].filter(([key, wasDone]) => now.get(key) === wasDone)))
  }, [todo])
  const strike = async (event: Event, key: string, isDone: boolean) => {
    // It is ticked when everybody sees it.
    event.preventDefault()
    if (busy.has(key)) return
    setBusy((all) => new Map([...all, [key, isDone]]))
    if (await act(chat, post, { type: "strike", key })) return
    setBusy((all) => new Map([...all].filter(([each]) => each !== key)))
  }
  const add = (text: string) => {
    const task = newTask(todo, self, text, sent.current)
    sent.current = task.key
    return act(chat, post, task)
  }
  const [shown, hidden] = firstOf(todo.tasks, mostTasks)
  return (
    <fieldset class="poll todo" id={id} aria-label={todo.title === "" ? words.todo : todo.title}>
      <p class="question">
        <b dir="auto">{todo.title === "" ? words.todo : todo.title}</b>
      </p>
      <ul>
        {shown.map(({ key, text, about, isDone }) => (
          <li key={key}>
            <label class={`check ${isDone ? "done" : ""}`} aria-busy={busy.has(key)}>
              <input type="checkbox" checked={isDone} onClick={(event) => void strike(event, key, isDone)} />
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
      <AddForm label={words.newTask} onAdd={add} />
    </fieldset>
  )
}
