// Leader election among the processes of a project with a lock of the operating system, which is released when the
// process dies.
import { ProjectDuty } from '../native.js'

type Duty = Parameters<typeof ProjectDuty.take>[0]

/** Tries to take a duty; undefined while another process has it, or when the project is read-only. */
export function takeDuty(name: Duty, projectDir: string): ProjectDuty | undefined {
  try {
    const duty = ProjectDuty.take(name, { projectDir })
    return duty.isHeld ? duty : undefined
  } catch {
    return undefined
  }
}
