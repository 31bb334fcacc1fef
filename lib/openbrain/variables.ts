import { type ApprovalKind, approve, isApproved } from '../shared/approvals.js'

/** Which variables of the environment a project's files may have read, and for what. */
const USES: ApprovalKind = { folder: 'trusted-variables', field: 'use' }

/** Names what the files of a project want a variable for, as it is asked and approved. */
export function keyUse(address: string, header: string, variable: string): string {
  return `${address} with the header ${header} from the environment variable ${variable}`
}

/** Names the same of a variable that holds the address itself. What it holds is not said: it may be meant for others. */
export function addressUse(variable: string): string {
  return `the address in the environment variable ${variable}`
}

export function isUseApproved(projectDir: string, use: string): boolean {
  return isApproved(USES, projectDir, use)
}

export function approveUse(projectDir: string, use: string): void {
  approve(USES, projectDir, use)
}
