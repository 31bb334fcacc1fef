/** Returns the form of each project's name that people are shown: its last parts, as many as tell the names apart. */
export function shortNames(names: string[]): (name: string) => string {
  const all = [...new Set(names)]
  const parts = (name: string) => name.split('/').filter((part) => part !== '')
  const ending = (name: string, count: number) => parts(name).slice(-count).join('/')
  const shortOf = (name: string) => {
    for (let count = 1; count < parts(name).length; count += 1) {
      const short = ending(name, count)
      if (all.every((other) => other === name || ending(other, count) !== short)) return short
    }
    return name
  }
  return shortOf
}
