/*
 * npm run bench:readability [-- --help]
 *
 * Whether a model can read the formats: see README.md beside this file.
 */
import { run } from './run.js'

process.exitCode = await run(process.argv.slice(2), process.env, {
  out: text => { process.stdout.write(text) },
  note: text => { process.stderr.write(text) }
})
