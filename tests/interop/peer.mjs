/**
 * A peer that plays whole games with random legal moves. See README.md, or `node peer.mjs` alone.
 * It keeps its record in memory only, so it goes on after a lost line, but not after its own end (14.9 asks for more).
 */

import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { parseArgs } from "node:util";
import { Fault, check, equal, hex, range } from "./codec.mjs";
import { NO_HEAD, claimDigest, decodeClaim, decodeRecord, encodeRecord, verify } from "./entries.mjs";
import { below } from "./group.mjs";
import { fingerprintOf, readInvitation, writeInvitation } from "./invitation.mjs";
import { GUEST, HOST, Line } from "./line.mjs";
import { publicOf } from "./noise.mjs";
import { DRACULA, DraculaVsVanHelsing, VAN_HELSING } from "./rules.mjs";
import { Declined, Table } from "./table.mjs";

const GAMES = { [DraculaVsVanHelsing.title]: DraculaVsVanHelsing };
const SEATS = { dracula: DRACULA, helsing: VAN_HELSING, random: null };
const BYE = { complete: 0, left: 1, declined: 2 };
const LAST_BYE = 5000;
const rng = { read: (n) => Uint8Array.from(randomBytes(n)) };
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (...words) => console.error(...words);

/** Our side of one game, or of several on one line after another, over any number of lines. */
class Sitting {
  constructor(side, options, identitySeed, peer = null) {
    Object.assign(this, {
      side, options, identitySeed, peer, lines: 0, bytes: 0, thought: 0, line: null, running: null, ended: null, results: [],
      cut: Number(options.cut ?? 0), again: Number(options.games ?? 1) - 1, seat: SEATS[options.seat ?? "random"],
    });
    this.#newTable();
  }

  #newTable() {
    this.previous = this.table;
    const clock = this.options.clock ? this.options.clock.split("+").map(Number) : null;
    const offer = { game: DraculaVsVanHelsing.title, options: Uint8Array.from(this.options.hp ? [Number(this.options.hp)] : []), seat: this.seat, clock, started: Math.floor(Date.now() / 1000) };
    const own = { identitySeed: this.identitySeed, seed: rng.read(32), name: this.options.name ?? "Node", rng, offer, peer: this.peer };
    this.table = new Table(this.side, GAMES, own);
    this.began = performance.now();
    this.claims = [];
  }

  /** Plays on a line until it ends. A new line replaces an older one. Sets `ended` when no other is needed. */
  async play(line) {
    this.line?.socket.destroy();
    await this.running;
    this.line = line;
    this.lines++;
    this.peer ??= this.table.own.peer = line.identity;
    const ping = setInterval(() => line.send("PING", 0), 15_000);
    this.running = this.#play(line)
      .catch((error) => {
        if (error instanceof Declined) {
          line.send("BYE", BYE.declined);
          this.ended = `declined: ${error.message}`;
        } else if (error instanceof Fault) {
          line.send("REFUSAL", error.fault, error.detail);
          this.ended = `refused: ${error.message}`;
        } else this.ended = `mistake: ${error.stack}`;
      })
      .finally(() => {
        clearInterval(ping);
        line.close();
        this.bytes += line.bytes;
        this.line = null;
      });
    await this.running;
  }

  async #play(line) {
    if (!equal(line.identity, this.peer)) return line.send("BYE", BYE.declined);
    do {
      if (!(await this.#sync(line))) return;
      while (!this.table.complete) {
        this.#write(line);
        if (this.table.complete) break;
        if (!(await this.#read(line))) return;
        if (this.cut && this.table.raws.length >= this.cut) {
          this.cut = 0;
          return line.socket.destroy();
        }
      }
      this.#report();
    } while (await this.#after(line));
  }

  /** 13.6 */
  async #sync(line) {
    const sync = () => line.send("SYNC", this.table.gameId ?? null, this.table.raws.length, this.table.head);
    sync();
    let [name, gameId, count, head] = await line.read();
    if (name === "SYNC" && gameId === null && this.table.complete && !equal(head, this.table.heads[1])) {
      // The other is at the next game already: so it has all of this one, and heard that we wished for another.
      if (!this.#another()) return line.send("BYE", BYE.declined);
      sync();
      [name, gameId, count, head] = await line.read();
    } else if (name === "SYNC" && gameId && !this.table.gameId && this.previous && equal(gameId, this.previous.gameId)) {
      // It is at the last game still, and follows.
      [name, gameId, count, head] = await line.read();
      if (name === "SYNC") sync();
    }
    if (name !== "SYNC") return this.#unusual(line, name, gameId, count);
    const { table } = this;
    if (gameId && table.gameId && !equal(gameId, table.gameId)) return line.send("BYE", BYE.declined);
    if (count <= table.raws.length) {
      check(equal(head, table.heads[count]), "broken-chain", "our records have parted");
      this.#send(line, table.raws.slice(count));
    }
    while (table.raws.length < count) if (!(await this.#read(line))) return false;
    return true;
  }

  /** Whether we play another game; it begins then, with the seats exchanged. */
  #another() {
    if (this.again-- <= 0) {
      this.ended = "complete";
      return false;
    }
    this.seat = 1 - this.table.players[HOST];
    this.#newTable();
    return true;
  }

  #send(line, raws) {
    let batch = [];
    const flush = () => batch.length && line.send("ENTRIES", batch);
    for (const raw of raws) {
      if (batch.length === 256 || batch.reduce((sum, one) => sum + one.length + 5, raw.length) > 60_000) {
        flush();
        batch = [];
      }
      batch.push(raw);
    }
    flush();
  }

  /** Everything that is ours to write now. */
  #write(line) {
    const { table, options } = this;
    const due = (option) => options[option] && table.phase === "play" && table.raws.length >= Number(options[option]);
    let batch = [];
    while (table.next?.[0] === this.side) {
      const [, kind] = table.next;
      if (due("resign")) batch.push(table.write("RESIGN"));
      else if (due("propose")) {
        options.propose = undefined;
        batch.push(table.write("PROPOSE"));
      } else if (kind === "REPLY") batch.push(table.write("REPLY", options.agree ? 1 : 0));
      else if (kind === "ACT") {
        const legal = table.game.legal();
        batch.push(table.write("ACT", legal[below(legal.length, rng)]));
        if (table.offer.clock) {
          this.#send(line, batch.splice(0));
          line.send("CLOCK", Math.round(this.thought += performance.now() - this.heard));
          this.heard = performance.now();
        }
      } else batch.push(table.write());
    }
    this.#send(line, batch);
  }

  /** One message; false when the line has ended. */
  async #read(line) {
    const [name, ...fields] = await line.read();
    this.heard = performance.now();
    if (name !== "ENTRIES") return this.#unusual(line, name, ...fields);
    for (const raw of fields[0]) this.table.take(raw);
    return true;
  }

  #unusual(line, name, value, detail) {
    if (name === null) return false; // the line is cut; the game goes on when there is another
    if (name === "CLOCK" || name === "CHAT") return true;
    if (name === "BYE") {
      if (value === BYE.declined) this.ended = "declined by the other side";
      else if (value === BYE.complete) this.ended = "the other side takes the record for complete";
    } else if (name === "REFUSAL") this.ended = `the other side refuses: ${value}: ${detail}`;
    else if (name === "CLAIM") {
      const claim = decodeClaim(value);
      check(claim.side !== this.side && this.table.gameId && equal(claim.gameId, this.table.gameId), "unexpected", "a claim of another game");
      check(verify(this.table.identities[claim.side], claimDigest(claim.content), claim.signature), "bad-signature", "claim");
      this.claims.push(value);
      this.ended = "the other side claims the game";
    } else throw new Fault("unexpected", name);
    return false;
  }

  /** After a record is complete (13.7): whether another game follows on this line. */
  async #after(line) {
    line.send(...(this.again > 0 ? ["AGAIN"] : ["BYE", BYE.complete]));
    const timer = setTimeout(() => {
      this.ended = "complete";
      line.socket.destroy();
    }, LAST_BYE);
    let name;
    do [name] = await line.read();
    while (name === "CLOCK" || name === "CHAT");
    clearTimeout(timer);
    if (name === "AGAIN") return this.#another();
    if (name === "BYE") this.ended = "complete";
    else if (name !== null) throw new Fault("unexpected", name);
    return false; // without a word, it may not have our last entry, and come back for it
  }

  /** Reads our own record as a witness would, and keeps what came of it. */
  #report() {
    const { table, options } = this;
    if (this.reported === table) return;
    this.reported = table;
    const seconds = (performance.now() - this.began) / 1000;
    const witness = new Table(null, GAMES);
    for (const raw of table.raws) witness.take(raw);
    check(witness.complete && range(32).every((handle) => witness.decks.every((_, deck) => witness.faceAt(deck, handle) !== null)), "bad-proof");
    const record = encodeRecord(table.raws, this.claims);
    if (options.record) writeFileSync(options.record + (this.results.length ? `.${this.results.length}` : ""), record);
    this.results.push({
      game: hex(table.gameId), side: this.side, player: table.player, winner: table.winner, resigned: table.resigned, rounds: table.game.round + 1,
      entries: table.raws.length, head: hex(table.head), record: record.length, lines: this.lines, seconds: Number(seconds.toFixed(2)),
    });
    console.log(JSON.stringify(this.results.at(-1)));
  }
}

/** @returns the exit code for how a sitting ended */
const exitCode = ({ ended, table }) => (table.complete ? 0 : (say(ended), /refuse|mistake/.test(ended) ? 3 : 4));

async function join(text, options) {
  const invitation = readInvitation(text === "-" ? readFileSync(0, "utf8") : text);
  const sitting = new Sitting(GUEST, options, rng.read(32));
  const staticKey = rng.read(32);
  for (let tries = 0; !sitting.ended && tries < (sitting.table.complete ? 3 : 20); tries++) {
    for (const [host, port] of invitation.addresses) {
      try {
        const socket = await dial(host, port);
        const line = await Line.open(socket, { ...invitation, side: GUEST, staticKey, identitySeed: sitting.identitySeed });
        tries = 0;
        await sitting.play(line);
        break;
      } catch (error) {
        say(`${host} port ${port}: ${error.message}`);
      }
    }
    if (!sitting.ended) await sleep(200 + 100 * tries);
  }
  sitting.ended ??= "nobody there";
  return exitCode(sitting);
}

function dial(host, port) {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: 10_000 }, () => resolve(socket.setTimeout(0)));
    socket.once("timeout", () => socket.destroy(new Error("no answer"))).once("error", reject);
  });
}

/** Waits for guests. As `host` for one, as `serve` for everybody, each identity a game of its own. */
async function host(options, many) {
  const staticKey = rng.read(32);
  const secret = rng.read(16);
  const identitySeed = rng.read(32);
  const sittings = new Map();
  return new Promise((resolve) => {
    const server = createServer(async (socket) => {
      try {
        const line = await Line.open(socket, { side: HOST, secret, staticKey, identitySeed });
        const guest = hex(line.identity);
        if (!many && sittings.size && !sittings.has(guest)) {
          line.send("BYE", BYE.declined);
          return line.close();
        }
        if (!sittings.has(guest)) sittings.set(guest, new Sitting(HOST, { ...options }, identitySeed, line.identity));
        const sitting = sittings.get(guest);
        await sitting.play(line);
        if (!many && (sitting.ended || sitting.table.complete)) setTimeout(() => resolve(exitCode(sitting)), sitting.ended ? 0 : LAST_BYE);
        else if (sitting.ended && sitting.ended !== "complete") say(sitting.ended);
      } catch (error) {
        say(`a guest: ${error.message}`);
        socket.destroy();
      }
    });
    server.listen(Number(options.port ?? 0), options.bind ?? "127.0.0.1", () => {
      const addresses = [[options.bind ?? "127.0.0.1", server.address().port]];
      console.log(writeInvitation({ secret, fingerprint: fingerprintOf(publicOf(staticKey)), addresses }));
    });
  });
}

/** Checks a record file as somebody who was not there. */
function verifyFile(name) {
  const { entries, claims } = decodeRecord(readFileSync(name));
  const table = new Table(null, GAMES);
  for (const raw of entries) table.take(raw);
  console.log(JSON.stringify({ game: hex(table.gameId), entries: entries.length, complete: table.complete, winner: table.winner, head: hex(table.head), claims: claims.length }));
  return table.complete ? 0 : 4;
}

const USAGE = `node peer.mjs join INVITATION|-   play as guest
node peer.mjs host                 play with one guest; prints the invitation
node peer.mjs serve                play with every guest, each identity one game
node peer.mjs verify FILE          check a record
  --port N --bind ADDRESS          where host and serve listen
  --seat dracula|helsing|random    --hp 11|13   --clock SECONDS+SECONDS   what host and serve offer
  --name NAME   --record FILE      write the record there in the end
  --games N                        play on, as long as the other side likes
  --cut N                          drop the line once, after N entries, and come back
  --resign N   --propose N         resign, or propose an end, after N entries   --agree   to such proposals`;

const texts = ["port", "bind", "seat", "hp", "clock", "name", "record", "games", "cut", "resign", "propose"];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ...Object.fromEntries(texts.map((name) => [name, { type: "string" }])), agree: { type: "boolean" } },
});
const [command, argument] = positionals;
if (command === "join" && argument) process.exit(await join(argument, values));
else if (command === "host" || command === "serve") process.exit(await host(values, command === "serve"));
else if (command === "verify" && argument) process.exit(verifyFile(argument));
else {
  say(USAGE);
  process.exit(2);
}
