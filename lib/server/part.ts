/** Something that runs beside the server. */
export interface Part {
  name: 'drain' | 'watcher' | 'lattice' | 'vectors'
  state(): object
  close(): Promise<void>
}
