/**
 * ristretto255, its scalars, hashing to it, and uniform choices (protocol.md sections 3, 4 and 11.3).
 * Scalars are bigints, elements are noble's points. Nothing here takes constant time: this is a
 * program to test with, not one to keep secrets with.
 */

import { mulAddUnsafe } from "@noble/curves/abstract/curve.js";
import { expand_message_xmd } from "@noble/curves/abstract/hash-to-curve.js";
import { ristretto255, ristretto255_hasher } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { Fault, check, concat, pieces, range, u64, utf8 } from "./codec.mjs";
import { GROUP_PROTOCOL, Transcript } from "./transcript.mjs";

const { Point } = ristretto255;
export const L = Point.Fn.ORDER;
export const G = Point.BASE;
export const ZERO = Point.ZERO;

export const mod = (n) => ((n % L) + L) % L;
const littleEndian = (bytes) => bytes.reduceRight((n, byte) => (n << 8n) | BigInt(byte), 0n);
export const scalarBytes = (n) => {
  const bytes = new Uint8Array(32);
  for (let i = 0; i < 32; i++, n >>= 8n) bytes[i] = Number(n & 255n);
  return bytes;
};
/** scalar_of(64 bytes) */
export const scalarOf = (bytes) => littleEndian(bytes) % L;
export const randomScalar = (rng) => scalarOf(rng.read(64));
export const scalarFrom = (label, ...parts) => scalarOf(new Transcript(label, ...parts).hash());

export function decodeScalar(bytes) {
  check(bytes.length === 32, "malformed", "a scalar has 32 bytes");
  const n = littleEndian(bytes);
  check(n < L, "bad-scalar");
  return n;
}

export function decodeElement(bytes, identityAllowed = false) {
  check(bytes.length === 32, "malformed", "an element has 32 bytes");
  let point;
  check((bytes[31] & 0x80) === 0, "bad-element", "the top bit is set");
  try {
    point = Point.fromBytes(bytes);
  } catch (error) {
    throw new Fault("bad-element", error.message);
  }
  check(identityAllowed || !point.is0(), "bad-element", "the identity");
  return point;
}

/** s*P */
export const mul = (point, scalar) => {
  const s = mod(scalar);
  if (s === 0n) return ZERO;
  return point === G ? G.multiply(s) : point.multiplyUnsafe(s);
};
export const add = (...points) => points.reduce((sum, point) => sum.add(point), ZERO);
/** Σ scalars[i]*points[i] */
export const combine = (points, scalars) => mulAddUnsafe(Point, points, scalars.map(mod));
export const sumScalars = (scalars) => mod(scalars.reduce((a, b) => a + b, 0n));

export const expand = (message, dst, length = 64) => expand_message_xmd(message, dst, length, sha512);
export const elementOf = (uniformBytes) => ristretto255_hasher.deriveToCurve(uniformBytes);

const points = (name) => {
  const known = [];
  const dst = utf8(`${GROUP_PROTOCOL}-${name}`);
  return (i) => (known[i] ??= elementOf(expand(u64(i), dst)));
};
/** C[f], the point of a face */
export const cardPoint = points("card");
/** H[i] */
export const generator = points("generator");

/** A masked card (section 8): two elements and their 64 bytes. */
export class Card {
  constructor(a, b, bytes = concat(a.toBytes(), b.toBytes())) {
    Object.assign(this, { a, b, bytes });
  }
  remask = (m, joint) => new Card(this.a.add(mul(G, m)), this.b.add(mul(joint, m)));
  static read(bytes) {
    const [a, b] = pieces(bytes).map((half) => decodeElement(half));
    return new Card(a, b, bytes);
  }
}
export const freshDeck = (size, joint) => range(size).map((i) => new Card(G, cardPoint(i).add(joint)));

/** below(n, rng) of 11.3 */
export function below(n, rng) {
  const bound = BigInt(n);
  const limit = 2n ** 64n - (2n ** 64n % bound);
  for (;;) {
    const drawn = rng.read(8).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    if (drawn < limit) return Number(drawn % bound);
  }
}

export function permutation(n, rng) {
  const p = range(n);
  for (let last = n - 1; last > 0; last--) {
    const k = below(last + 1, rng);
    [p[last], p[k]] = [p[k], p[last]];
  }
  return p;
}

/** Which face both shares of a card show: an index, or -1. */
export function faceOf(card, shares, size) {
  const point = shares.reduce((rest, share) => rest.subtract(share), card.b);
  return range(size).findIndex((face) => cardPoint(face).equals(point));
}
