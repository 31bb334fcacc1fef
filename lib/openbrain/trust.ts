import { type ApprovalKind, approve as approveThing, isApproved } from '../shared/approvals.js'
import { StoreFailure } from './failure.js'
import { placeOf, type StoreSettings } from './settings.js'
import { approveUse, isUseApproved } from './variables.js'

const STORES: ApprovalKind = { folder: 'trusted-stores', field: 'address' }

/** The addresses and variables that a project's files name, as they are approved and shown. */
type Named = Pick<StoreSettings, 'projectDir' | 'storeAddress' | 'embedderAddress'> & { variableUses?: string[] }

/** Approves that captures of this project are sent to the addresses that its files name now, with the variables they name. */
export function approve({ projectDir, storeAddress, embedderAddress, variableUses = [] }: Named): void {
  for (const address of [storeAddress, embedderAddress]) {
    if (address !== undefined) approveThing(STORES, projectDir, address)
  }
  for (const use of variableUses) approveUse(projectDir, use)
}

/** Returns the addresses and variables of the project's files that are not approved on this machine. */
export function untrusted({ projectDir, storeAddress, embedderAddress, variableUses = [] }: Named): string[] {
  const named = [storeAddress, embedderAddress].filter((address) => address !== undefined)
  return [
    ...named.filter((address) => !isApproved(STORES, projectDir, address)),
    ...variableUses.filter((use) => !isUseApproved(projectDir, use)),
  ]
}

/** Throws `misconfigured` unless the store is approved. It must be called before anything is sent to it. */
export function requireTrust({ projectDir, storeAddress, variableUses = [] }: Named): void {
  const [first] = untrusted({ projectDir, variableUses, ...(storeAddress === undefined ? {} : { storeAddress }) })
  if (first !== undefined) throw new StoreFailure('misconfigured', refusal(first))
}

/** Returns why nothing is sent to an address, and how to approve it. */
export function refusal(named: string): string {
  const place = URL.canParse(named) ? placeOf(new URL(named)) : named
  return `${place} is named by the project's files and not approved on this machine: forge-memory drain --trust approves it`
}
