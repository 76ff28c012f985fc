import { spawn } from 'node:child_process'
import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildServer, Usage } from './child-server.js'

/** Starts an nginx with one worker that passes all on to the upstream; null where none is on the PATH. */
export async function startNginx (upstream: string): Promise<ChildServer | null> {
  const binary = findBinary('nginx')
  if (binary === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'token-gateway-nginx-'))
  const port = await findFreePort()
  writeFileSync(join(folder, 'nginx.conf'), configure(port, new URL(upstream).host, folder))
  const child = spawn(binary, ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')], { stdio: 'ignore' })
  const exited = once(child, 'exit')
  await waitForPort(port)
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    measure: async () => ({ cpu: readCpu(child.pid as number), heap: 0, buffers: 0, rss: 0, resources: {}, listeners: 0, warnings: [] }) satisfies Usage,
    stop: async () => {
      child.kill()
      await exited
      rmSync(folder, { recursive: true })
    }
  }
}

function findBinary (name: string): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      // Not in this folder.
    }
  }
  return null
}

function configure (port: number, upstream: string, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
  return `
daemon off; master_process off; pid ${join(folder, 'nginx.pid')};
events { worker_connections 256; }
http {
  access_log off; ${temporary.join(' ')}
  keepalive_requests 10000000;
  upstream origin { server ${upstream}; keepalive 64; keepalive_requests 10000000; }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection ""; }
  }
}
`
}

async function findFreePort (): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function waitForPort (port: number): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const socket = connect(port, '127.0.0.1')
    try {
      await once(socket, 'connect')
      return
    } catch (error) {
      if (attempt === 50) throw error
      await sleep(100)
    } finally {
      socket.destroy()
    }
  }
}

/** Microseconds; Linux counts in ticks, a hundred a second. Elsewhere it is not known. */
function readCpu (pid: number): number {
  if (process.platform !== 'linux') return NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 1e4
}
