#!/usr/bin/env node
import { run } from './run.js'

const { stdout, stderr, env, argv } = process
process.exit(await run(argv.slice(2), {
  // Not touched unless it is read: Node makes a pipe non-blocking, for all processes that share it.
  get stdin () { return process.stdin },
  stdout,
  stderr,
  env,
  signals: process
}))
