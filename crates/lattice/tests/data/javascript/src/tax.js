export function of(sum, rate) {
  return sum * rate
}
