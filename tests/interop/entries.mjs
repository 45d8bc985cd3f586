/** Signatures, entries, claims and record files (protocol.md sections 12 and 16). */

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";
import { bin, binUpTo, check, concat, decode, encode, equal, fields, listOf, orNil, textUpTo, uint } from "./codec.mjs";
import { L, mod } from "./group.mjs";
import { digest } from "./transcript.mjs";

export const NO_HEAD = new Uint8Array(32);
const LIMIT = 60_000;

/* 12.4 Signatures */

const littleEndian = (bytes) => bytes.reduceRight((n, byte) => (n << 8n) | BigInt(byte), 0n);

export const publicKey = (seed) => ed25519.getPublicKey(seed);
export const sign = (seed, message) => ed25519.sign(message, seed);

/** Without the cofactor, R compared as bytes; keys that are not canonical or of small order are refused. */
export function verify(identity, message, signature) {
  try {
    const A = ed25519.Point.fromBytes(identity, false);
    const R = signature.slice(0, 32);
    const S = littleEndian(signature.slice(32));
    if (S >= L || A.isSmallOrder()) return false;
    const k = mod(littleEndian(sha512(concat(R, identity, message))));
    const expected = ed25519.Point.BASE.multiplyUnsafe(S).subtract(A.multiplyUnsafe(k));
    return equal(expected.toBytes(), R);
  } catch {
    return false; // the identity is no point
  }
}

/* 12.2 Kinds: name, then the fields of the body */

export const KINDS = [
  ["OFFER", {
    protocol: textUpTo(32), game: textUpTo(64), options: binUpTo(256), seat: orNil(uint(1)),
    clock: orNil(fields(uint(1e6), uint(1e6))), identity: bin(32), name: textUpTo(48), nonce: bin(32), started: uint(2 ** 40 - 1),
  }],
  ["ACCEPT", { identity: bin(32), name: textUpTo(48), nonce: bin(32), keyShare: bin(96) }],
  ["KEY", { keyShare: bin(96) }],
  ["COMMIT", { value: bin(32) }],
  ["ANSWER", { value: bin(32) }],
  ["OPEN", { value: bin(32) }],
  ["SHUFFLE", { cards: binUpTo(16_384), proof: binUpTo(32_928) }],
  ["SHARE", { shares: binUpTo(8_192), proof: bin(64) }],
  ["ACT", { action: uint(2 ** 32 - 1) }],
  ["RESIGN", {}],
  ["UNSEAL", { secret: bin(32) }],
  ["PROPOSE", {}],
  ["REPLY", { agrees: uint(1) }],
];
export const kindNumber = (name) => KINDS.findIndex(([known]) => known === name);

const isEntry = fields(binUpTo(LIMIT), bin(64));
const isContent = fields(uint(2 ** 16 - 1), uint(1), bin(32), uint(255), Array.isArray, bin(32));

export const headOf = (content) => digest("entry", content);
export const gameId = (headAfterOffer, guest, nonce) => digest("game", headAfterOffer, guest, nonce);
export const stateHash = (publicBytes) => digest("state", publicBytes);

export function encodeContent({ number, author, previous, kind, body, state }) {
  return encode([number, author, previous, kindNumber(kind), Object.values(body), state]);
}

/** The entry of these bytes, refused in the order of 14.5, step 1. */
export function decodeEntry(raw) {
  const outer = decode(raw, LIMIT);
  check(isEntry(outer), "malformed", "an entry");
  const [content, signature] = outer;
  const value = decode(content, LIMIT);
  check(isContent(value), "malformed", "a content");
  const [number, author, previous, kindNumber, list, state] = value;
  check(kindNumber < KINDS.length, "unexpected", `kind ${kindNumber}`);
  const [kind, shapes] = KINDS[kindNumber];
  check(fields(...Object.values(shapes))(list), "malformed", `the body of ${kind}`);
  const body = Object.fromEntries(Object.keys(shapes).map((name, i) => [name, list[i]]));
  return { raw, content, signature, number, author, previous, kind, body, state, head: headOf(content) };
}

/* 12.5 Claims */

const CLAIM = {
  gameId: bin(32), side: uint(1), count: uint(2 ** 16), head: bin(32), ground: uint(1), seconds: uint(2 ** 40 - 1), made: uint(2 ** 40 - 1),
};

export const claimContent = (claim) => encode(Object.keys(CLAIM).map((name) => claim[name]));
export const claimDigest = (content) => digest("claim", content);

export function decodeClaim(raw) {
  const outer = decode(raw, 256);
  check(fields(binUpTo(256), bin(64))(outer), "malformed", "a claim");
  const [content, signature] = outer;
  const list = decode(content, 256);
  check(fields(...Object.values(CLAIM))(list), "malformed", "the content of a claim");
  return { content, signature, ...Object.fromEntries(Object.keys(CLAIM).map((name, i) => [name, list[i]])) };
}

/* 16 Record files */

const FORMAT = "whitby-record/1";

export const encodeRecord = (entries, claims = []) => encode([FORMAT, entries, claims]);

export function decodeRecord(bytes) {
  const value = decode(bytes, 2 ** 24);
  check(Array.isArray(value) && value[0] === FORMAT, "malformed", "a record file");
  check(fields(textUpTo(32), listOf(0, 65_535, binUpTo(LIMIT)), listOf(0, 16, binUpTo(256)))(value), "malformed", "a record file");
  return { entries: value[1], claims: value[2] };
}
