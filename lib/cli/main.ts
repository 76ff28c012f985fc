#!/usr/bin/env node
import { run } from './run.js'

const { stdin, stdout, stderr, env, argv } = process
process.exit(await run(argv.slice(2), { stdin, stdout, stderr, env, signals: process }))
