/** Answers as zulip-js gives them: parsed, whatever the status was. */

export type Answer = Readonly<Record<string, unknown>>

/** The answer, which must be a success to which every parameter mattered. */
export const must = async (asked: Promise<Answer>): Promise<Answer> => {
  const answer = await asked
  if (answer["result"] !== "success") throw new Error(JSON.stringify(answer))
  if ("ignored_parameters_unsupported" in answer) throw new Error(`ignored: ${JSON.stringify(answer)}`)
  return answer
}
