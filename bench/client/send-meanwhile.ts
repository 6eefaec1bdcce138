/** Sends of others while something goes on. */

/** Sends messages, one every `pace` milliseconds, for as long as `work` takes; answers how long each took. */
export const sendMeanwhile = async (
  send: () => Promise<number>,
  pace: number,
  work: Promise<unknown>,
): Promise<ReadonlyArray<number>> => {
  const sends: Array<Promise<number>> = []
  let isDone = false
  const end = () => {
    isDone = true
  }
  void work.then(end, end)
  while (!isDone) {
    sends.push(send())
    await new Promise((resolve) => setTimeout(resolve, pace))
  }
  return Promise.all(sends)
}
