import { type ApprovalKind, approve, isApproved } from '../shared/approvals.js'

/** Approvals of environment variables that a project's files use, with the purpose. */
const USES: ApprovalKind = { folder: 'trusted-variables', field: 'use' }

/** Formats the use of a variable as a key, for display and approval. */
export function keyUse(address: string, header: string, variable: string): string {
  return `${address} with the header ${header} from the environment variable ${variable}`
}

/** Formats the use of a variable as an address. Its value is not shown, because it may be a secret meant for something else. */
export function addressUse(variable: string): string {
  return `the address in the environment variable ${variable}`
}

export function isUseApproved(projectDir: string, use: string): boolean {
  return isApproved(USES, projectDir, use)
}

export function approveUse(projectDir: string, use: string): void {
  approve(USES, projectDir, use)
}
