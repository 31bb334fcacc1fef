/** The functions of the queue that bring records back into it which a server may have: these are looked up before their delivery. */

import {
  findProject,
  type ProjectOptions,
  queueAgain as queueAll,
  trustForeignRecords as trustRecords,
} from '../native.js'
import { forgetSent } from '../shared/sent-file.js'

/** Queues all records of the project again, which may be stored already. */
export function queueAgain(...args: Parameters<typeof queueAll>): ReturnType<typeof queueAll> {
  forgetSent(findProject(args[1] ?? {}))
  return queueAll(...args)
}

/** Trusts records of another machine, which may have delivered them. */
export function trustForeignRecords(options?: ProjectOptions): ReturnType<typeof trustRecords> {
  forgetSent(findProject(options ?? {}))
  return trustRecords(options)
}
