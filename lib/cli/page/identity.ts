/** Our own ids end in random digits, so their last eight tell them apart and are enough to name them. */
const OWN_ID = /^mem_[0-9a-f]{24}([0-9a-f]{8})$/

/** The short form of an id that the commands accept back. Ids of other tools stay whole. */
export function shortId(id: string): string {
  return OWN_ID.exec(id)?.[1] ?? id
}
