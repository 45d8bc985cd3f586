/** Transcripts and contexts (protocol.md section 5). */

import { sha512 } from "@noble/hashes/sha2.js";
import { concat, u32, u64, utf8 } from "./codec.mjs";

export const PROTOCOL = "whitby/1";
/** What every name of a hash to the group begins with. */
export const GROUP_PROTOCOL = `${PROTOCOL}-ristretto255`;

const absorb = (part) => [u32(part.length), part];
const bytesOf = (part) => (typeof part === "number" ? u64(part) : part);

/** Bytes that are read once, from the beginning. `more(i)` gives the next of them. */
export class Stream {
  #rest = new Uint8Array();
  #count = 0;
  constructor(more) {
    this.more = more;
  }
  read(n) {
    while (this.#rest.length < n) this.#rest = concat(this.#rest, this.more(this.#count++));
    const result = this.#rest.slice(0, n);
    this.#rest = this.#rest.slice(n);
    return result;
  }
}

/** T(label, parts...): parts are bytes, or numbers, which are u64. */
export class Transcript {
  constructor(label, ...parts) {
    this.absorbed = concat(...[utf8(PROTOCOL), utf8(label), ...parts.map(bytesOf)].flatMap(absorb));
  }
  hash = () => sha512(this.absorbed);
  digest = () => this.hash().slice(0, 32);
  stream = () => new Stream((i) => sha512(concat(this.absorbed, ...absorb(u64(i)))));
}

export const digest = (label, ...parts) => new Transcript(label, ...parts).digest();
export const stream = (label, ...parts) => new Transcript(label, ...parts).stream();

/** The six parts of a context (5.2). */
export const contextParts = ({ gameId, host, guest, side, deck, head }) => [gameId, host, guest, side, deck + 1, head];
