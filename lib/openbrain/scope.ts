import type { Delivery } from './store.js'

export function otherProject(id: string, project: string): string {
  return `${id} belongs to the project ${project}: forget it there`
}

/** Groups deletes that may affect the same projects. */
export function byProjects(batch: Delivery[]): Delivery[][] {
  const groups = new Map<string, Delivery[]>()
  for (const delivery of batch) {
    const name = JSON.stringify(delivery.projects)
    groups.set(name, [...(groups.get(name) ?? []), delivery])
  }
  return [...groups.values()]
}
