/* The process of a ChildServer: node server-process.js ROLE UPSTREAM */
import type { Usage } from './child-server.js'
import { SERVERS } from './servers.js'

const [role, upstream] = process.argv.slice(2)
const warnings: string[] = []

function measure (): Usage {
  const { user, system } = process.cpuUsage()
  for (let i = 0; i < 4; i++) globalThis.gc?.()
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return { cpu: user + system, heap: heapUsed, buffers: arrayBuffers, rss, resources, listeners, warnings }
}

process.on('warning', (warning) => { warnings.push(`${warning.name}: ${warning.message}`) })
process.on('message', () => { process.send!(measure()) })
// By exit, so that a profile is written.
process.on('disconnect', () => { process.exit() })
process.send!(await SERVERS[role](upstream))
