/** Noise_XXpsk3_25519_ChaChaPoly_BLAKE2s, and what protocol.md 13.3 says besides. */

import { chacha20poly1305 } from "@noble/ciphers/chacha.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { blake2s } from "@noble/hashes/blake2.js";
import { hmac } from "@noble/hashes/hmac.js";
import { Fault, check, concat, equal, utf8 } from "./codec.mjs";

const NAME = "Noise_XXpsk3_25519_ChaChaPoly_BLAKE2s";
const PROLOGUE = "whitby";
const MESSAGES = [["e"], ["e", "ee", "s", "es"], ["s", "se", "psk"]];
const LENGTHS = [48, 96, 64];
const EMPTY = new Uint8Array();
const P = 2n ** 255n - 19n;

export const HOST = 0;
export const GUEST = 1;

/** HKDF of the Noise specification, section 4.3. */
function hkdf(key, material, count) {
  const temporary = hmac(blake2s, key, material);
  const results = [];
  for (let i = 1; i <= count; i++) results.push(hmac(blake2s, temporary, concat(results.at(-1) ?? EMPTY, [i])));
  return results;
}

/** One direction: a key and a counter. */
class Cipher {
  constructor(key) {
    this.key = key;
    this.counter = 0n;
  }
  #with(data) {
    const nonce = new Uint8Array(12);
    new DataView(nonce.buffer).setBigUint64(4, this.counter, true);
    return chacha20poly1305(this.key, nonce, data);
  }
  seal(plain, data = EMPTY) {
    const sealed = this.#with(data).encrypt(plain);
    this.counter++;
    return sealed;
  }
  open(sealed, data = EMPTY) {
    check(sealed.length >= 16, "bad-seal", "shorter than a tag");
    try {
      const plain = this.#with(data).decrypt(sealed);
      this.counter++;
      return plain;
    } catch {
      throw new Fault("bad-seal");
    }
  }
}

export const publicOf = (key) => x25519.getPublicKey(key);

/** A public key must be canonical and not of small order. */
function checkPublic(bytes) {
  const n = bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  check(n < P, "bad-element", "a key that is not canonical");
  try {
    x25519.getSharedSecret(new Uint8Array(32).fill(1), bytes);
  } catch {
    throw new Fault("bad-element", "a key of small order");
  }
}

/** The three messages, by turns. Keys: `s` our static secret key, `e` the ephemeral one. */
export class Handshake {
  #next = 0;
  constructor(side, psk, s, e) {
    Object.assign(this, { side, psk, s, e, remoteStatic: null });
    this.h = this.chaining = blake2s(utf8(NAME)); // the name is longer than 32 bytes, so it is hashed
    this.cipher = null;
    this.#mixHash(utf8(PROLOGUE));
  }
  #mixHash(data) {
    this.h = blake2s(concat(this.h, data));
  }
  #mixKey(material) {
    const [chaining, key] = hkdf(this.chaining, material, 2);
    this.chaining = chaining;
    this.cipher = new Cipher(key);
  }
  #mixPsk() {
    const [chaining, hash, key] = hkdf(this.chaining, this.psk, 3);
    this.chaining = chaining;
    this.#mixHash(hash);
    this.cipher = new Cipher(key);
  }
  #seal(plain) {
    const sealed = this.cipher ? this.cipher.seal(plain, this.h) : plain;
    this.#mixHash(sealed);
    return sealed;
  }
  #open(sealed) {
    const plain = this.cipher ? this.cipher.open(sealed, this.h) : sealed;
    this.#mixHash(sealed);
    return plain;
  }
  #agree(token) {
    // In es and se the first letter is the key of the one who began, the guest.
    const ours = this.side === GUEST ? token[0] : token[1];
    const theirs = this.side === GUEST ? token[1] : token[0];
    this.#mixKey(x25519.getSharedSecret(this[ours], theirs === "e" ? this.remoteEphemeral : this.remoteStatic));
  }
  write() {
    const parts = MESSAGES[this.#next++].map((token) => {
      if (token === "e") {
        const key = publicOf(this.e);
        this.#mixHash(key);
        this.#mixKey(key); // because there is a psk
        return key;
      }
      if (token === "s") return this.#seal(publicOf(this.s));
      if (token === "psk") this.#mixPsk();
      else this.#agree(token);
      return EMPTY;
    });
    return concat(...parts, this.#seal(EMPTY));
  }
  read(message) {
    check(message.length <= 128, "too-large", "a frame of the handshake");
    check(message.length >= LENGTHS[this.#next], "malformed", "a frame of the handshake is too short");
    let rest = message;
    const take = (n) => {
      const taken = rest.slice(0, n);
      rest = rest.slice(n);
      return taken;
    };
    for (const token of MESSAGES[this.#next++]) {
      if (token === "e") {
        const key = take(32);
        checkPublic(key);
        check(!equal(key, publicOf(this.e)), "reflection", "our own key");
        this.remoteEphemeral = key;
        this.#mixHash(key);
        this.#mixKey(key);
      } else if (token === "s") {
        this.remoteStatic = this.#open(take(48));
        checkPublic(this.remoteStatic);
      } else if (token === "psk") this.#mixPsk();
      else this.#agree(token);
    }
    check(this.#open(rest).length === 0, "malformed", "a payload in the handshake");
  }
  /** { send, receive, hash } after the last message. */
  split() {
    const [first, second] = hkdf(this.chaining, EMPTY, 2).map((key) => new Cipher(key));
    const [send, receive] = this.side === GUEST ? [first, second] : [second, first];
    return { send, receive, hash: this.h };
  }
}
