/** Generated ids end in random digits, so their last eight are enough to identify them. */
const OWN_ID = /^mem_[0-9a-f]{24}([0-9a-f]{8})$/

/** Returns the short form of an id, which commands and tools accept. Ids of other tools are not shortened. */
export function shortId(id: string): string {
  return OWN_ID.exec(id)?.[1] ?? id
}
