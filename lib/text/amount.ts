const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a number of bytes with the largest suitable unit. */
export function bytes(count: number): string {
  let value = count
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

/** Formats a count with its noun: "1 memory", "2 memories". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
