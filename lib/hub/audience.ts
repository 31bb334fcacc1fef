// Publish and subscribe: fan-out of events to WebSocket clients by the types they handle.
import type { TailEvent } from '../native.js'
import type { Client } from './client.js'
import { encodeFrame, joinFrames } from './frames.js'

/** The maximum number of bytes per write to a socket. */
const PIECE_BYTES = 1 << 18

/** Clients that handle the same types. */
interface Group {
  handles: string[] | null
  clients: Set<Client>
  verdicts: Map<string, boolean>
}

/**
 * Fan-out of live events to clients, grouped by the types that they handle, so that an event is encoded once for all
 * clients.
 */
export class Audience {
  private readonly groups = new Map<string, Group>()
  private readonly members = new Set<Client>()
  private union: string[] | undefined = []

  add(client: Client): void {
    const key = JSON.stringify(client.handles)
    const group = this.groups.get(key) ?? { handles: client.handles, clients: new Set(), verdicts: new Map() }
    group.clients.add(client)
    this.groups.set(key, group)
    this.members.add(client)
    this.unite()
  }

  remove(client: Client): void {
    this.members.delete(client)
    for (const [key, group] of this.groups) {
      if (group.clients.delete(client) && group.clients.size === 0) this.groups.delete(key)
    }
    this.unite()
  }

  has(client: Client): boolean {
    return this.members.has(client)
  }

  /** Returns the union of the types that clients handle; undefined when one handles all. */
  wanted(): string[] | undefined {
    return this.union
  }

  wants(type: string): boolean {
    return [...this.groups.values()].some((group) => takes(group, type))
  }

  deliver(events: Pick<TailEvent, 'type' | 'line'>[]): void {
    const frames: (Buffer | undefined)[] = new Array(events.length)
    for (const group of this.groups.values()) {
      const taken: Buffer[] = []
      events.forEach((event, at) => {
        if (!takes(group, event.type)) return
        const frame = frames[at] ?? encodeFrame(event.line)
        frames[at] = frame
        taken.push(frame)
      })
      for (const piece of joinFrames(taken, PIECE_BYTES)) for (const client of group.clients) client.write(piece)
    }
  }

  private unite(): void {
    const groups = [...this.groups.values()]
    this.union = groups.some(({ handles }) => handles === null)
      ? undefined
      : [...new Set(groups.flatMap(({ handles }) => handles ?? []))]
  }
}

function takes({ handles, verdicts }: Group, type: string): boolean {
  if (handles === null) return true
  let verdict = verdicts.get(type)
  if (verdict === undefined) {
    verdict = handlesType(handles, type)
    // The cache is bounded, because clients choose the types.
    if (verdicts.size > 1000) verdicts.clear()
    verdicts.set(type, verdict)
  }
  return verdict
}

/** True if a type matches one of the names, which may end with the wildcard `*`. */
export function handlesType(handles: string[], type: string): boolean {
  return handles.some((name) => (name.endsWith('*') ? type.startsWith(name.slice(0, -1)) : type === name))
}
