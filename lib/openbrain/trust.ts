import { createHash } from 'node:crypto'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { forgeHome } from '../shared/home.js'
import { writePrivateFile } from '../shared/private-file.js'
import { StoreFailure } from './failure.js'
import { placeOf, type StoreSettings } from './settings.js'

/** One file for each approval, so that two processes that approve at once cannot lose one. */
const FOLDER = 'trusted-stores'
/** What others may write is no word of the user's. */
const OTHERS_WRITE = 0o022

/** What a project's files name, as it is approved and shown. */
type Named = Pick<StoreSettings, 'projectDir' | 'storeAddress' | 'embedderAddress'>

/** Approves that what is captured in this project may go to these addresses. */
export function approve(projectDir: string, addresses: string[]): void {
  const project = rootOf(projectDir)
  for (const address of addresses) {
    const record = { _v: 1, project, address, approvedAt: new Date().toISOString() }
    writePrivateFile(fileOf(project, address), `${JSON.stringify(record)}\n`)
  }
}

/** Returns the addresses that the project's files name and nobody has approved on this machine. */
export function untrusted({ projectDir, storeAddress, embedderAddress }: Named): string[] {
  const named = [storeAddress, embedderAddress].filter((address) => address !== undefined)
  return named.filter((address) => !isApproved(rootOf(projectDir), address))
}

/** Throws `misconfigured` for a store that was not approved. Call it before the first byte goes there. */
export function requireTrust({ projectDir, storeAddress }: Named): void {
  if (storeAddress !== undefined && untrusted({ projectDir, storeAddress }).length > 0) {
    throw new StoreFailure('misconfigured', refusal(storeAddress))
  }
}

/** Says why nothing is sent to an address, and what to do about it. */
export function refusal(address: string): string {
  const place = placeOf(new URL(address))
  return `${place} is named by the project's files and not approved on this machine: forge-memory drain --trust approves it`
}

function isApproved(project: string, address: string): boolean {
  try {
    const path = fileOf(project, address)
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_WRITE) !== 0) return false
    const record: unknown = JSON.parse(readFileSync(path, 'utf8'))
    const known = record as { project?: unknown; address?: unknown } | null
    return known?.project === project && known.address === address
  } catch {
    // Not there, or not what we wrote: no approval.
    return false
  }
}

function fileOf(project: string, address: string): string {
  const name = createHash('sha256')
    .update(JSON.stringify([project, address]))
    .digest('hex')
  return join(forgeHome(), FOLDER, `${name}.json`)
}

/** A project is where it really lies: a copy of it elsewhere is another one. */
function rootOf(projectDir: string): string {
  try {
    return realpathSync.native(projectDir)
  } catch {
    return projectDir
  }
}
