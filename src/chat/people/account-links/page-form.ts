/** Parts of the forms on pages for people. What is given is text, but for labels: it is escaped. */
import type { ApiError } from "../../../api/errors.ts"
import { longestPassword } from "../../ground/sign-in/passwords.ts"
import { escapeHtml } from "../../text/markdown/rules/code-block.ts"

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeHtml(String(value))}"`)
    .join("")

export const field = (id: string, label: string, values: Readonly<Record<string, string | number>>): string =>
  `<label for="${id}">${label}</label>
<input${attributes({ id, name: id, ...values })} required>`

/** A password that is chosen; it is not shown again. */
export const passwordField = (id: string, label: string, shortest: number): string =>
  field(id, `${label} (at least ${shortest} characters)`, {
    type: "password",
    autocomplete: "new-password",
    minlength: shortest,
    maxlength: longestPassword,
  })

/** `fault`: why what was entered was refused. */
export const showForm = (fields: ReadonlyArray<string>, button: string, fault?: ApiError): string =>
  [
    ...(fault === undefined ? [] : [`<p class="fault" role="alert">${escapeHtml(fault.msg)}</p>`]),
    `<form method="post">`,
    ...fields,
    `<button>${button}</button>`,
    "</form>",
  ].join("\n")
