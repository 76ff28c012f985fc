/**
 * Works on all items, so many at a time, in their order. The first failure is thrown when all that had begun have ended.
 * @param width how many at a time, 1 or more
 * @param work gets a signal that aborts when another item has failed
 */
export async function runBounded<T> (items: readonly T[], width: number, work: (item: T, signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < items.length && !controller.signal.aborted) {
      try {
        await work(items[next++], controller.signal)
      } catch (error) {
        // The others fail for this one from here on; only the first is told.
        controller.abort(error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, lane))
  if (controller.signal.aborted) throw controller.signal.reason
}
