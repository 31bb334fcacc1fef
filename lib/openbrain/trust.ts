import { type ApprovalKind, approve as approveThing, isApproved } from '../shared/approvals.js'
import { StoreFailure } from './failure.js'
import { placeOf, type StoreSettings } from './settings.js'

const STORES: ApprovalKind = { folder: 'trusted-stores', field: 'address' }

/** What a project's files name, as it is approved and shown. */
type Named = Pick<StoreSettings, 'projectDir' | 'storeAddress' | 'embedderAddress'>

/** Approves that what is captured in this project may go to these addresses. */
export function approve(projectDir: string, addresses: string[]): void {
  for (const address of addresses) approveThing(STORES, projectDir, address)
}

/** Returns the addresses that the project's files name and nobody has approved on this machine. */
export function untrusted({ projectDir, storeAddress, embedderAddress }: Named): string[] {
  const named = [storeAddress, embedderAddress].filter((address) => address !== undefined)
  return named.filter((address) => !isApproved(STORES, projectDir, address))
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
