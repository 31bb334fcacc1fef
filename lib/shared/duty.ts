// Leader election among the processes of a project by an operating system lock: a dead process holds none.
import { ProjectDuty } from '../native.js'

type Duty = Parameters<typeof ProjectDuty.take>[0]

/** Takes a duty that one process has for a project. Returns nothing while another one has it, or where nothing can be written. */
export function takeDuty(name: Duty, projectDir: string): ProjectDuty | undefined {
  try {
    const duty = ProjectDuty.take(name, { projectDir })
    return duty.isHeld ? duty : undefined
  } catch {
    return undefined
  }
}
