/** The first 32 bits of the fractional part of a number. */
const fraction = (number: number): number => ((number % 1) * 2 ** 32) | 0;
const rotated = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

const primes: number[] = [];
for (let number = 2; primes.length < 64; number += 1) if (primes.every((prime) => number % prime)) primes.push(number);
const INITIAL = Int32Array.from(primes.slice(0, 8), (prime) => fraction(prime ** (1 / 2)));
const ROUNDS = Int32Array.from(primes, (prime) => fraction(prime ** (1 / 3)));
const words = new Int32Array(64);

/** Hashes a block of 64 bytes, which is in the first sixteen of `words`. */
function addBlock(hash: Int32Array): void {
  for (let round = 16; round < 64; round += 1) {
    const early = words[round - 15]!;
    const late = words[round - 2]!;
    words[round] =
      words[round - 16]! +
      words[round - 7]! +
      (rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)) +
      (rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10));
  }
  let a = hash[0]!;
  let b = hash[1]!;
  let c = hash[2]!;
  let d = hash[3]!;
  let e = hash[4]!;
  let f = hash[5]!;
  let g = hash[6]!;
  let h = hash[7]!;
  for (let round = 0; round < 64; round += 1) {
    const chosen = (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g));
    const most = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    const added = (h + chosen + ROUNDS[round]! + words[round]!) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + added) | 0;
    d = c;
    c = b;
    b = a;
    a = (added + most) | 0;
  }
  hash[0]! += a;
  hash[1]! += b;
  hash[2]! += c;
  hash[3]! += d;
  hash[4]! += e;
  hash[5]! += f;
  hash[6]! += g;
  hash[7]! += h;
}

/**
 * SHA-256 (FIPS 180-4) of less than half a gigabyte, as eight words. Browsers offer theirs only to secure pages, and a
 * library would be a fifth of the script.
 */
export function sha256(bytes: Uint8Array): Int32Array {
  const size = ((bytes.length + 72) >> 6) << 6;
  const padded = new Uint8Array(size);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(size - 4, bytes.length * 8);
  const hash = INITIAL.slice();
  for (let at = 0; at < size; at += 64) {
    for (let index = 0; index < 16; index += 1) words[index] = view.getInt32(at + 4 * index);
    addBlock(hash);
  }
  return hash;
}
