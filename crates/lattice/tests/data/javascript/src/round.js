export function round(n) { return n | 0 }
