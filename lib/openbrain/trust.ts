import { type ApprovalKind, approve as approveThing, isApproved } from '../shared/approvals.js'
import { StoreFailure } from './failure.js'
import { placeOf, type StoreSettings } from './settings.js'
import { approveUse, isUseApproved } from './variables.js'

const STORES: ApprovalKind = { folder: 'trusted-stores', field: 'address' }

/** What a project's files name, as it is approved and shown. */
type Named = Pick<StoreSettings, 'projectDir' | 'storeAddress' | 'embedderAddress'> & { variableUses?: string[] }

/** Approves that what is captured in this project may go to the addresses its files name now, with the variables they name. */
export function approve({ projectDir, storeAddress, embedderAddress, variableUses = [] }: Named): void {
  for (const address of [storeAddress, embedderAddress]) {
    if (address !== undefined) approveThing(STORES, projectDir, address)
  }
  for (const use of variableUses) approveUse(projectDir, use)
}

/** Returns what the project's files name and is not approved on this machine: addresses, and variables for them. */
export function untrusted({ projectDir, storeAddress, embedderAddress, variableUses = [] }: Named): string[] {
  const named = [storeAddress, embedderAddress].filter((address) => address !== undefined)
  return [
    ...named.filter((address) => !isApproved(STORES, projectDir, address)),
    ...variableUses.filter((use) => !isUseApproved(projectDir, use)),
  ]
}

/** Throws `misconfigured` for a store that was not approved. Call it before the first byte goes there. */
export function requireTrust({ projectDir, storeAddress, variableUses = [] }: Named): void {
  const [first] = untrusted({ projectDir, variableUses, ...(storeAddress === undefined ? {} : { storeAddress }) })
  if (first !== undefined) throw new StoreFailure('misconfigured', refusal(first))
}

/** Says why nothing is sent to an address, and what to do about it. */
export function refusal(named: string): string {
  const place = URL.canParse(named) ? placeOf(new URL(named)) : named
  return `${place} is named by the project's files and not approved on this machine: forge-memory drain --trust approves it`
}
