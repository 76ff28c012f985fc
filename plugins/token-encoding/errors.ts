import { createError } from '@fastify/error'

/** An option that is not what its schema asks for; the message begins with the option's path. */
export const InvalidOptionsError = createError<string, [string]>('FST_TOKEN_INVALID_OPTIONS', '%s', 500)

/** A stream broke off with something that is no Error, undefined included. */
export const BrokenBodyError = createError<string, [{ cause: unknown }]>('FST_TOKEN_BROKEN_BODY', 'The body broke off', 500)

/** A stream gave something that cannot be sent. */
export const InvalidChunkError = createError<string, [string]>('FST_TOKEN_INVALID_CHUNK', 'A body chunk must be a string or bytes, got %s', 500)

/** A worker thread could not be started, or ended before it had encoded a body. */
export const WorkerError = createError<string, [{ cause: unknown }]>('FST_TOKEN_WORKER', 'A worker thread failed', 500)

/** The code in the body of a 406. */
export const NOT_ACCEPTABLE_CODE = 'FST_TOKEN_NOT_ACCEPTABLE'
