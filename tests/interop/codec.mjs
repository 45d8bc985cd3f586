/** Bytes, faults, and values as bytes (protocol.md sections 2, 6 and 15). */

/** The other side broke a rule. `blamed` is the side at fault where that is not the author. */
export class Fault extends Error {
  constructor(name, detail = "", blamed = null) {
    super(detail ? `${name}: ${detail}` : name);
    Object.assign(this, { fault: name, detail, blamed });
  }
}

export const check = (good, fault, detail) => {
  if (!good) throw new Fault(fault, detail);
};

export const hex = (bytes) => Buffer.from(bytes).toString("hex");
export const unhex = (text) => new Uint8Array(Buffer.from(text, "hex"));
export const utf8 = (text) => new TextEncoder().encode(text);
export const concat = (...parts) => new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
export const equal = (a, b) => Buffer.compare(a, b) === 0;
export const range = (n, start = 0) => Array.from({ length: n }, (_, i) => i + start);
/** The parts of 32 bytes that `bytes` consists of. */
export const pieces = (bytes, size = 32) =>
  range(Math.floor(bytes.length / size)).map((i) => bytes.slice(i * size, (i + 1) * size));

const unsigned = (size) => (n) => {
  const bytes = new Uint8Array(size);
  for (let i = size - 1, rest = BigInt(n); i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
};
export const u8 = unsigned(1);
export const u16 = unsigned(2);
export const u32 = unsigned(4);
export const u64 = unsigned(8);
const readUnsigned = (bytes) => bytes.reduce((n, byte) => (n << 8n) | BigInt(byte), 0n);

// A length or count in the shortest of the forms it has: [greatest, first byte, its bytes].
const header = (n, forms) => {
  for (const [greatest, first, write] of forms)
    if (n <= greatest) return write ? concat([first], write(n)) : [first + Number(n)];
  throw new RangeError("too long for msgpack");
};
const BIN = [[0xff, 0xc4, u8], [0xffff, 0xc5, u16], [0xffffffff, 0xc6, u32]];
const STR = [[31, 0xa0], [0xff, 0xd9, u8], [0xffff, 0xda, u16], [0xffffffff, 0xdb, u32]];
const ARRAY = [[15, 0x90], [0xffff, 0xdc, u16], [0xffffffff, 0xdd, u32]];
const UINT = [[127n, 0], [0xffn, 0xcc, u8], [0xffffn, 0xcd, u16], [0xffffffffn, 0xce, u32], [2n ** 64n - 1n, 0xcf, u64]];
const INT = [[1n << 7n, 0xd0, u8], [1n << 15n, 0xd1, u16], [1n << 31n, 0xd2, u32], [1n << 63n, 0xd3, u64]];

/** The one encoding of null, a boolean, a number or bigint, bytes, text or an array. */
export function encode(value) {
  if (value === null) return new Uint8Array([0xc0]);
  if (typeof value === "boolean") return new Uint8Array([value ? 0xc3 : 0xc2]);
  if (typeof value === "number" || typeof value === "bigint") {
    const n = BigInt(value);
    if (n >= 0n) return new Uint8Array(header(n, UINT));
    if (n >= -32n) return new Uint8Array([Number(n & 255n)]);
    const [, first, write] = INT.find(([limit]) => n >= -limit);
    return concat([first], write(n));
  }
  if (value instanceof Uint8Array) return concat(header(value.length, BIN), value);
  if (typeof value === "string") {
    const bytes = utf8(value);
    return concat(header(bytes.length, STR), bytes);
  }
  return concat(header(value.length, ARRAY), ...value.map(encode));
}

/** The value of these bytes, refused in the order of section 6, steps 1 to 4. */
export function decode(bytes, limit, depth = 8) {
  check(bytes.length <= limit, "too-large", `more than ${limit} bytes`);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let at = 0;
  let badText = false;
  const take = (n) => {
    check(n <= bytes.length - at, "malformed", "the bytes end early");
    at += Number(n);
    return bytes.slice(at - Number(n), at);
  };
  const size = (n) => Number(readUnsigned(take(n)));
  const text = (n) => {
    const raw = take(n);
    try {
      return decoder.decode(raw);
    } catch {
      badText = true;
      return "";
    }
  };
  const array = (count, level) => {
    check(level <= depth, "too-large", "arrays nested too deep");
    const result = [];
    for (let left = count(); left > 0; left--) result.push(value(level + 1)); // ends where the bytes do
    return result;
  };
  const small = (n) => (n >= Number.MIN_SAFE_INTEGER && n <= Number.MAX_SAFE_INTEGER ? Number(n) : n);
  function value(level) {
    const [first] = take(1);
    if (first < 0x80) return first;
    if (first >= 0xe0) return first - 256;
    if (first >= 0xa0 && first < 0xc0) return text(first - 0xa0);
    if (first >= 0x90 && first < 0xa0) return array(() => first - 0x90, level);
    switch (first) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xc5: case 0xc6: return take(size(1 << (first - 0xc4)));
      case 0xcc: case 0xcd: case 0xce: case 0xcf: return small(readUnsigned(take(1 << (first - 0xcc))));
      case 0xd0: case 0xd1: case 0xd2: case 0xd3: {
        const raw = take(1 << (first - 0xd0));
        return small(BigInt.asIntN(raw.length * 8, readUnsigned(raw)));
      }
      case 0xd9: case 0xda: case 0xdb: return text(size(1 << (first - 0xd9)));
      case 0xdc: case 0xdd: return array(() => size(2 << (first - 0xdc)), level);
    }
    throw new Fault("malformed", `a value of another kind, ${first}`);
  }
  const result = value(1);
  check(at === bytes.length, "malformed", "bytes after the value");
  check(!badText, "malformed", "text that is not UTF-8");
  check(equal(encode(result), bytes), "non-canonical");
  return result;
}

/* Shapes, as the tables of protocol.md write them. Each is a function from a value to whether it fits. */
export const uint = (n) => (v) => typeof v === "number" && Number.isInteger(v) && v >= 0 && v <= n;
export const bin = (n) => (v) => v instanceof Uint8Array && v.length === n;
export const binUpTo = (n) => (v) => v instanceof Uint8Array && v.length <= n;
export const textUpTo = (n) => (v) => typeof v === "string" && utf8(v).length <= n;
export const fields = (...shapes) => (v) => Array.isArray(v) && v.length === shapes.length && shapes.every((s, i) => s(v[i]));
export const listOf = (least, most, shape) => (v) => Array.isArray(v) && v.length >= least && v.length <= most && v.every(shape);
export const orNil = (shape) => (v) => v === null || shape(v);
