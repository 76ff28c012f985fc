import type { Test } from 'tap'

/** Asserts that `run` throws an error that has at least these properties. */
export function throwsLike (t: Test, run: () => unknown, expected: Record<string, unknown>, name = JSON.stringify(expected)): void {
  t.throws(run, expected as unknown as Error, name)
}
