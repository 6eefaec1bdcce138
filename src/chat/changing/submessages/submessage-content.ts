/**
 * The acts of people in a widget: the shapes of the contents of submessages. Only the author of a message changes its
 * question or title.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { badRequest, type Checked } from "../../../api/errors.ts"
import { boolean, integer, type Shape, strictObject, string, word } from "../../../api/shapes.ts"
import { complexityFault, parseJson } from "../../../json.ts"

interface WidgetAction {
  readonly shape: Shape<object>
  /** Why nobody but the author may do it; absent where everybody may. */
  readonly authorsOnly?: string
  /** The thing that it is about, where only the last one of a sender about the same thing counts. */
  readonly subject?: (content: Readonly<Record<string, unknown>>) => string
}

/** By the type of the widget and that of the content. */
const actions: Readonly<Record<string, Readonly<Record<string, WidgetAction>>>> = {
  poll: {
    new_option: { shape: strictObject({ type: word("new_option"), idx: integer, option: string }) },
    vote: {
      shape: strictObject({ type: word("vote"), key: string, vote: word(1, -1) }),
      subject: ({ key }) => `vote ${String(key)}`,
    },
    question: {
      shape: strictObject({ type: word("question"), question: string }),
      authorsOnly: "You can't edit a question unless you are the author.",
      subject: () => "question",
    },
  },
  todo: {
    new_task: {
      shape: strictObject({ type: word("new_task"), key: integer, task: string, desc: string, completed: boolean }),
    },
    strike: { shape: strictObject({ type: word("strike"), key: string }) },
    new_task_list_title: {
      shape: strictObject({ type: word("new_task_list_title"), title: string }),
      authorsOnly: "You can't edit the task list title unless you are the author.",
      subject: () => "title",
    },
  },
}

const own = <A>(table: Readonly<Record<string, A>>, key: unknown): A | undefined =>
  Predicate.isString(key) && Object.hasOwn(table, key) ? table[key] : undefined

/** JSON of an object, as a client sends it. */
export const readSubmessage = (raw: string): Checked<Readonly<Record<string, unknown>>> => {
  const content = complexityFault(raw) === undefined ? parseJson(raw) : undefined
  return Predicate.isObject(content)
    ? Result.succeed(Object.fromEntries(Object.entries(content)))
    : Result.fail(badRequest("Invalid json for submessage"))
}

/** The type of a widget, from the submessage that came with its message; undefined where nobody does anything in it. */
export const widgetTypeOf = (first: string | undefined): string | undefined => {
  const widget = first === undefined ? undefined : parseJson(first)
  const type = Predicate.isObject(widget) ? widget["widget_type"] : undefined
  return own(actions, type) === undefined ? undefined : String(type)
}

/** The subject of the content, null for itself; refused if its author, or others, may not do it in such a widget. */
export const requireAction = (
  widget: string,
  content: Readonly<Record<string, unknown>>,
  isAuthor: boolean,
): Checked<string | null> => {
  const type = content["type"]
  const action = own(own(actions, widget) ?? {}, type)
  if (action === undefined) return Result.fail(badRequest(`Unknown type for ${widget} data`))
  if (action.authorsOnly !== undefined && !isAuthor) return Result.fail(badRequest(action.authorsOnly))
  return Result.mapBoth(action.shape(content, "content"), {
    onSuccess: () => action.subject?.(content) ?? null,
    onFailure: (sentence) => badRequest(sentence),
  })
}
