/** Invitations (protocol.md 13.1). */

import { isIP } from "node:net";
import { sha512 } from "@noble/hashes/sha2.js";
import { Fault, check, concat, equal, u16, utf8 } from "./codec.mjs";

const PREFIX = "whitby:";
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const VERSION = 1;

const hash = (purpose, bytes, size) => sha512(concat(utf8(`whitby invitation ${purpose}`), [0], bytes)).slice(0, size);
export const fingerprintOf = (staticKey) => hash("fingerprint", staticKey, 16);
export const pskOf = (secret) => hash("psk", secret, 32);

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const isName = (name) =>
  name.length <= 253 && name.split(".").every((label) => LABEL.test(label)) && !/^\d+$/.test(name.split(".").at(-1));

function ipv6Bytes(text) {
  let [head, tail] = text.split("::").map((half) => (half ? half.split(":") : []));
  if (tail !== undefined) head = [...head, ...Array(8 - head.length - tail.length).fill("0"), ...tail];
  return concat(...head.map((group) => u16(parseInt(group, 16))));
}

function addressBytes([host, port]) {
  if (isIP(host) === 4) return concat([1], host.split(".").map(Number), u16(port));
  if (isIP(host) === 6) return concat([2], ipv6Bytes(host), u16(port));
  return concat([3, host.length], utf8(host), u16(port));
}

export function writeInvitation({ secret, fingerprint, addresses }) {
  const body = concat([VERSION], secret, fingerprint, ...addresses.map(addressBytes));
  const bytes = concat(body, hash("checksum", body, 4));
  let bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  bits = bits.padEnd(Math.ceil(bits.length / 5) * 5, "0");
  return PREFIX + bits.match(/.{5}/g).map((five) => ALPHABET[parseInt(five, 2)]).join("");
}

export function readInvitation(text) {
  const malformed = (good, detail) => check(good, "malformed", detail);
  let letters = text.replace(/[\s\p{Pd}\p{Cf}]/gu, "").toLowerCase();
  if (letters.startsWith(PREFIX)) letters = letters.slice(PREFIX.length);
  letters = letters.replace(/[il]/g, "1").replace(/o/g, "0");
  malformed([...letters].every((letter) => ALPHABET.includes(letter)), "a letter that is not in the alphabet");
  const bits = [...letters].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const whole = bits.length - (bits.length % 8);
  malformed(bits.length - whole < 5 && !bits.slice(whole).includes("1"), "a letter too many");
  const bytes = Uint8Array.from(bits.slice(0, whole).match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));

  malformed(bytes.length > 4 && equal(hash("checksum", bytes.slice(0, -4), 4), bytes.slice(-4)), "the checksum");
  let rest = bytes.slice(0, -4);
  const take = (n) => {
    malformed(rest.length >= n, "it ends early");
    const taken = rest.slice(0, n);
    rest = rest.slice(n);
    return taken;
  };
  malformed(take(1)[0] === VERSION, "another version");
  const secret = take(16);
  const fingerprint = take(16);
  const addresses = [];
  while (rest.length > 0) {
    const [type] = take(1);
    let host;
    if (type === 1) host = take(4).join(".");
    else if (type === 2) host = ipv6Text(take(16));
    else if (type === 3) {
      host = Buffer.from(take(take(1)[0])).toString("latin1");
      malformed(isName(host), "not the name of a host");
    } else throw new Fault("malformed", "an address of another type");
    const [high, low] = take(2);
    malformed(high || low, "port 0");
    addresses.push([host, high * 256 + low]);
  }
  malformed(addresses.length >= 1 && addresses.length <= 8, "the number of addresses");
  return { secret, fingerprint, addresses };
}

/** The longest run of zero groups is left out, as RFC 5952 has it: what URL does for us. */
function ipv6Text(bytes) {
  const groups = [...Array(8).keys()].map((i) => (bytes[2 * i] * 256 + bytes[2 * i + 1]).toString(16));
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
