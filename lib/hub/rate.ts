const SECONDS = 10

/** The rate of events: a moving average over the last ten seconds. */
export class Rate {
  private readonly counts = new Map<number, number>()

  add(count: number): void {
    const second = Math.floor(performance.now() / 1000)
    this.counts.set(second, (this.counts.get(second) ?? 0) + count)
    for (const at of this.counts.keys()) if (at <= second - SECONDS) this.counts.delete(at)
  }

  perSecond(): number {
    const second = Math.floor(performance.now() / 1000)
    let sum = 0
    for (const [at, count] of this.counts) if (at > second - SECONDS) sum += count
    return sum / SECONDS
  }
}
