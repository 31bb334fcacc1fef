import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  findProject,
  isDutyTaken,
  memoryDir,
  type ProjectDuty,
  removeServerPorts,
  type ServerPorts,
  writeServerPorts,
} from '../native.js'
import { readConfinedText } from '../shared/confined.js'
import { takeDuty } from '../shared/duty.js'
import { attempt, hasCode } from '../shared/problem.js'

/** How often a standby hub checks whether the published one is gone. */
const RETRY_MS = 1000
const PORTS_BYTES_MAX = 64 * 1024

/** The content of `.forge/server-ports.json`. */
export type HubPorts = Omit<ServerPorts, 'http'> & { http?: number }

const portsPath = (holder: string) => join(holder, '.forge', 'server-ports.json')

/** Reads the port of the project's hub; null when none runs, also when a stale file is left. Never throws. */
export function readHubPort(projectDir?: string): HubPorts | null {
  try {
    const folder = findProject(projectDir === undefined ? {} : { projectDir })
    const ports = readPortsFile(folder)
    return ports !== null && isServed(folder, ports.pid) ? ports : null
  } catch {
    return null
  }
}

/** Reads the file without checking whether its hub runs; null when it names no port. Throws when it cannot be read. */
export function readPortsFile(folder: string): HubPorts | null {
  const holder = memoryDir({ projectDir: folder })
  const ports = JSON.parse(readConfinedText(holder, portsPath(holder), PORTS_BYTES_MAX) ?? 'null') as HubPorts | null
  const isPort = ports !== null && Number.isInteger(ports.ws) && ports.ws >= 1 && ports.ws <= 65_535
  return isPort ? ports : null
}

/** True if the hub of the file runs: its process holds a lock. Where locks cannot be read, the process id has to do. */
function isServed(projectDir: string, pid: number): boolean {
  return attempt(() => isDutyTaken('server-ports', { projectDir })) ?? isAlive(pid)
}

/** True if a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/**
 * Leader election among the hubs of a project: one holds the lock and publishes its port. The others stand by; when it ends,
 * in whatever way, the next one replaces the file.
 */
export class PortsClaim {
  private readonly projectDir: string
  private readonly ports: HubPorts
  private readonly timer: NodeJS.Timeout
  private duty: ProjectDuty | undefined

  constructor(projectDir: string, ports: HubPorts) {
    this.projectDir = projectDir
    this.ports = ports
    this.renew()
    this.timer = setInterval(() => this.renew(), RETRY_MS)
    this.timer.unref()
  }

  get isHeld(): boolean {
    return this.duty !== undefined
  }

  release(): void {
    clearInterval(this.timer)
    if (!this.duty) return
    this.attempt(() => removeServerPorts({ projectDir: this.projectDir }))
    this.duty.release()
    this.duty = undefined
  }

  private renew(): void {
    this.attempt(() => {
      const { projectDir } = this
      if (this.duty) {
        if (!existsSync(portsPath(memoryDir({ projectDir })))) writeServerPorts(this.ports, { projectDir })
        return
      }
      this.duty = takeDuty('server-ports', projectDir)
      if (this.duty === undefined) return
      writeServerPorts(this.ports, { projectDir })
    })
  }

  /** Attempts a write. In a read-only project the hub works, but its port cannot be published. */
  private attempt(work: () => void): void {
    try {
      work()
    } catch {
      return
    }
  }
}
