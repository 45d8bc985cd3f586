/** The line: messages, frames and hellos over TCP (protocol.md 13.3 to 13.5). */

import { randomBytes } from "node:crypto";
import { Fault, bin, binUpTo, check, concat, decode, encode, equal, fields, listOf, orNil, textUpTo, u16, uint } from "./codec.mjs";
import { publicKey, sign, verify } from "./entries.mjs";
import { fingerprintOf, pskOf } from "./invitation.mjs";
import { GUEST, HOST, Handshake } from "./noise.mjs";
import { PROTOCOL, digest } from "./transcript.mjs";

const LIMIT = 65_519;

/* 13.5 Messages: name, then the fields */

const MESSAGES = [
  ["HELLO", textUpTo(32), bin(32), bin(64)],
  ["SYNC", orNil(bin(32)), uint(2 ** 16), bin(32)],
  ["ENTRIES", listOf(1, 256, binUpTo(60_000))],
  ["BYE", uint(2)],
  ["REFUSAL", textUpTo(32), textUpTo(500)],
  ["PING", uint(2 ** 32 - 1)],
  ["PONG", uint(2 ** 32 - 1)],
  ["CLOCK", uint(2 ** 40 - 1)],
  ["CLAIM", binUpTo(256)],
  ["AGAIN"],
  ["CHAT", textUpTo(500)],
];

export function encodeMessage(name, ...values) {
  return encode([MESSAGES.findIndex(([known]) => known === name), ...values]);
}

/** [name, ...fields] */
export function decodeMessage(bytes) {
  const value = decode(bytes, LIMIT);
  check(Array.isArray(value) && value.length > 0, "malformed", "a message");
  const [kind, ...values] = value;
  check(typeof kind === "number" || typeof kind === "bigint", "malformed", "the kind of a message");
  check(kind in MESSAGES, "unexpected", `message ${kind}`);
  const [name, ...shapes] = MESSAGES[kind];
  check(fields(...shapes)(values), "malformed", name);
  return [name, ...values];
}

export const helloDigest = (side, handshakeHash) => digest("line", side, handshakeHash);

/** The identity of a HELLO by `side`. Another version is no fault. */
export function checkHello([name, protocol, identity, signature], side, handshakeHash, ourIdentity) {
  check(name === "HELLO", "unexpected", `${name} instead of HELLO`);
  if (protocol !== PROTOCOL) throw new Error(`we speak ${PROTOCOL}, the other side ${JSON.stringify(protocol)}`);
  check(verify(identity, helloDigest(side, handshakeHash), signature), "bad-signature", "HELLO");
  check(!equal(identity, ourIdentity), "reflection", "our own identity");
  return identity;
}

/** The frames of a socket, one after the other. */
class Frames {
  #buffer = Buffer.alloc(0);
  #ended = false;
  #wake = () => {};
  constructor(socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (data) => {
      this.#buffer = Buffer.concat([this.#buffer, data]);
      this.#wake();
    });
    const end = () => {
      this.#ended = true;
      this.#wake();
    };
    socket.on("error", end).on("close", end).on("end", end);
  }
  send(bytes) {
    this.socket.write(concat(u16(bytes.length), bytes));
  }
  /** The next frame, or null where the connection has ended. */
  async read() {
    for (;;) {
      const have = this.#buffer.length;
      const size = have >= 2 ? this.#buffer.readUInt16BE(0) : Infinity;
      if (have >= 2 + size) {
        const frame = Uint8Array.from(this.#buffer.subarray(2, 2 + size));
        this.#buffer = this.#buffer.subarray(2 + size);
        return frame;
      }
      if (this.#ended) return null;
      await new Promise((resolve) => (this.#wake = resolve));
    }
  }
}

/** A line after the handshake and both hellos. */
export class Line {
  /**
   * @param {object} us side, secret and fingerprint of the invitation (the guest's) or static key (the host's), and the seed of the identity
   */
  static async open(socket, { side, secret, fingerprint, staticKey, identitySeed, seconds = 30 }) {
    const frames = new Frames(socket);
    const timer = setTimeout(() => socket.destroy(), seconds * 1000);
    const next = async () => {
      const frame = await frames.read();
      if (frame === null) throw new Error("the connection ended in the handshake");
      return frame;
    };
    try {
      const handshake = new Handshake(side, pskOf(secret), staticKey, Uint8Array.from(randomBytes(32)));
      if (side === GUEST) {
        frames.send(handshake.write());
        handshake.read(await next());
        check(equal(fingerprintOf(handshake.remoteStatic), fingerprint), "bad-signature", "not the host of the invitation");
        frames.send(handshake.write());
      } else {
        handshake.read(await next());
        frames.send(handshake.write());
        handshake.read(await next());
      }
      const line = new Line(socket, frames, handshake.split());
      await line.#greet(side, identitySeed);
      return line;
    } catch (error) {
      socket.end();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
  constructor(socket, frames, { send, receive, hash }) {
    Object.assign(this, { socket, frames, sealing: send, opening: receive, hash, bytes: 0 });
  }
  /** 13.4 */
  async #greet(side, identitySeed) {
    this.send("HELLO", PROTOCOL, publicKey(identitySeed), sign(identitySeed, helloDigest(side, this.hash)));
    try {
      const message = await this.#receive();
      if (message[0] === null) throw new Error("the connection ended before the hello");
      this.identity = checkHello(message, 1 - side, this.hash, publicKey(identitySeed));
    } catch (error) {
      if (error instanceof Fault) this.send("REFUSAL", error.fault, error.detail);
      throw error;
    }
  }
  send(name, ...values) {
    const frame = this.sealing.seal(encodeMessage(name, ...values));
    this.bytes += frame.length + 2;
    this.frames.send(frame);
  }
  /** [name, ...fields], or [null] where the line has ended. */
  async #receive() {
    const frame = await this.frames.read();
    if (frame === null) return [null];
    this.bytes += frame.length + 2;
    let plain;
    try {
      plain = this.opening.open(frame);
    } catch {
      this.socket.destroy(); // anybody on the way can cause that: it blames nobody
      return [null];
    }
    return decodeMessage(plain);
  }
  /** The same, where PING is answered. */
  async read() {
    for (;;) {
      const message = await this.#receive();
      if (message[0] === "PING") this.send("PONG", message[1]);
      else if (message[0] !== "PONG") return message;
    }
  }
  close() {
    this.socket.end();
  }
}

export { GUEST, HOST };
