import { Ajv } from 'ajv'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { CODING_NAMES } from '../../lib/codec.js'
import { mcpOptionsSchema } from '../../lib/mcp/options.js'
import { encodingOptionsSchema } from '../../lib/options.js'
import { InvalidOptionsError } from './errors.js'
import type { TokenEncodingOptions } from './options.js'

// Verbose: the schema of a fault says in its description what it stands for.
const ajv = new Ajv({ allErrors: true, verbose: true })
const MIN_BYTES = { type: 'integer', minimum: 0 }
// What stands for itself in a query.
const PARAMETER = objectOrFalse({ type: 'string', pattern: '^[A-Za-z0-9_.~-]+$', description: 'a name of letters, digits, "_", ".", "~" and "-"' }, 'string')
const VALIDATORS = {
  plugin: compile({ minBytes: MIN_BYTES, maxThreads: { type: 'integer', minimum: 1 } }, { warmUp: { type: 'boolean' } }),
  // The threads are those of the plugin, and so is the process.
  route: compile({ minBytes: MIN_BYTES })
}

/**
 * Checks the options of the plugin or of a route.
 *
 * @param path of the options, for the message
 * @throws FST_TOKEN_INVALID_OPTIONS that names every wrong option by its path
 */
export function checkOptions (options: object, path: string, kind: 'plugin' | 'route'): TokenEncodingOptions {
  const validate = VALIDATORS[kind]
  const faults = validate(options) ? [] : selectFaults(validate.errors!).map((error) => describe(error, path))
  const { onDecision, mcp } = options as TokenEncodingOptions
  const beforeEncode = mcp ? mcp.beforeEncode : undefined
  for (const [name, value] of Object.entries({ onDecision, 'mcp.beforeEncode': beforeEncode })) {
    if (value !== undefined && typeof value !== 'function') faults.push(`${path}.${name} must be a function`)
  }
  if (faults.length > 0) throw new InvalidOptionsError(faults.join('; '))
  return options
}

function compile (workers: object, others: object = {}): ValidateFunction {
  return ajv.compile({
    ...encodingOptionsSchema,
    properties: {
      ...encodingOptionsSchema.properties,
      ...others,
      workers: objectOrFalse({ type: 'object', additionalProperties: false, properties: workers }),
      mcp: objectOrFalse(mcpOptionsSchema),
      formatParameter: PARAMETER,
      fieldsParameter: PARAMETER,
      requestMeta: { type: 'boolean' },
      defaultFormat: { type: 'string', enum: [...CODING_NAMES, 'json', 'markdown'] },
      // JSON Schema has no functions: the type is checked apart.
      onDecision: {}
    }
  })
}

function objectOrFalse (schema: object, type: 'object' | 'string' = 'object'): object {
  return { if: { type }, then: schema, else: { const: false } }
}

/** One fault for each place that says all that is expected there, where there is one. */
function selectFaults (errors: readonly ErrorObject[]): ErrorObject[] {
  return errors.filter((error) => {
    const rivals = errors.filter(({ instancePath }) => instancePath === error.instancePath)
    const best = rivals.find((rival) => readDescription(rival) !== undefined) ?? rivals.find(({ keyword }) => keyword === 'enum')
    // Of alternatives, what is wrong inside of them says more.
    return best === undefined ? error.keyword !== 'anyOf' && error.keyword !== 'if' : best === error
  })
}

function readDescription ({ parentSchema }: ErrorObject): string | undefined {
  return parentSchema?.description
}

function describe (error: ErrorObject, path: string): string {
  const { instancePath, keyword, params, message, schemaPath } = error
  // RFC 6901: names of tools may hold what a pointer escapes.
  const place = path + instancePath.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  const description = readDescription(error)
  if (description !== undefined) return `${place} must be ${description}`
  if (keyword === 'additionalProperties') return `${place}.${params.additionalProperty} is not an option`
  if (keyword === 'const') return `${place} must be false or ${schemaPath.includes('Parameter') ? 'a name' : 'an object'}`
  if (keyword === 'enum') return `${place} must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`
  return `${place} ${message}`
}
