/** Something that runs beside the server. */
export interface Part {
  name: 'drain' | 'watcher' | 'lattice'
  state(): object
  close(): Promise<void>
}
