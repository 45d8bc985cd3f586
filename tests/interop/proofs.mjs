/** The three proofs: of knowing a key (protocol.md 7.1), of a shuffle (9), of shares (10); and coins (11). */

import { check, concat, equal, pieces, range, u16, utf8 } from "./codec.mjs";
import {
  Card, G, add, below, combine, decodeElement, decodeScalar, expand, generator, mod, mul,
  permutation, randomScalar, scalarBytes, scalarFrom, scalarOf, sumScalars,
} from "./group.mjs";
import { sha512 as hash512 } from "@noble/hashes/sha2.js";
import { GROUP_PROTOCOL, contextParts, digest, stream } from "./transcript.mjs";

const bytesOf = (point) => point.toBytes();

/* 7.1 Key shares */

export function proveKey(secret, context, rng) {
  const ctx = contextParts(context);
  const X = bytesOf(mul(G, secret));
  const nonce = scalarFrom("nonce", scalarBytes(secret), digest("key", ...ctx, X), rng.read(32));
  const V = bytesOf(mul(G, nonce));
  const challenge = scalarFrom("key", ...ctx, bytesOf(G), V, X);
  const response = mod(nonce - secret * challenge);
  return { share: concat(X, scalarBytes(challenge), scalarBytes(response)), nonce, V, challenge, response };
}

/** The public key that a key share proves knowledge of. */
export function checkKey(share, context) {
  check(share.length === 96, "malformed", "a key share has 96 bytes");
  const [rawX, rawC, rawR] = pieces(share);
  const X = decodeElement(rawX);
  const c = decodeScalar(rawC);
  const r = decodeScalar(rawR);
  const V = mul(G, r).add(mul(X, c));
  check(c === scalarFrom("key", ...contextParts(context), bytesOf(G), bytesOf(V), rawX), "bad-proof", "key share");
  return X;
}

/** 7.2 The joint key */
export function jointKey(hostKey, guestKey) {
  const joint = hostKey.add(guestKey);
  check(!hostKey.equals(guestKey) && !joint.is0(), "bad-key-share");
  return joint;
}

/* 9 Shuffles */

const statement = (context, joint, before, after) =>
  [...contextParts(context), bytesOf(joint), before.length, ...before.map((c) => c.bytes), ...after.map((c) => c.bytes)];

const shuffleChallenges = (parts, c, n) => {
  const challenges = stream("shuffle-challenges", ...parts, ...c.map(bytesOf));
  return range(n).map(() => randomScalar(challenges));
};
const shuffleChallenge = (parts, c, cHat, { t1, t2, t3, t4a, t4b, tHat }) =>
  scalarFrom("shuffle", ...parts, ...[...c, ...cHat, t1, t2, t3, t4a, t4b, ...tHat].map(bytesOf));

/** A shuffle of `before` and its proof (9.1, 9.2), with every value on the way. */
export function shuffle(before, joint, context, rng) {
  const n = before.length;
  const order = permutation(n, rng);
  const masks = range(n).map(() => randomScalar(rng));
  const after = order.map((source) => before[source].remask(masks[source], joint));

  const parts = statement(context, joint, before, after);
  const nonces = stream("shuffle-nonces", ...parts, ...order, ...masks.map(scalarBytes), rng.read(32));
  const scalars = (count) => range(count).map(() => randomScalar(nonces));
  const [r, rHat, w, wHat, wTilde] = [n, n, 4, n, n].map(scalars);
  const g = range(n).map((i) => generator(i + 1));

  const c = [];
  for (const i of range(n)) c[order[i]] = g[i].add(mul(G, r[order[i]]));
  const u = shuffleChallenges(parts, c, n);
  const uTilde = order.map((source) => u[source]);

  const cHat = [];
  let R = 0n;
  const previous = (i) => (i === 0 ? generator(0) : cHat[i - 1]);
  for (const i of range(n)) {
    cHat[i] = mul(G, rHat[i]).add(mul(previous(i), uTilde[i]));
    R = mod(rHat[i] + uTilde[i] * R);
  }
  const t = {
    t1: mul(G, w[0]),
    t2: mul(G, w[1]),
    t3: mul(G, w[2]).add(combine(g, wTilde)),
    t4a: mul(G, -w[3]).add(combine(after.map((card) => card.a), wTilde)),
    t4b: mul(joint, -w[3]).add(combine(after.map((card) => card.b), wTilde)),
    tHat: range(n).map((i) => mul(G, wHat[i]).add(mul(previous(i), wTilde[i]))),
  };
  const x = shuffleChallenge(parts, c, cHat, t);
  const weighted = (values) => sumScalars(values.map((value, j) => value * u[j]));
  const s = [sumScalars(r), R, weighted(r), weighted(masks)].map((value, i) => mod(w[i] + x * value));
  const sHat = range(n).map((i) => mod(wHat[i] + x * rHat[i]));
  const sTilde = range(n).map((i) => mod(wTilde[i] + x * uTilde[i]));
  const proof = concat(...[x, ...s, ...sHat, ...sTilde].map(scalarBytes), ...[...c, ...cHat].map(bytesOf));
  return { cards: concat(...after.map((card) => card.bytes)), proof, after, order, masks, r, rHat, w, wHat, wTilde, c, u, cHat, t, x, s, sHat, sTilde };
}

/** The new cards of a shuffle, checked in the order of 9.3. */
export function checkShuffle(before, cards, proof, joint, context) {
  const n = before.length;
  check(cards.length === 64 * n, "malformed", "another number of cards");
  const after = pieces(cards, 64).map((bytes) => Card.read(bytes));
  check(proof.length === (4 * n + 5) * 32, "malformed", "a proof of another size");
  const all = pieces(proof);
  const scalars = all.slice(0, 5 + 2 * n).map(decodeScalar);
  const elements = all.slice(5 + 2 * n).map((raw) => decodeElement(raw));
  const [x, s1, s2, s3, s4] = scalars;
  const sHat = scalars.slice(5, 5 + n);
  const sTilde = scalars.slice(5 + n);
  const c = elements.slice(0, n);
  const cHat = elements.slice(n);

  const parts = statement(context, joint, before, after);
  const u = shuffleChallenges(parts, c, n);
  const g = range(n).map((i) => generator(i + 1));
  const h = generator(0);
  const product = u.reduce((a, b) => mod(a * b), 1n);
  const less = (point) => mul(point, -x);
  const t = {
    t1: mul(G, s1).add(less(add(...c).subtract(add(...g)))),
    t2: mul(G, s2).add(less(cHat[n - 1].subtract(mul(h, product)))),
    t3: add(mul(G, s3), less(combine(c, u)), combine(g, sTilde)),
    t4a: add(mul(G, -s4), less(combine(before.map((card) => card.a), u)), combine(after.map((card) => card.a), sTilde)),
    t4b: add(mul(joint, -s4), less(combine(before.map((card) => card.b), u)), combine(after.map((card) => card.b), sTilde)),
    tHat: range(n).map((i) => mul(G, sHat[i]).add(combine([cHat[i], i === 0 ? h : cHat[i - 1]], [-x, sTilde[i]]))),
  };
  check(x === shuffleChallenge(parts, c, cHat, t), "bad-proof", "shuffle");
  return after;
}

/* 10 Decryption shares */

const sized = (point) => concat(u16(32), bytesOf(point));

/** What RFC 9497 calls the composites, from both lists of elements. */
export function composites(X, bases, shares, context) {
  const contextString = concat(utf8(`${GROUP_PROTOCOL}-share-`), digest("share", ...contextParts(context)));
  const dst = concat(utf8("HashToScalar-"), contextString);
  const seedDst = concat(utf8("Seed-"), contextString);
  const seed = hash512(concat(sized(X), u16(seedDst.length), seedDst));
  const d = bases.map((base, i) =>
    scalarOf(expand(concat(u16(64), seed, u16(i), sized(base), sized(shares[i]), utf8("Composite")), dst)));
  const M = combine(bases, d);
  const Z = combine(shares, d);
  const challenge = (t2, t3) => scalarOf(expand(concat(...[X, M, Z, t2, t3].map(sized), utf8("Challenge")), dst));
  return { contextString, seed, d, M, Z, challenge };
}

export function proveShares(secret, bases, context, rng) {
  const X = mul(G, secret);
  const shares = bases.map((base) => mul(base, secret));
  const pairs = bases.flatMap((base, i) => [base, shares[i]]);
  const fixed = digest("share", ...contextParts(context), bytesOf(X), ...pairs.map(bytesOf));
  const nonce = scalarFrom("nonce", scalarBytes(secret), fixed, rng.read(32));
  const made = composites(X, bases, shares, context);
  const t2 = mul(G, nonce);
  const t3 = mul(made.M, nonce);
  const c = made.challenge(t2, t3);
  const proof = concat(scalarBytes(c), scalarBytes(mod(nonce - c * secret)));
  return { ...made, shares: concat(...shares.map(bytesOf)), proof, nonce, t2, t3 };
}

/** The shares as elements, if the proof holds. */
export function checkShares(X, bases, raw, proof, context) {
  check(raw.length === 32 * bases.length, "malformed", "another number of shares");
  const shares = pieces(raw).map((bytes) => decodeElement(bytes));
  check(proof.length === 64, "malformed", "a proof of another size");
  const [c, s] = pieces(proof).map(decodeScalar);
  const { M, Z, challenge } = composites(X, bases, shares, context);
  const t2 = mul(G, s).add(mul(X, c));
  const t3 = mul(M, s).add(mul(Z, c));
  check(c === challenge(t2, t3), "bad-proof", "shares");
  return shares;
}

/* 11 Coins. The context is that of the COMMIT. */

export const commitment = (context, opening) => digest("coin", ...contextParts(context), opening);
export function checkOpening(context, committed, opening) {
  check(opening.length === 32, "malformed", "an opening has 32 bytes");
  check(equal(commitment(context, opening), committed), "bad-opening");
}
export const coinBit = (context, p, q) => below(2, stream("bit", ...contextParts(context), p, q));
export const coinOrder = (size, context, p, q) => permutation(size, stream("order", ...contextParts(context), p, q));
