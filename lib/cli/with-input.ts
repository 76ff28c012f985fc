import { CliError, describeError } from './errors.js'
import { nameInput, readInput } from './io.js'
import type { Io } from './io.js'

/**
 * Reads an input and works on it; whatever goes wrong is told with the input's name.
 * @throws CliError
 */
export async function withInput<T> (file: string | undefined, io: Io, work: (bytes: Uint8Array) => T | Promise<T>): Promise<T> {
  try {
    return await work(await readInput(file, io))
  } catch (error) {
    throw new CliError(`${nameInput(file)}: ${describeError(error)}`)
  }
}
