/** Checks the program of this folder against everything in spec/vectors. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import * as codec from "./codec.mjs";
import { Fault, hex, unhex, concat, pieces, range, utf8, u64 } from "./codec.mjs";
import * as group from "./group.mjs";
import { G, mul, scalarBytes, decodeElement, decodeScalar } from "./group.mjs";
import * as proofs from "./proofs.mjs";
import { Stream, Transcript, contextParts, digest, stream } from "./transcript.mjs";
import * as entries from "./entries.mjs";
import { fingerprintOf, pskOf, readInvitation, writeInvitation } from "./invitation.mjs";
import { Duel } from "./duel.mjs";
import { DraculaVsVanHelsing } from "./rules.mjs";
import { Declined, Table } from "./table.mjs";
import { checkHello, decodeMessage, helloDigest } from "./line.mjs";
import { Handshake, publicOf } from "./noise.mjs";
import { sha512 } from "@noble/hashes/sha2.js";

const folder = new URL("../../spec/vectors/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder)));

let count = 0;
const failures = [];
let where = "";

const text = (value) =>
  value instanceof Uint8Array ? hex(value)
  : value?.toBytes ? hex(value.toBytes())
  : typeof value === "bigint" ? hex(scalarBytes(value))
  : Array.isArray(value) ? value.map(text)
  : value;
const same = (what, got, expected) => {
  count++;
  const [a, b] = [text(got), expected].map((v) => JSON.stringify(v));
  if (a !== b) failures.push(`${where}: ${what}: ${a.slice(0, 200)} instead of ${b?.slice(0, 200)}`);
};
/** `make` is refused with this fault; or is not, where the fault is null. */
const refused = (what, fault, make, blamed) => {
  count++;
  let got = null;
  try {
    make();
  } catch (error) {
    if (!(error instanceof Fault)) {
      failures.push(`${where}: ${what}: ${error.stack}`);
      return;
    }
    got = error.fault;
    if (blamed !== undefined && error.blamed !== blamed) failures.push(`${where}: ${what}: blames ${error.blamed}`);
  }
  if (got !== fault) failures.push(`${where}: ${what}: ${got} instead of ${fault}`);
};
/** `make` is refused, and it is nobody's fault. */
const blameless = (what, kind, make) => {
  count++;
  try {
    make();
    failures.push(`${where}: ${what}: taken`);
  } catch (error) {
    if (error instanceof Fault || !(error instanceof kind)) failures.push(`${where}: ${what}: ${error.stack}`);
  }
};
const contextOf = (c) => ({
  gameId: unhex(c.game_id), host: unhex(c.host), guest: unhex(c.guest), side: c.side, deck: c.deck, head: unhex(c.head),
});
const valueOf = (v) =>
  v === null || typeof v === "boolean" ? v
  : Array.isArray(v) ? v.map(valueOf)
  : "int" in v ? (Number.isSafeInteger(Number(v.int)) ? Number(v.int) : BigInt(v.int))
  : "bin" in v ? unhex(v.bin)
  : v.str;
const given = (bytes) => {
  let rest = bytes;
  return new Stream(() => {
    const next = rest;
    rest = new Uint8Array(0);
    if (next.length === 0) throw new Error("more was drawn than was given");
    return next;
  });
};
/** The chance that has a name (README.md of the vectors). */
const named = (name) => new Stream((i) => sha512(concat(utf8(name), [0], u64(i))));

const tests = {
  codec(v) {
    for (const { value, bytes } of v.good) {
      same("encoding", codec.encode(valueOf(value)), bytes);
      same(`reading ${bytes.slice(0, 20)}`, codec.encode(codec.decode(unhex(bytes), v.limit, v.depth)), bytes);
    }
    for (const bad of v.bad) refused(bad.comment, bad.fault, () => codec.decode(unhex(bad.bytes), v.limit, v.depth));
  },
  group(v) {
    for (const { scalar, element } of v.multiples) same(scalar, mul(G, BigInt(scalar)), element);
    const joint = decodeElement(unhex(v.joint_key));
    for (const p of v.products) {
      const s = decodeScalar(unhex(p.scalar));
      same("times G", mul(G, s), p.times_generator);
      same("times J", mul(joint, s), p.times_joint_key);
    }
    for (const bad of [...v.bad_elements, v.identity_refused])
      refused(bad.comment, bad.fault, () => decodeElement(unhex(bad.bytes), bad.identity_allowed));
    refused("the identity where it is allowed", null, () => decodeElement(unhex(v.identity_refused.bytes), true));
    for (const good of v.good_scalars) same("scalar", decodeScalar(unhex(good)), good);
    for (const bad of v.bad_scalars) refused(bad.comment, bad.fault, () => decodeScalar(unhex(bad.bytes)));
    for (const { bytes, scalar } of v.scalars_from_uniform_bytes) same("scalar_of", group.scalarOf(unhex(bytes)), scalar);
    for (const { bytes, element } of v.elements_from_uniform_bytes) same("element", group.elementOf(unhex(bytes)), element);
  },
  hash_to_group(v) {
    for (const [part, point] of [[v.cards, group.cardPoint], [v.generators, group.generator]]) {
      same("uniform bytes", group.expand(u64(0), utf8(part.dst)), part.uniform_bytes);
      same("points", part.elements.map((_, i) => point(i)), part.elements);
    }
  },
  transcript(v) {
    for (const t of v.transcripts) {
      const made = new Transcript(t.label, ...t.parts.map(unhex));
      same("absorbed", made.absorbed, t.absorbed);
      same("digest", made.digest(), t.digest);
      same("scalar", group.scalarOf(made.hash()), t.scalar);
      const bytes = made.stream();
      same("stream", concat(bytes.read(7), bytes.read(193)), t.stream);
    }
    for (const c of v.contexts) {
      const made = new Transcript(c.label, ...contextParts(contextOf(c.context)));
      same("absorbed", made.absorbed, c.absorbed);
      same("digest", made.digest(), c.digest);
    }
  },
  key_share(v) {
    const secret = group.scalarFrom("secret-key", unhex(v.seed));
    same("secret", secret, v.secret);
    const made = proofs.proveKey(secret, contextOf(v.context), given(unhex(v.rng)));
    same("nonce", made.nonce, v.nonce);
    same("commitment", made.V, v.commitment);
    same("challenge", made.challenge, v.challenge);
    same("response", made.response, v.response);
    same("key share", made.share, v.key_share);
    same("public", proofs.checkKey(unhex(v.key_share), contextOf(v.context)), v.public);
    for (const bad of v.bad) refused(bad.comment, bad.fault, () => proofs.checkKey(unhex(bad.key_share), contextOf(bad.context)));
    const joint = ({ host, guest }) => proofs.jointKey(decodeElement(unhex(host)), decodeElement(unhex(guest)));
    for (const good of v.joint_keys) same("joint key", joint(good), good.joint);
    for (const bad of v.bad_joint_keys) refused(bad.comment, bad.fault, () => joint(bad));
  },
  shuffle(v) {
    const joint = decodeElement(unhex(v.joint_key));
    const context = contextOf(v.context);
    const before = v.before.map((card) => group.Card.read(unhex(card)));
    same("fresh deck", group.freshDeck(4, joint).map((card) => card.bytes), v.before);
    const check = (after, proof, ctx = context) => proofs.checkShuffle(before, concat(...after.map(unhex)), unhex(proof), joint, ctx);
    check(v.after, v.proof);
    const made = proofs.shuffle(before, joint, context, given(concat(...v.rng.map(unhex))));
    same("permutation", made.order, v.permutation);
    same("after", made.after.map((card) => card.bytes), v.after);
    const values = { ...made, ...made.t, r_hat: made.rHat, w_hat: made.wHat, w_tilde: made.wTilde, c_hat: made.cHat, t_hat: made.t.tHat, s_hat: made.sHat, s_tilde: made.sTilde };
    for (const name of ["masks", "r", "r_hat", "w", "w_hat", "w_tilde", "c", "u", "c_hat", "t1", "t2", "t3", "t4a", "t4b", "t_hat", "x", "s", "s_hat", "s_tilde", "proof"])
      same(name, values[name], v[name]);
    for (const bad of v.bad) refused(bad.comment, bad.fault, () => check(bad.after, bad.proof));
    for (const bad of v.bad_contexts) refused(bad.comment, bad.fault, () => check(v.after, v.proof, contextOf(bad.context)));
  },
  shares(v) {
    const secret = decodeScalar(unhex(v.secret));
    const X = decodeElement(unhex(v.public));
    const deck = read("shuffle").after.map((card) => group.Card.read(unhex(card)));
    for (const s of v.shares) {
      const bases = s.handles.map((handle) => deck[handle].a);
      same("bases", bases, s.bases);
      const made = proofs.proveShares(secret, bases, contextOf(v.context), given(unhex(s.rng)));
      for (const [name, value] of Object.entries({
        context_string: made.contextString, seed: made.seed, d: made.d, M: made.M, Z: made.Z, nonce: made.nonce,
        t2: made.t2, t3: made.t3, proof: made.proof, shares: pieces(made.shares),
      })) same(name, value, s[name]);
      const check = (shares, proof, context) => proofs.checkShares(X, bases, concat(...shares.map(unhex)), unhex(proof), contextOf(context));
      const ours = check(s.shares, s.proof, v.context);
      for (const bad of s.bad) refused(bad.comment, bad.fault, () => check(bad.shares, bad.proof, bad.context));
      const guests = bases.map((base) => mul(base, decodeScalar(unhex(v.guest_secret))));
      same("guest's shares", guests, s.guest_shares);
      same("faces", s.handles.map((handle, i) => group.faceOf(deck[handle], [ours[i], guests[i]], deck.length)), s.faces);
    }
  },
  coin(v) {
    for (const toss of v.tosses) {
      const context = contextOf(toss.context);
      const p = digest("coin-secret", ...contextParts(context), unhex(toss.seed));
      const q = unhex(toss.answer);
      same("opening", p, toss.opening);
      same("commitment", proofs.commitment(context, p), toss.commitment);
      same("bit", proofs.coinBit(context, p, q), toss.bit);
      for (const n of [2, 4, 32]) same(`order of ${n}`, proofs.coinOrder(n, context, p, q), toss[`order_of_${n}`]);
    }
    for (const bad of v.bad_openings)
      refused(bad.comment, bad.fault, () => proofs.checkOpening(contextOf(bad.context), unhex(bad.commitment), unhex(bad.opening)));
    for (const b of v.below) {
      const bytes = given(unhex(b.bytes));
      let used = 0;
      same(`below ${b.bound}`, group.below(b.bound, { read: (n) => ((used += n), bytes.read(n)) }), b.chosen);
      same("used", used, b.used);
    }
  },
  entries(v) {
    for (const e of v.entries) {
      const seed = unhex(e.identity_seed);
      same("identity", entries.publicKey(seed), e.identity);
      const made = { ...e, previous: unhex(e.previous), state: unhex(e.state), body: Object.fromEntries(Object.entries(e.body).map(([k, x]) => [k, valueOf(x)])) };
      const content = entries.encodeContent(made);
      same(`${e.kind}: content`, content, e.content);
      same(`${e.kind}: head`, entries.headOf(content), e.head);
      const signature = entries.sign(seed, unhex(e.head));
      same(`${e.kind}: signature`, signature, e.signature);
      same(`${e.kind}: raw`, codec.encode([content, signature]), e.raw);
      const read = entries.decodeEntry(unhex(e.raw));
      same(`${e.kind}: read`, [read.number, read.author, read.kind, read.state, Object.values(read.body)], [e.number, e.author, e.kind, e.state, text(Object.values(made.body))]);
      same(`${e.kind}: verified`, entries.verify(unhex(e.identity), read.head, read.signature), true);
    }
  },
  claim(v) {
    const games = read("game").games;
    for (const c of v.claims) {
      const game = games.find(({ name }) => name === c.game);
      const content = entries.claimContent({ ...c, gameId: unhex(game.game_id), head: unhex(c.head) });
      same("content", content, c.content);
      same("digest", entries.claimDigest(content), c.digest);
      const seed = unhex(game.sides[c.side].identity_seed);
      same("raw", codec.encode([content, entries.sign(seed, entries.claimDigest(content))]), c.raw);
      refused("a good claim", null, () => take(c.raw));
    }
    function take(raw) {
      const claim = entries.decodeClaim(unhex(raw));
      const identity = unhex(games[0].sides[claim.side].identity);
      codec.check(entries.verify(identity, entries.claimDigest(claim.content), claim.signature), "bad-signature");
    }
    for (const bad of v.bad) refused(bad.comment, bad.fault, () => take(bad.raw));
  },
  handshake(v) {
    for (const i of v.invitations.good) {
      const fields = { secret: unhex(i.secret), fingerprint: unhex(i.fingerprint), addresses: i.addresses };
      same("fingerprint", fingerprintOf(unhex(i.host_static_key)), i.fingerprint);
      same("psk", pskOf(fields.secret), i.psk);
      same("invitation", writeInvitation(fields), i.text);
      const got = readInvitation(i.text);
      same("invitation read", [got.secret, got.fingerprint, got.addresses], [i.secret, i.fingerprint, i.addresses]);
    }
    for (const spelling of v.invitations.other_spellings)
      same("spelling", writeInvitation(readInvitation(spelling)), v.invitations.good[0].text);
    for (const bad of v.invitations.bad) refused(bad.comment, "malformed", () => readInvitation(bad.text));

    const h = v.handshake;
    const start = (side) => {
      const { static_key, ephemeral_key } = [h.host, h.guest][side];
      return new Handshake(side, unhex(h.psk), unhex(static_key), unhex(ephemeral_key));
    };
    const sides = [start(0), start(1)];
    for (const [i, message] of h.messages.entries()) {
      const writer = 1 - (i % 2);
      same(`message ${i + 1}`, sides[writer].write(), message);
      sides[1 - writer].read(unhex(message));
    }
    for (const side of [0, 1]) {
      const known = [h.host, h.guest][side];
      same("static key", digest("line-key", unhex(known.seed)), known.static_key);
      same("public", publicOf(unhex(known.static_key)), known.static_public);
      same("the other's key", sides[1 - side].remoteStatic, known.static_public);
    }
    const lines = sides.map((side) => side.split());
    for (const side of [0, 1]) {
      same("hash", lines[side].hash, h.handshake_hash);
      same("hello", helloDigest(side, lines[side].hash), h.hello_digests[side]);
    }
    for (const { side, message, frame } of h.sealed) {
      const sealed = lines[side].send.seal(unhex(message));
      same("frame", concat(codec.u16(sealed.length), sealed), frame);
      same("opened", lines[1 - side].receive.open(sealed), message);
      if (message.startsWith("94") && message[3] === "0") {
        const hello = (raw, ours) => checkHello(decodeMessage(unhex(raw)), side, lines[side].hash, unhex(ours));
        same("hello", hello(message, [h.guest, h.host][side].identity), [h.host, h.guest][side].identity);
        refused("our own hello", "reflection", () => hello(message, [h.host, h.guest][side].identity));
      }
    }
    for (const bad of v.bad_handshakes) {
      const reader = start(bad.reader);
      for (const [i, message] of h.messages.slice(0, bad.message - 1).entries())
        if (1 - (i % 2) === bad.reader) reader.write();
        else reader.read(unhex(message));
      refused(bad.comment, bad.fault, () => reader.read(unhex(bad.bytes)));
    }
    for (const { kind, value, bytes } of v.messages) {
      same(kind, codec.encode(valueOf(value)), bytes);
      const [name, ...values] = decodeMessage(unhex(bytes));
      same(kind, [name, ...values], [kind, ...text(value.slice(1).map(valueOf))]);
    }
    const other = decodeMessage(unhex(v.incompatible_hello.bytes ?? v.incompatible_hello));
    blameless("another version", Error, () => checkHello(other, 0, lines[0].hash, unhex(h.guest.identity)));
    for (const bad of v.bad_messages) refused(bad.comment, bad.fault, () => decodeMessage(unhex(bad.bytes)));
  },
  game(v) {
    for (const g of v.games) {
      where = g.name;
      const raws = g.entries.map((entry) => unhex(entry.raw));
      const states = (table, entry) => {
        same(`state after ${entry.number}`, Buffer.from(table.game.publicBytes()).toString(), entry.state);
        same(`head after ${entry.number}`, table.head, entry.head);
      };
      const ends = (table) => {
        same("complete", table.complete, true);
        same("game id", table.gameId, g.game_id);
        same("winner", table.winner, g.winner);
        same("resigned", table.resigned, g.resigned);
        same("deck", range(g.deck.length).map((handle) => table.faceAt(0, handle)), g.deck);
      };
      const witness = new Table(null, { "duel/1": Duel });
      for (const entry of g.entries) {
        witness.take(unhex(entry.raw));
        states(witness, entry);
      }
      ends(witness);
      for (const side of [0, 1]) {
        const us = g.sides[side];
        const table = seat(g, side);
        same("secret", table.secret, us.secret);
        for (const entry of g.entries) {
          if (entry.author !== side) table.take(unhex(entry.raw));
          else same(`entry ${entry.number}`, table.write(entry.kind, fieldOf(entry)), entry.raw);
          if (entry.author === side) same("drawn", table.own.rng.drawn, entry.drawn);
          states(table, entry);
        }
        ends(table);
        same("player", table.player, us.player);
        same("saw", table.saw.map((faces) => faces.map((face) => face ?? -1)), us.saw.map(([, faces]) => faces));
      }
      const file = entries.encodeRecord(raws);
      same("record", [file.length, hex(file).slice(0, g.record_starts.length)], [g.record_size, g.record_starts]);
      same("record read", entries.decodeRecord(file).entries, raws.map(hex));
    }
  },
  negative(v) {
    const games = [...read("game").games, ...v.games];
    const tables = new Map();
    const ready = (name, side, place) => {
      const key = `${name} ${side} ${place}`;
      if (tables.has(key)) return tables.get(key);
      const game = games.find((one) => one.name === name);
      const table = seat(game, side);
      for (const entry of game.entries.slice(0, place).map((one) => unhex(one.raw ?? one))) {
        const { author, kind, body } = entries.decodeEntry(entry);
        if (author === side) table.write(kind, body.action ?? body.agrees);
        else table.take(entry);
      }
      tables.set(key, table);
      return table;
    };
    for (const c of v.cases) {
      const table = ready(c.game, c.reader, c.place);
      const [last, ...before] = c.given.map(unhex).reverse();
      for (const raw of before.reverse()) {
        table.take(raw);
        tables.clear();
      }
      const head = table.head;
      refused(c.comment, c.fault, () => table.take(last), c.blamed);
      same("nothing changed", table.head, hex(head));
    }
    for (const i of v.incompatible) {
      const table = new Table(1, { "duel/1": Duel }, { identitySeed: new Uint8Array(32) });
      blameless(i.comment, Declined, () => table.take(unhex(i.offer)));
    }
    for (const h of v.harmless) {
      const table = ready(h.game, h.reader, h.place);
      for (const raw of h.given) table.take(unhex(raw));
      same(h.comment, table.raws.length, h.place);
    }
  },
  rules(v) {
    const numbers = (letters) => [...letters].map((letter) => v.alphabet.indexOf(letter));
    const endings = { "four-vampires": "four vampires", "no-health": "no health", "five-rounds": "five rounds" };
    for (const [i, text] of v.games.entries()) {
      const [hp, ranking, winner, ending, ...rest] = text.split(" ");
      let game = DraculaVsVanHelsing.start(hp === "12" ? [] : [Number(hp)]);
      for (let round = 0; rest.length; round++) {
        where = `rules: game ${i}, round ${round}`;
        const [deck, actions] = rest.splice(0, 2).map(numbers);
        const hash = createHash("sha256");
        do {
          const { ask, handles, to } = game.pending;
          game = game.answer(
            ask === "order" ? [...ranking].map(Number)
            : ask === "shuffle" ? null
            : ask === "choose" ? actions.shift()
            : handles.map((handle) => (to.length === 2 ? deck[handle] : null)),
          );
          hash.update(game.publicBytes());
        } while (game.pending.ask !== "over" && game.pending.deck !== round + 1);
        same("hash", hash.digest("hex").slice(0, 16), rest.shift());
        same("actions left", actions.length, 0);
      }
      same("end", game.pending, { ask: "over", winner: Number(winner), reason: endings[ending] });
    }
  },
};

/** A side of a game of the vectors, as it was: with its keys and its chance. */
function seat(game, side) {
  const us = game.sides[side];
  const chance = named(us.rng);
  const rng = { drawn: 0, read: (n) => ((rng.drawn += n), chance.read(n)) };
  const offer = { game: game.game, options: unhex(game.options), seat: game.seat, clock: game.clock, started: game.started };
  return new Table(side, { "duel/1": Duel }, { identitySeed: unhex(us.identity_seed), seed: unhex(us.seed), name: us.name, rng, offer });
}
const fieldOf = (entry) => {
  const { body } = entries.decodeEntry(unhex(entry.raw));
  return body.action ?? body.agrees;
};

const chosen = process.argv.slice(2);
for (const [name, test] of Object.entries(tests)) {
  if (chosen.length && !chosen.includes(name)) continue;
  where = name;
  const before = count;
  const began = performance.now();
  try {
    test(read(name));
  } catch (error) {
    failures.push(`${name}: ${error.stack}`);
  }
  console.log(`${name}: ${count - before} checks, ${Math.round(performance.now() - began)} ms`);
}
for (const failure of failures) console.log(`FAILED ${failure}`);
process.exitCode = failures.length ? 1 : 0;
