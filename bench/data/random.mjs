// A small seeded generator of random numbers (sfc32), so that every run on every machine makes the same data.

export class Random {
  #a
  #b
  #c
  #counter = 1

  constructor(seed) {
    this.#a = seed >>> 0
    this.#b = Math.imul(seed ^ 0x5bd1e995, 0x1b873593) >>> 0
    this.#c = 0x2545f491
    // The first numbers still show the seed; skip them.
    for (let step = 0; step < 16; step++) this.next()
  }

  /** A number from 0 to 1, 1 excluded. */
  next() {
    const mixed = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + mixed) | 0
    return (mixed >>> 0) / 4294967296
  }

  /** A whole number from 0 to `limit`, `limit` excluded. */
  below(limit) {
    return Math.floor(this.next() * limit)
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  /** Removes one element of the list and returns it. */
  take(list) {
    return list.splice(this.below(list.length), 1)[0]
  }

  chance(probability) {
    return this.next() < probability
  }
}
