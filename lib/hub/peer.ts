import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

const ESTABLISHED = '01'
const ROOT = 0

/**
 * True if a loopback connection is of a program of this user, or of root, which can read everything anyway (and relays connections
 * into virtual machines). Only Linux says at once whose a connection is; elsewhere the answer is always yes.
 */
export function isOfThisUser({ localPort = 0, remotePort = 0 }: Socket): boolean {
  if (process.platform !== 'linux') return true
  const owners = ['tcp', 'tcp6'].flatMap((table) => rowsOf(table)).filter(isOther(localPort, remotePort))
  // Several loopback addresses may use the same two ports: every one of them has to be this user's.
  return owners.length > 0 && owners.every(([, , , , , , , uid]) => [ROOT, process.geteuid?.()].includes(Number(uid)))
}

/** The rows of a table of connections: number, local address, remote address, state, queues, timer, retransmits, user. */
function rowsOf(table: string): string[][] {
  try {
    const [, ...rows] = readFileSync(`/proc/self/net/${table}`, 'utf8').trim().split('\n')
    return rows.map((row) => row.trim().split(/\s+/))
  } catch {
    return []
  }
}

/** Finds the other end of a connection: its ports are those of this end, exchanged. */
function isOther(localPort: number, remotePort: number) {
  const ends = (address: string | undefined, port: number) => Number.parseInt(address?.split(':')[1] ?? '', 16) === port
  return ([, from, to, state]: string[]) => state === ESTABLISHED && ends(from, remotePort) && ends(to, localPort)
}
