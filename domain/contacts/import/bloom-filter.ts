const BITS = 2 ** 27;
const HASHES = 4;

/**
 * A Bloom filter: a set of texts in a fixed 16 MiB. A text that was added is always found. When it holds a million
 * texts, about one in a million texts that were never added is found, too (a false positive).
 */
export class BloomFilter {
  readonly #bits = new Int32Array(BITS / 32);

  /** Adds a text. Returns whether it was in the set already (or, rarely, only seems to have been). */
  add(text: string): boolean {
    // Two FNV-1a hashes with different offsets; the others are combinations of them.
    let one = 0x811c9dc5;
    let two = 0x1b873593;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      one = Math.imul(one ^ code, 0x01000193);
      two = Math.imul(two ^ code, 0x01000193) ^ (two >>> 15);
    }
    one ^= one >>> 15;
    let known = true;
    for (let n = 0; n < HASHES; n++) {
      const bit = (one + Math.imul(n, two | 1)) & (BITS - 1);
      const mask = 1 << (bit & 31);
      if ((this.#bits[bit >>> 5]! & mask) !== 0) continue;
      known = false;
      this.#bits[bit >>> 5]! |= mask;
    }
    return known;
  }
}
